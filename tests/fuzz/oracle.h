// Oracles that several targets share: slow implementations that are independent of the kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/whitespace.h"
#include "kernels/split.h"

namespace stringops::fuzz {

// The length of the code point at `at`: decodes it, and checks that it is a scalar value in its shortest encoding. Else
// 0.
inline size_t codepoint_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  const uint32_t lead = byte(at);
  if (lead < 0x80) return 1;
  const size_t length = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (length == 0 || at + length > text.size()) return 0;
  uint32_t value = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (byte(at + i) >> 6 != 2) return 0;
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < kLeast[length] || surrogate || value > 0x10FFFF ? 0 : length;
}

// The position of the first byte that is not part of a code point.
inline std::optional<int64_t> invalid_utf8_at(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = codepoint_at(text, at);
    if (length == 0) return static_cast<int64_t>(at);
    at += length;
  }
  return std::nullopt;
}

// The result of a ragged operator: all pieces, one after the other, and row splits.
struct Pieces {
  std::string data;
  std::vector<int32_t> offsets{0};
  std::vector<int64_t> splits{0};

  void add(std::string_view piece) {
    data += piece;
    offsets.push_back(static_cast<int32_t>(data.size()));
  }
  void end_row() { splits.push_back(static_cast<int64_t>(offsets.size()) - 1); }

  std::string_view piece(int64_t j) const {
    const auto begin = static_cast<size_t>(offsets[static_cast<size_t>(j)]);
    return std::string_view(data).substr(begin, static_cast<size_t>(offsets[static_cast<size_t>(j) + 1]) - begin);
  }
  int64_t size() const { return splits.back(); }
  int64_t rows() const { return static_cast<int64_t>(splits.size()) - 1; }

  bool operator==(const Pieces& o) const { return data == o.data && offsets == o.offsets && splits == o.splits; }
};

// The rules of ONNX StringSplit-20 on one string, following the text of the specification.
inline void split_one(std::string_view text, const kernels::Splitter& by, Pieces* pieces) {
  int64_t cuts = 0;
  const auto limit = [&] { return by.maxsplit >= 0 && cuts == by.maxsplit; };
  const auto add = [&](std::string_view piece) {
    if (!piece.empty() || !by.skip_empty) pieces->add(piece);
  };
  if (!by.whitespace()) {
    if (text.empty() && by.onnxruntime) return pieces->end_row();
    size_t at = 0;
    for (size_t found; !limit() && (found = text.find(by.delimiter, at)) != std::string_view::npos;
         at = found + by.delimiter.size(), ++cuts) {
      add(text.substr(at, found - at));
    }
    add(text.substr(at));
    return pieces->end_row();
  }
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto space_at = [&](size_t i) -> size_t {
    if (by.onnxruntime) return text[i] == ' ';
    return static_cast<size_t>(whitespace_length(bytes + i, bytes + text.size()));
  };
  for (size_t i = 0; i < text.size();) {
    if (const size_t space = space_at(i)) {
      i += space;
      continue;
    }
    size_t end = i;
    if (limit()) {
      end = text.size();
      while (by.onnxruntime && text[end - 1] == ' ') --end;
      pieces->add(text.substr(i, end - i));
      break;
    }
    while (end < text.size() && !space_at(end)) ++end;
    pieces->add(text.substr(i, end - i));
    ++cuts;
    i = end;
  }
  pieces->end_row();
}

}  // namespace stringops::fuzz
