// CRC-32 as of zlib, gzip and PNG (ISO 3309), eight bytes at a time.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace stringops {

// The remainder of x times a polynomial. The order of bits is reversed.
constexpr uint32_t crc32_times_x(uint32_t rest) {
  constexpr uint32_t kPolynomial = 0xEDB88320;  // without its highest bit
  return (rest & 1) != 0 ? rest >> 1 ^ kPolynomial : rest >> 1;
}

// Table k has the remainder of each byte that k zero bytes follow.
constexpr std::array<std::array<uint32_t, 256>, 8> make_crc32_tables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = crc32_times_x(rest);
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

// The remainder after n more bytes. That of a string begins with ~0, and its CRC-32 is ~ of the last one.
inline uint32_t update_crc32(uint32_t crc, const uint8_t* bytes, int64_t n) {
  const auto& tables = kCrc32Tables;
  for (; n >= 8; bytes += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][word >> (8 * k) & 255];
  }
  for (; n > 0; ++bytes, --n) crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 255];
  return crc;
}

}  // namespace stringops
