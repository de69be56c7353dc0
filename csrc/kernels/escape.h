// Bytes written as text of few characters, and back: base64 (RFC 4648), and percent-encoding of URLs (RFC 3986).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/hex_digit.h"
#include "core/string_span.h"
#include "driver/map.h"

namespace stringops::kernels {

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

// The bytes in base64, padded with "=" to a multiple of four characters.
struct Base64 {
  using Driver = StringMap;
  static constexpr Cost kCost{6, 0.2};

  std::string_view alphabet;  // kBase64 or kBase64Url

  int64_t size(StringView in) const { return (in.size() + 2) / 3 * 4; }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const char* const characters = alphabet.data();
    const auto write_group = [&](uint32_t bits) {
      for (int i = 0; i < 4; ++i) *out++ = static_cast<uint8_t>(characters[bits >> (18 - 6 * i) & 63]);
    };
    const uint8_t* p = in.begin;
    for (; in.end - p >= 3 && out_end - out >= 4; p += 3) {
      write_group(uint32_t{p[0]} << 16 | uint32_t{p[1]} << 8 | p[2]);
    }
    if (p == in.end || out_end - out < 4) return out;
    const bool has_two = in.end - p == 2;
    write_group(uint32_t{p[0]} << 16 | (has_two ? uint32_t{p[1]} << 8 : 0));
    out[-1] = '=';
    if (!has_two) out[-2] = '=';
    return out;
  }
};

// The bytes that base64 stands for. Other strings set `failed`: with characters that are not of the alphabet, with
// other padding, or with a last character of which bits are left over. The alphabet for URLs is also read without
// padding.
struct Unbase64 {
  using Driver = StringMap;
  static constexpr Cost kCost{6, 1};

  const std::array<uint8_t, 256>& sextets;  // kSextets or kUrlSextets
  bool needs_padding;
  std::atomic<bool>& failed;

  int64_t size(StringView in) const { return num_characters(in) * 3 / 4; }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    bool wrong = false;
    uint8_t* const end = decode(in, out, out_end, &wrong);
    if (wrong) failed = true;
    return end;
  }

  bool is_wrong(StringView in) const {
    bool wrong = false;
    uint8_t group[3];
    StringView part = in;
    for (; part.size() > 4; part.begin += 4) wrong |= read_group(part.begin) > kMaxGroup;
    decode(part, group, group + 3, &wrong);
    return wrong || has_wrong_size(in);
  }

 private:
  static constexpr uint32_t kMaxGroup = (1 << 24) - 1;

  // The number of characters before the padding.
  static int64_t num_characters(StringView in) {
    int64_t count = in.size();
    for (int i = 0; i < 2 && count > 0 && in.begin[count - 1] == '='; ++i) --count;
    return count;
  }

  bool has_wrong_size(StringView in) const {
    const bool is_padded = num_characters(in) < in.size();
    return in.size() % 4 == 1 || (in.size() % 4 != 0 && (is_padded || needs_padding));
  }

  // Returns the 24 bits of four characters, or more than kMaxGroup if one is not of the alphabet.
  uint32_t read_group(const uint8_t* p) const {
    const uint32_t a = sextets[p[0]], b = sextets[p[1]], c = sextets[p[2]], d = sextets[p[3]];
    return ((a | b | c | d) & kNoSextet) << 18 | a << 18 | b << 12 | c << 6 | d;
  }

  uint8_t* decode(StringView in, uint8_t* out, uint8_t* out_end, bool* wrong) const {
    uint32_t all = 0;
    const uint8_t* p = in.begin;
    const uint8_t* const end = p + num_characters(in);
    for (; end - p >= 4 && out_end - out >= 3; p += 4, out += 3) {
      const uint32_t bits = read_group(p);
      all |= bits;
      out[0] = static_cast<uint8_t>(bits >> 16);
      out[1] = static_cast<uint8_t>(bits >> 8);
      out[2] = static_cast<uint8_t>(bits);
    }
    if (const int64_t rest = end - p; rest == 2 || rest == 3) {
      uint8_t group[4] = {p[0], p[1], uint8_t{'A'}, uint8_t{'A'}};  // 'A' stands for 0
      if (rest == 3) group[2] = p[2];
      const uint32_t bits = read_group(group);
      all |= bits;
      *wrong |= (bits & (rest == 2 ? 0xFFFF : 0xFF)) != 0;
      for (int64_t i = 0; i + 1 < rest && out < out_end; ++i) *out++ = static_cast<uint8_t>(bits >> (16 - 8 * i));
    }
    *wrong |= all > kMaxGroup || has_wrong_size(in);
    return out;
  }
};

// Each byte that is not kept as "%" and two hexadecimal digits, in upper case.
class UrlQuote {
 public:
  using Driver = StringMap;
  static constexpr Cost kCost{6, 1.5};

  // Letters, digits and "_.-~" are kept, as are the characters of `safe`.
  explicit UrlQuote(std::string_view safe) {
    constexpr std::string_view kKept = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~";
    more_.fill(2);
    for (const std::string_view kept : {kKept, safe}) {
      for (const char c : kept) more_[static_cast<uint8_t>(c)] = 0;
    }
  }

  int64_t size(StringView in) const {
    int64_t size = in.size();
    for (const uint8_t* p = in.begin; p < in.end; ++p) size += more_[*p];
    return size;
  }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    constexpr char kDigits[] = "0123456789ABCDEF";
    for (const uint8_t* p = in.begin; p < in.end && out < out_end; ++p) {
      const uint8_t byte = *p;
      if (more_[byte] == 0) {
        *out++ = byte;
        continue;
      }
      if (out_end - out < 3) break;
      out[0] = '%';
      out[1] = static_cast<uint8_t>(kDigits[byte >> 4]);
      out[2] = static_cast<uint8_t>(kDigits[byte & 15]);
      out += 3;
    }
    return out;
  }

 private:
  std::array<uint8_t, 256> more_;  // the bytes that are written in addition to each byte
};

// The bytes that "%" and two hexadecimal digits stand for; others stay as they are.
struct UrlUnquote {
  using Driver = StringMap;
  static constexpr Cost kCost{6, 0.3};

  int64_t size(StringView in) const {
    int64_t size = in.size();
    for_each_escape(in, [&](const uint8_t*, uint8_t) { size -= 2; });
    return size;
  }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const uint8_t* from = in.begin;
    const auto copy_to = [&](const uint8_t* end) {
      const auto count = std::min(end - from, out_end - out);
      if (count > 0) std::memcpy(out, from, static_cast<size_t>(count));
      out += count;
    };
    for_each_escape(in, [&](const uint8_t* at, uint8_t byte) {
      copy_to(at);
      if (out < out_end) *out++ = byte;
      from = at + 3;
    });
    copy_to(in.end);
    return out;
  }

 private:
  // Calls f(at, byte) for each "%" with two digits after it.
  template <class F>
  static void for_each_escape(StringView in, F&& f) {
    for (const uint8_t* p = in.begin; in.end - p >= 3; ++p) {
      p = static_cast<const uint8_t*>(std::memchr(p, '%', static_cast<size_t>(in.end - p - 2)));
      if (!p) return;
      const uint8_t high = hex_digit(p[1]), low = hex_digit(p[2]);
      if (((high | low) & kNoDigit) != 0) continue;
      f(p, static_cast<uint8_t>(high << 4 | low));
      p += 2;
    }
  }
};

}  // namespace stringops::kernels
