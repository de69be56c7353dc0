// Makes arguments of the fuzzer's bytes. Numbers are taken from the back and text from the front, so that a byte
// inserted by a mutation shifts only one of them. Past the end of the input, all values are 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/offsets.h"
#include "core/string_span.h"
#include "split/blocks.h"

namespace stringops::fuzz {

class Input {
 public:
  Input(const uint8_t* bytes, size_t size) : rest_(reinterpret_cast<const char*>(bytes), size) {}

  size_t left() const { return rest_.size(); }

  uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<uint8_t>(rest_.back());
    rest_.remove_suffix(1);
    return value;
  }
  bool flag() { return byte() & 1; }

  // Within [0, n).
  int64_t below(int64_t n) {
    if (n <= 1) return 0;
    uint64_t value = byte();
    for (int64_t range = 256; range < n; range *= 256) value = value << 8 | byte();
    return static_cast<int64_t>(value % static_cast<uint64_t>(n));
  }

  // Any value, often one of the limits.
  template <class Int>
  Int any() {
    using U = std::make_unsigned_t<Int>;
    constexpr U kTop = U{1} << (sizeof(Int) * 8 - 1);
    constexpr std::array<U, 6> kLimits = {kTop, kTop - 1, static_cast<U>(-1), 0, kTop - 2, U{1} << (sizeof(Int) * 4)};
    const uint8_t kind = byte();
    if (kind < 96) return static_cast<Int>(kind % 24);
    if (kind < 160) return static_cast<Int>(kLimits[kind % kLimits.size()]);
    U value = 0;
    for (size_t i = 0; i < sizeof(Int); ++i) value = static_cast<U>(value << 8 | byte());
    return static_cast<Int>(value);
  }

  std::string_view take_front(int64_t n) {
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(std::max<int64_t>(n, 0)));
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

// Fragments of text, as raw bytes seldom make meaningful text: separators of every kind, whole and truncated,
// characters of one to four bytes, invalid UTF-8.
inline constexpr std::string_view kFragments[] = {
    "a",
    "b",
    " ",
    ",",
    "ab",
    "",
    "\t",
    "\n",
    "Z",
    "_",
    "0",
    "-",
    "\xC2\xA0",
    "\xC2\x85",
    "\xE2\x80\x83",
    "\xE3\x80\x80",
    "\xE1\x9A\x80",
    "\xE2\x81\x9F",
    "\xC3\xA9",
    "\xE6\x97\xA5",
    "\xF0\x9F\x98\x80",
    "\xEF\xBF\xBD",
    "\xE2\x80",
    "\xE2",
    "\x80",
    "\xC2",
    "\xED\xA0\x80",
    "\xF4\x90\x80\x80",
    "\xC0\xAF",
    "\xFF",
    std::string_view("\0", 1),
    "  ",
    "hello",
    "and the",
    "0123456789abcdef",
    "\r\n",
    "\x1C",
    "\xE2\x80\xA8",
    ".",
};
inline constexpr size_t kNumFragments = sizeof(kFragments) / sizeof(kFragments[0]);

// Text made of the next `n` bytes of the input, or of all that are left: the bytes themselves, letters of a small
// alphabet, or a fragment for each byte. `more` is an additional fragment, such as the delimiter of an operator.
inline std::string take_text(Input& in, int64_t n, std::string_view more = {}) {
  const uint8_t kind = in.byte();
  const std::string_view raw = in.take_front(n);
  std::string text;
  if (kind % 4 == 0) {
    text = raw;
  } else if (kind % 4 == 1) {
    for (const char c : raw) text += "ab ,"[static_cast<uint8_t>(c) % 4];
  } else {
    const bool ascii = kind % 4 == 2;
    for (const char c : raw) {
      const auto at = static_cast<uint8_t>(c) % (kNumFragments + 4);
      const std::string_view fragment = at < kNumFragments ? kFragments[at] : more;
      if (ascii &&
          std::any_of(fragment.begin(), fragment.end(), [](char f) { return static_cast<signed char>(f) < 0; })) {
        text += 'x';
      } else {
        text += fragment;
      }
    }
  }
  // Sometimes enough text for several blocks, from a short input.
  constexpr size_t kMaxText = 9 * kernels::kBlockBytes;
  if (kind >= 0xF8 && !text.empty()) {
    const size_t wanted = std::min(kMaxText, text.size() << (kind & 7) << 2);
    while (text.size() < wanted) text += std::string(text);
    text.resize(std::min(wanted, text.size()));
  }
  return text;
}

// Strings over a private copy of a text.
struct Strings {
  Bytes data;
  Exact<int32_t> offsets;
  StringSpan span;

