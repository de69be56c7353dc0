// Cuts strings whose cuts are limited, 64 bytes at a time up to the last cut; the rest of a string is copied. This
// takes fewer steps than masks of whole blocks (block_splitter.h), which depend little on the limit.
//
// Included once by the file of a tier, after its target pragma and its definitions of
//
//   V::load_block(p), V::load_block(data, i, n), equal, signs    as in block_loops.h
//   V::nth_bit(word, n)              the n-th set bit, counted from 1; 0 if there are fewer
//   ascii_whitespace(x)              mask of the lanes of ASCII whitespace
//   find_whitespace                  the primitive
//   compress_block(data, keep, out)  writes the kept ones of 64 bytes, and no more than 64
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/bits.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// Returns the bits below the lowest set bit; all if there is none.
inline uint64_t below_lowest(uint64_t word) {
  return (word & (0 - word)) - 1;
}

// The first 64 bytes of the rest of a string.
struct Window {
  Bytes64 block;
  const uint8_t* data;
  int64_t left;     // bytes of the rest of the string
  uint64_t inside;  // the bytes of the window that belong to the string
  bool is_whole;    // 64 bytes may be read
};

// The bytes of a window that are not kept.
struct Dropped {
  uint64_t bytes;
  uint64_t cuts;  // the first byte of each cut
  bool is_last;   // everything after this is kept
};

// Drops leading whitespace and `left` runs of it after words, and the whitespace at the end of a string with fewer.
//
//   bytes    ␣ a b ␣ ␣ c ␣ d     at most one cut
//   spaces   1 0 0 1 1 0 1 0
//   starts   0 0 0 1 0 0 1 0     of runs after a word
//   rest     0 0 0 0 0 1 0 1     no spaces, after the start of the last run that is dropped
//   dropped  1 0 0 1 1 0 0 0     spaces before that
struct AtWhitespace {
  int64_t left;
  uint64_t after_word = 0;  // whether the byte before the window is kept
  uint64_t carried = 0;     // bytes of a character that begins in the previous window

  Dropped drop(const Window& w) {
    const uint64_t spaces = whitespace(w) & w.inside;
    const uint64_t others = w.inside & ~spaces;
    const uint64_t starts = spaces & (others << 1 | after_word);
    const uint64_t rest = others & (left == 0 ? ~uint64_t{0} : ~below_lowest(V::nth_bit(starts, left)));
    const uint64_t dropped = spaces & below_lowest(rest);
    after_word = others >> 63;
    left -= popcount(starts & dropped);
    return {dropped, starts & dropped, rest != 0};
  }

  uint64_t whitespace(const Window& w) {
    if (((signs(w.block) & w.inside) | carried) == 0) return ascii_whitespace(w.block);
    constexpr int64_t kBeyond = 2;  // a character has up to three bytes
    uint64_t words[2] = {};
    find_whitespace(w.data, std::min(w.left, kWordBits + kBeyond), words);
    const uint64_t before = carried;
    carried = words[1];
    return words[0] | before;
  }

  // Whether a piece ends with the string. This is the string's last window.
  static bool ends_piece(const Window& w, const Dropped& dropped) {
    return (w.inside & ~(w.inside >> 1) & ~dropped.bytes) != 0;
  }
};

// Drops the first `left` delimiters.
struct AtDelimiter {
  uint8_t delimiter;
  int64_t left;

  Dropped drop(const Window& w) {
    const uint64_t all = equal(w.block, delimiter) & w.inside;
    const uint64_t up_to_last = left == 0 ? 0 : (V::nth_bit(all, left) << 1) - 1;
    const uint64_t dropped = all & up_to_last;
    left -= popcount(dropped);
    return {dropped, dropped, left == 0};
  }

  static bool ends_piece(const Window&, const Dropped&) { return true; }
};

// The number of bytes that may be read after the strings, and written after their pieces and ends, so that no step has
// to test for room.
constexpr int64_t kRoomBeyond = 2 * kWordBits;
constexpr int64_t kEndsBeyond = 4;

class PieceCounting {
 public:
  void window(const Window&, const Dropped& dropped) {
    dropped_ += popcount(dropped.bytes);
    pieces_ += popcount(dropped.cuts);
  }
  void rest(const LimitedCuts&, int64_t, int64_t) {}
  void end_piece() { ++pieces_; }

  // Adds bytes and pieces that were counted elsewhere.
  void add(int64_t dropped, int64_t pieces) {
    dropped_ += dropped;
    pieces_ += pieces;
  }

  int64_t pieces() const { return pieces_; }
  PieceCounts counts(int64_t bytes) const { return {bytes - dropped_, pieces_, true}; }

 private:
  int64_t dropped_ = 0, pieces_ = 0;
};

// kFits tells that there is room for all pieces and for kRoomBeyond bytes after them.
template <bool kFits>
class PieceWriting {
 public:
  explicit PieceWriting(const PieceRoom& room)
      : base_(room.base),
        out_(room.out),
        size_(room.out_limit - room.out),
        ends_(room.out_ends),
        num_ends_(room.out_ends_limit - room.out_ends) {}

  void window(const Window& w, const Dropped& dropped) {
    const uint64_t kept = w.inside & ~dropped.bytes;
    for (uint64_t cuts = dropped.cuts; cuts != 0; cuts &= cuts - 1) {
      put_end(bytes_ + popcount(kept & below_lowest(cuts)));
    }
    if (kFits || (size_ - bytes_ >= kWordBits && w.is_whole)) {
      compress_block(w.data, kept, out_ + bytes_);
      bytes_ += popcount(kept);
      return;
    }
    for (uint64_t left = kept; left != 0; left &= left - 1) {
      if (bytes_ == size_) return fail();
      out_[bytes_++] = w.data[first_bit(left)];
    }
  }

