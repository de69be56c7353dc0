// Base64 of RFC 4648: its two alphabets, and the six bits of their characters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stringops {

inline constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
// The alphabet for URLs and names of files.
inline constexpr std::string_view kBase64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr uint8_t kNoSextet = 64;

// Returns the six bits of each character of an alphabet, and kNoSextet for other bytes.
constexpr std::array<uint8_t, 256> make_sextets(std::string_view alphabet) {
  std::array<uint8_t, 256> sextets{};
  for (uint8_t& sextet : sextets) sextet = kNoSextet;
  for (size_t i = 0; i < alphabet.size(); ++i) sextets[static_cast<uint8_t>(alphabet[i])] = static_cast<uint8_t>(i);
  return sextets;
}
inline constexpr std::array<uint8_t, 256> kSextets = make_sextets(kBase64);
inline constexpr std::array<uint8_t, 256> kUrlSextets = make_sextets(kBase64Url);

}  // namespace stringops
