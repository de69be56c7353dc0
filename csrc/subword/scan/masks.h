// Pre-tokenizers on masks: the pieces of 64 bytes of text at once, as subword/scan/scan.h has them, for kGpt2 and
// kLlama3.
//
//   bytes     i t ' s ␣ a b c ␣ ␣ d !      kGpt2
//   letters   1 . . 1 . 1 1 1 . . 1 .
//   begins    1 . 1 . 1 . . . 1 1 . 1      a change of class, but not after a blank; not inside a contraction
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "simd/text.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

class SubwordMasks {
 public:
  static bool serves(const subword::Step& step) {
    return step.kind == subword::Step::kGpt2 || step.kind == subword::Step::kLlama3;
  }

  explicit SubwordMasks(const subword::Step& step);

  // Adjacent strings: string k begins at text + begins[k], begins[0] is 0, begins[count] the size of the text.
  void start(const uint8_t* text, const int32_t* begins, int64_t count);

  // The pieces that begin in the next 64 bytes.
  uint64_t next();

 private:
  // Bit i: byte i is of the class, each byte of a character; `wide` are first bytes of whitespace of several bytes.
  struct Masks {
    uint64_t letters, numbers, rest, spaces, newlines, blanks, apostrophes, inside, wide2, wide3, starts;
  };
  // The same of the byte before, in bit 0.
  struct Carry {
    uint64_t letters, numbers, rest, spaces, newlines, blanks, solo, tail, taken;
    uint64_t clear, set;  // of the next word: begins that a contraction removes and adds
    int64_t digits;       // numbers since the last begin
  };

  void classify(int64_t at, Masks& masks, Masks& after);
  void classify_beyond(int64_t at, uint64_t beyond, Masks& masks, Masks& after);
  uint64_t gpt2(const Masks& a, const Masks& b);
  uint64_t llama3(const Masks& a, const Masks& b);
  uint64_t group_numbers(const Masks& a, uint64_t first);
  uint64_t after_newlines(const Masks& a, uint64_t candidates) const;
  uint64_t last_spaces(const Masks& a, const Masks& b) const;
  uint64_t join_contractions(const Masks& a, uint64_t begins);
  int64_t end_of_string(int64_t at);

  const subword::Step step_;
  const simd::TextPrimitives& simd_;
  const int letters_;  // classes that count as letters
  const uint8_t* text_ = nullptr;
  const int32_t* begins_ = nullptr;
  int64_t count_ = 0, size_ = 0;
  int64_t at_ = 0;      // of the next word
  int64_t marked_ = 0;  // strings whose beginnings are marked
  int64_t string_ = 0;  // for end_of_string
  Masks now_{}, ahead_{}, straddling_{};
  Carry carry_{};
};

}  // namespace stringops::kernels
