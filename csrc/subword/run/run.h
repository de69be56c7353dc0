// Encodes runs of adjacent strings together: each step takes the pieces of all strings, and all words are looked up
// together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "subword/normalize/normalizer.h"
#include "subword/run/word_ids.h"
#include "subword/scan/piece_writer.h"
#include "subword/scan/split_steps.h"
#include "subword/scan/valid_text.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordRun {
 public:
  // Whether strings of this table can be encoded in runs: no word of the table is too long for the model, and no step
  // asks where in its string a piece is, but the first one.
  static bool serves(const subword::Table& table);

  // `num_bytes` is about the size of the text that will come.
  SubwordRun(const subword::Table& table, int64_t num_bytes);

  // Whether the ids of a text are those of its parts, one after the other, if it is cut between a letter and a space.
  bool cuts_at_spaces() const;

  // Encodes strings without added tokens: string k begins at text + begins[k], begins[0] is 0, begins[count] the size
  // of the text, which may be read up to readable_end. The ids of all of them are ids(), and those of string k begin at
  // first_ids()[k]; first_ids()[count] is their number.
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count);
  const uint32_t* ids() const { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const { return first_ids_; }

 private:
  // Pieces of a text, in order.
  struct Pieces {
    const uint8_t* text;
    const uint8_t* readable_end;
    const uint32_t *begins, *ends;
    int64_t count;

    StringView operator[](int64_t k) const { return {text + begins[k], text + ends[k]}; }
  };
  // A text that is written, of adjacent pieces.
  struct Written {
    std::vector<uint8_t> bytes;
    std::vector<uint32_t> begins;
  };
  // Writes the pieces, if there is a writer, and then divides them.
  struct Stage {
    std::unique_ptr<PieceWriter> writer;
    Written written;
    std::unique_ptr<SplitSteps> splits;
  };

  template <class Write>
  Pieces write(const Pieces& pieces, Written& written, Write&& write_one) const;
  Pieces split(const Pieces& pieces, SplitSteps& splits);

  SubwordNormalizer normalizer_;
  std::vector<uint8_t> one_;  // a string, normalized
  Written normalized_;
  std::vector<Stage> stages_;
  subword::ValidText valid_;
  std::vector<uint32_t> first_ids_, starts_;
  const bool keeps_parts_;  // a part of a text is normalized as it is in the text
  // If Unigram::has_words: sums of scores begin with each piece of the stages.
  std::unique_ptr<SplitSteps> words_of_pieces_;
  SubwordWords words_;
};

}  // namespace stringops::kernels