  // Copies the bytes from `at`, after the last window, to the string's end. There are none if `at` is beyond it.
  void rest(const LimitedCuts& in, int64_t at, int64_t end) {
    const int64_t size = end - at;
    if (kFits || std::min(in.readable - at, size_ - bytes_) - std::max<int64_t>(size, 0) >= kWordBits) {
      // The first bytes are copied in any case, because it is unpredictable whether there are any.
      const uint8_t* const from = in.data + at;
      std::memcpy(out_ + bytes_, from, kWordBits);
      for (int64_t i = kWordBits; i < size; i += kWordBits) std::memcpy(out_ + bytes_ + i, from + i, kWordBits);
      bytes_ += std::max<int64_t>(size, 0);
    } else if (size > 0) {
      if (size > size_ - bytes_) fail();
      const int64_t fitting = std::min(size, size_ - bytes_);
      if (fitting > 0) std::memcpy(out_ + bytes_, in.data + at, static_cast<size_t>(fitting));
      bytes_ += fitting;
    }
  }

  void end_piece() { put_end(bytes_); }

  // Returns the rest of the room, and how much of it has been filled elsewhere.
  PieceRoom room() const {
    return {static_cast<int32_t>(base_ + bytes_), out_ + bytes_, out_ + size_, ends_ + pieces_, ends_ + num_ends_};
  }
  void add(int64_t bytes, int64_t pieces) {
    bytes_ += bytes;
    pieces_ += pieces;
  }

  int64_t pieces() const { return pieces_; }
  PieceCounts counts(int64_t) const { return {bytes_, pieces_, complete_}; }

 private:
  void fail() { complete_ = false; }

  void put_end(int64_t bytes) {
    if (!kFits && pieces_ == num_ends_) return fail();
    ends_[pieces_++] = static_cast<int32_t>(base_ + bytes);
  }

  int32_t base_;
  uint8_t* out_;
  int64_t size_;
  int32_t* ends_;
  int64_t num_ends_;
  int64_t bytes_ = 0, pieces_ = 0;
  bool complete_ = true;
};

// Cuts the strings one by one. kFits tells that kRoomBeyond bytes after the strings may be read.
template <bool kFits, class Rule, class Out>
PieceCounts cut_each(const LimitedCuts& in, const Rule& rule, Out out, int32_t* string_pieces) {
  const uint8_t* const data = in.data;
  const int64_t readable = in.readable;
  const int32_t* const string_ends = in.string_ends;
  const auto window_at = [&](int64_t at, int64_t end) {
    const bool is_whole = kFits || readable - at >= kWordBits;
    const Bytes64 block = is_whole ? V::load_block(data + at) : V::load_block(data, at, readable);
    // The low bits are set, all of them from a size of 64 on. There is no branch, because the lengths of strings are
    // unpredictable.
    const int64_t size = end - at;
    const uint64_t inside = ((uint64_t{1} << (size & 63)) - 1) | static_cast<uint64_t>((63 - size) >> 63);
    return Window{block, data + at, size, inside, is_whole};
  };
  int64_t begin = 0;
  for (int64_t k = 0; k < in.num_strings; ++k) {
    const int64_t end = string_ends[k];
    int64_t at = begin;
    Rule cutting = rule;
    // The first window, in which most strings have all cuts, is handled by a copy of the code that knows that it is the
    // first.
    Window window = window_at(at, end);
    Dropped dropped = cutting.drop(window);
    out.window(window, dropped);
    at += kWordBits;
    if (__builtin_expect(!dropped.is_last, 0)) {
      for (; !dropped.is_last && at < end; at += kWordBits) {
        window = window_at(at, end);
        dropped = cutting.drop(window);
        out.window(window, dropped);
      }
    }
    if (__builtin_expect(dropped.is_last, 1)) {
      out.rest(in, at, end);
      out.end_piece();
    } else if (Rule::ends_piece(window, dropped)) {
      out.end_piece();
    }
    string_pieces[k] = static_cast<int32_t>(out.pieces());
    begin = end;
  }
  return out.counts(begin);
}

// The primitive.
PieceCounts cut_limited(const LimitedCuts& in, const PieceRoom* room, int32_t* string_pieces) {
  const int64_t num_bytes = in.num_strings > 0 ? in.string_ends[in.num_strings - 1] : 0;
  const bool readable = in.readable - num_bytes >= kRoomBeyond;
  const bool writable = room && room->out_limit - room->out - num_bytes >= kRoomBeyond &&
                        room->out_ends_limit - room->out_ends >= in.num_strings * (in.max_cuts + 1) + kEndsBeyond;
  const auto cut_to = [&](auto fits, const auto& rule, auto out) {
    return cut_each<decltype(fits)::value>(in, rule, out, string_pieces);
  };
  const auto cut = [&](const auto& rule) {
    if (room) {
      return readable && writable ? cut_to(std::true_type(), rule, PieceWriting<true>(*room))
                                  : cut_to(std::false_type(), rule, PieceWriting<false>(*room));
    }
    return readable ? cut_to(std::true_type(), rule, PieceCounting())
                    : cut_to(std::false_type(), rule, PieceCounting());
  };
  return in.at_whitespace ? cut(AtWhitespace{in.max_cuts}) : cut(AtDelimiter{in.delimiter, in.max_cuts});
}

}  // namespace
}  // namespace stringops::simd