  // Reads the offsets without clamping; they must be valid. For oracles.
  template <class F>
  void for_each(F&& f) const {
    for (int64_t i = 0; i < span.size(); ++i) {
      f(std::string_view(reinterpret_cast<const char*>(data.data()) + offsets[i],
                         static_cast<size_t>(offsets[i + 1] - offsets[i])));
    }
  }
  std::vector<std::string> values() const {
    std::vector<std::string> all;
    for_each([&](std::string_view text) { all.emplace_back(text); });
    return all;
  }

  Strings copy() const {
    Strings s{Bytes(data.copy()), Exact<int32_t>(offsets.copy()), span};
    s.span.data = s.data.data();
    s.span.offsets = s.offsets.data();
    return s;
  }

  // Simulates a concurrent write after the arguments were checked.
  void damage(Input& in) {
    for (int64_t i = 1 + in.below(6); i > 0 && offsets.size() > 0; --i) {
      offsets[in.below(offsets.size())] = in.any<int32_t>();
    }
    for (int64_t i = in.below(4); i > 0 && data.size() > 0; --i) data[in.below(data.size())] = in.byte();
  }
};

inline int64_t take_count(Input& in, int64_t max_cols = 40) {
  const int64_t rows = in.below(5);
  return rows * (in.byte() < 224 ? in.below(10) : in.below(max_cols));
}

// Offsets of every valid layout: rows that are contiguous, leave gaps, overlap, or are at any position; and malformed
// offsets.
inline Exact<int32_t> take_offsets(Input& in, int64_t num_bytes, int64_t rows, int64_t cols) {
  Exact<int32_t> offsets(rows * (cols + 1));
  const uint8_t layout = in.byte();
  if (layout >= 0xF8) {
    for (int64_t i = 0; i < offsets.size(); ++i) offsets[i] = in.any<int32_t>();
    return offsets;
  }
  // A few lengths, repeated, so that a short input makes many strings.
  std::array<int64_t, 16> lengths{};
  const int64_t period = 1 + in.below(16);
  const int64_t scale = layout & 8 ? 1 + num_bytes / (1 + rows * cols) : 1;
  for (int64_t i = 0; i < period; ++i) {
    const uint8_t n = in.byte();
    lengths[static_cast<size_t>(i)] = (n < 224 ? n % 14 : n) * scale / (scale > 1 ? 7 : 1);
  }
  int64_t at = 0, next = 0;
  for (int64_t r = 0; r < rows; ++r) {
    if (layout % 4 == 1) at = std::min(num_bytes, at + in.below(4));
    if (layout % 4 == 2) at = in.below(num_bytes + 1);
    if (layout % 4 == 3) at = std::max<int64_t>(at - in.below(8), 0);
    offsets[r * (cols + 1)] = static_cast<int32_t>(at);
    for (int64_t c = 1; c <= cols; ++c) {
      at = std::min(num_bytes, at + lengths[static_cast<size_t>(next++ % period)]);
      if (layout & 16 && c == cols && r + 1 == rows) at = num_bytes;
      offsets[r * (cols + 1) + c] = static_cast<int32_t>(at);
    }
  }
  return offsets;
}

// Strings of any offsets. `trusted` says whether the validator (find_bad_offset) accepts them.
struct Arguments {
  Strings strings;
  bool trusted;
};

inline Arguments take_strings(Input& in, std::string_view text, int64_t count) {
  const auto num_bytes = static_cast<int64_t>(text.size());
  Strings s{bytes_of(text), take_offsets(in, num_bytes, 1, count), {}};
  s.span = {s.data.data(), num_bytes, s.offsets.data(), count};
  const bool trusted = !find_bad_offset({s.data.data(), num_bytes, s.offsets.data(), 1, count, count + 1});
  return {std::move(s), trusted};
}

// The usual argument: its text is the rest of the input.
inline Arguments take_strings(Input& in, std::string_view more = {}) {
  const int64_t count = take_count(in);
  // The last 24 bytes are reserved for the numbers of the offsets.
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24, more);
  return take_strings(in, text, count);
}

// Whether a kernel's offsets are compact: contiguous rows from 0 to num_bytes, non-decreasing.
inline bool is_compact(const Exact<int32_t>& offsets, int64_t rows, int64_t cols, int64_t num_bytes) {
  int64_t at = 0;
  for (int64_t r = 0; r < rows; ++r) {
    if (offsets[r * (cols + 1)] != at) return false;
    for (int64_t c = 1; c <= cols; ++c) {
      const int64_t next = offsets[r * (cols + 1) + c];
      if (next < at) return false;
      at = next;
    }
  }
  return at == num_bytes;
}

}  // namespace stringops::fuzz
