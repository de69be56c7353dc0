// Divides texts into pieces by adjacent steps of a tokenizer, each of which divides the pieces of the one before. Each
// step is a mask maker (split/), whose strings are these pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simd/primitives.h"
#include "subword/table.h"

namespace stringops::kernels {

class SplitSteps {
 public:
  static bool is_split(const subword::Step& step);

  // Whether a step leaves some of the text out.
  static bool leaves_out(const subword::Step& step);

  // Takes the splits from `first` on, up to the first one that leaves text out. `table` has their patterns.
  SplitSteps(const subword::Table& table, const std::vector<subword::Step>& steps, size_t first);
  ~SplitSteps();

  // The position of the step after them.
  size_t end() const { return end_; }

  // Whether all of them have word rules, which cut between a letter and a space, whatever is around.
  bool cut_at_spaces() const { return only_words_; }

  // Divides adjacent strings of valid UTF-8 (ValidText): string k begins at text + begins[k], begins[0] is 0,
  // begins[count] the size of the text.
  void split(const uint8_t* text, const int32_t* begins, int64_t count);

  // The pieces, none of which is empty, as positions in the text; and the number of pieces before each string.
  int64_t size() const { return size_; }
  const uint32_t* begins() const { return begins_.data(); }
  const uint32_t* ends() const { return leaves_out_ ? ends_.data() : begins_.data() + 1; }
  const std::vector<uint32_t>& num_before() const { return num_before_; }

 private:
  class Splitter;
  class WordSplitter;
  class MatchSplitter;
  class BlankSplitter;

  static std::unique_ptr<Splitter> new_splitter(const subword::Step& step, const subword::Table& table);
  void make_room(int64_t num_more);
  void divide(Splitter& splitter, const uint8_t* text, const int32_t* pieces, int64_t num_pieces, const int32_t* begins,
              int64_t count);

  const simd::Primitives& simd_;
  std::vector<std::unique_ptr<Splitter>> splitters_;
  size_t end_;
  bool leaves_out_ = false, only_words_ = true;
  int64_t size_ = 0;
  std::vector<uint32_t> begins_, ends_, before_;  // with room for more; `before_`: of the pieces of the step before
  std::vector<uint32_t> num_before_;
};

}  // namespace stringops::kernels
