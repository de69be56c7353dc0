// CRC-32 as of zlib, gzip and PNG (ISO 3309), eight bytes at a time.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/string_span.h"

namespace stringops {

// Table k has the remainder of each byte that k zero bytes follow.
constexpr std::array<std::array<uint32_t, 256>, 8> make_crc32_tables() {
  constexpr uint32_t kPolynomial = 0xEDB88320;  // its bits in reverse order, without the highest one
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? rest >> 1 ^ kPolynomial : rest >> 1;
    tables[0][byte] = rest;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t rest = tables[k - 1][byte];
      tables[k][byte] = rest >> 8 ^ tables[0][rest & 255];
    }
  }
  return tables;
}
inline constexpr std::array<std::array<uint32_t, 256>, 8> kCrc32Tables = make_crc32_tables();

inline uint32_t crc32(StringView in) {
  const auto& tables = kCrc32Tables;
  uint32_t crc = ~uint32_t{0};
  const uint8_t* p = in.begin;
  for (; in.end - p >= 8; p += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    bytes ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][bytes >> (8 * k) & 255];
  }
  for (; p < in.end; ++p) crc = crc >> 8 ^ tables[0][(crc ^ *p) & 255];
  return ~crc;
}

}  // namespace stringops
