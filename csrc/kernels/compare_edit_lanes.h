// Computes a metric of every pair of a text and a pattern. Strings of up to 64 units are compared in lanes of vectors.
//
// A metric compares two strings of units, in either order. It keeps its tables from pair to pair, and has
//
//   using Value
//   Value operator()(a, b)           the value of two strings of any length
//   start(pattern), to_pattern(text), ..., finish()   the same, of one pattern and many texts: no other pair comes
//                                    between, and the pattern's units must stay
//   int64_t limit() const            strings whose sizes differ by more have the value beyond()
//   Value beyond() const
//   static constexpr int64_t kPlanes the numbers that lanes compute for a pair: a byte each; 0 if it has no lanes
//   static constexpr int64_t kMaxLaneText
//   static void compute(lanes, texts, count, numbers, pitch)   the primitive that does
//   Value value(text, pattern, numbers, pitch)   the value of a pair, from numbers[0], numbers[pitch], ...
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/poll.h"
#include "core/testing.h"
#include "kernels/compare_edit_units.h"

namespace stringops::kernels {

// The units of some strings.
class UnitBlock {
 public:
  // Reads strings [first, last) until they have max_units; returns how many. String i is at(i).
  template <class At>
  int64_t read(int64_t first, int64_t last, int64_t max_units, bool codepoints, const At& at) {
    units_.clear();
    ends_.clear();
    for (int64_t i = first; i < last && num_units() < max_units; ++i) {
      units_.append(at(i), codepoints);
      ends_.push_back(num_units());
    }
    return size();
  }

  int64_t size() const { return static_cast<int64_t>(ends_.size()); }
  int64_t num_units() const { return units_.size(); }
  int64_t begin(int64_t i) const { return i == 0 ? 0 : end(i - 1); }
  int64_t end(int64_t i) const { return ends_[static_cast<size_t>(i)]; }
  int64_t size_of(int64_t i) const { return end(i) - begin(i); }
  UnitRange units() const { return units_.units(0, units_.size()); }
  UnitRange operator[](int64_t i) const { return units_.units(begin(i), end(i)); }

 private:
  UnitBuffer units_;
  std::vector<int64_t> ends_;
};

// Numbers of strings, in blocks: the masks of a block's patterns are made once for a block of texts.
template <class Metric>
class AllPairs {
 public:
  using Value = typename Metric::Value;

  AllPairs(bool codepoints, Metric metric) : codepoints_(codepoints), metric_(std::move(metric)) {}

  // out[t * text_stride + p * pattern_stride] = the value of texts t < num_texts and patterns p < num_patterns.
  template <class TextAt, class PatternAt>
  void run(int64_t num_texts, const TextAt& text_at, int64_t num_patterns, const PatternAt& pattern_at, Value* out,
           int64_t text_stride, int64_t pattern_stride) {
    text_stride_ = text_stride;
    pattern_stride_ = pattern_stride;
    for (int64_t p = 0; p < num_patterns; p += patterns_.size()) {
      patterns_.read(p, std::min(num_patterns, p + kMaxPatterns), kMaxUnits, codepoints_, pattern_at);
      divide_patterns();
      for (int64_t t = 0; t < num_texts; t += texts_.size()) {
        texts_.read(t, std::min(num_texts, t + kMaxTexts), kMaxUnits, codepoints_, text_at);
        write(out + t * text_stride + p * pattern_stride);
      }
    }
  }

 private:
  // The limits of a block; they keep numbers of units within 16 bits.
  static constexpr int64_t kMaxPatterns = block_size(960, 70), kMaxTexts = block_size(256, 5),
                           kMaxUnits = block_size(16'000, 300);
  // Blocks with more units are not handled in lanes, because signals are not checked during that.
  static constexpr int64_t kMaxLaneUnits = block_size(1'000'000, 2'000);

  // Patterns that share a row of lanes: those at order_[first] and after it.
  struct Group {
    int64_t first;
    int64_t count;
    int64_t lane_bytes;
    int64_t shortest;
    int64_t longest;
  };

  void order_patterns();
  void divide_patterns();
  void write(Value* out);
  void write_pairs(int64_t pattern, Value* out);
  Value pair_value(UnitRange text, UnitRange pattern);
  void write_values(Value* out);
  Value* at(Value* out, int64_t text, int64_t pattern) const {
    return out + text * text_stride_ + pattern * pattern_stride_;
  }
  void read_text_numbers();
  void compute(const Group& group);
  void compute_range(const Group& group, int64_t first, int64_t last);
  void add_masks(const Group& group);

  const bool codepoints_;
  int64_t text_stride_ = 0, pattern_stride_ = 0;
  Metric metric_;
  UnitBlock patterns_, texts_;

  std::vector<int64_t> order_;     // patterns in lanes, the longest first
  std::vector<int64_t> others_;    // patterns that are too long
  std::vector<uint16_t> columns_;  // of planes_, for each pattern
  std::vector<Group> groups_;
  UnitNumbers numbers_;
  std::vector<uint16_t> pattern_numbers_;  // of the units of the patterns in lanes, by order_
  std::vector<int64_t> number_ends_;
  MaskRows rows_;
  uint64_t bits_[MaskRows::kRowWords];

  std::vector<int64_t> text_order_;  // the shortest first
  std::vector<uint16_t> text_numbers_, text_rows_;
  std::vector<int64_t> text_begins_, text_ends_;  // by text_order_
  int64_t num_lane_texts_ = 0;                    // the first of text_order_; the others are too long
  std::vector<int8_t> planes_;                    // of each text, by text_order_: rows of the numbers of its pairs
  int64_t pitch_ = 0;
  Pace pace_;
};

}  // namespace stringops::kernels
