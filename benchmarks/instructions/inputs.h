// Small inputs that are the same on every machine: drawn from a fixed seed, with integer arithmetic only.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_span.h"

namespace stringops::instructions {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }
  bool one_in(size_t n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

// Strings as the operators take them.
struct Strings {
  std::string data;
  std::vector<int32_t> offsets{0};

  void add(std::string_view text) {
    data += text;
    offsets.push_back(static_cast<int32_t>(data.size()));
  }
  StringSpan span() const {
    return {reinterpret_cast<const uint8_t*>(data.data()), static_cast<int64_t>(data.size()), offsets.data(), 1,
            static_cast<int64_t>(offsets.size()) - 1};
  }
};

// The characters of words: ASCII letters, or letters of several scripts.
using Script = std::vector<std::string>;
inline const std::vector<Script> kAscii = {{"e", "t", "a", "o", "i", "n", "s", "r", "h", "l", "d", "c", "u", "m", "7"}};
inline const std::vector<Script> kWorld = {{"а", "е", "и", "о", "н", "т", "с", "р"},
                                           {"日", "本", "語", "文", "字", "東", "京"},
                                           {"す", "る", "の", "カ", "タ", "ナ"},
                                           {"é", "e", "ü", "n", "ç", "a", "o"},
                                           {"🙂", "🚀", "🎉"}};

// Distinct words of 1 to 14 characters; some exceed the 11 bytes that a slot of a table holds.
inline std::vector<std::string> make_vocabulary(size_t size, const std::vector<Script>& scripts, Random random) {
  std::vector<std::string> words;
  std::set<std::string> seen;
  while (words.size() < size) {
    const Script& script = scripts[random.below(scripts.size())];
    std::string word;
    for (size_t n = 1 + random.below(7) + random.below(8); n > 0; --n) word += script[random.below(script.size())];
    if (seen.insert(word).second) words.push_back(word);
  }
  return words;
}

// Draws a word with a distribution similar to Zipf's law: each doubling of the rank has the same probability.
inline const std::string& draw(const std::vector<std::string>& words, Random& random) {
  size_t doublings = 0;
  while (size_t{2} << doublings <= words.size()) ++doublings;
  return words[random.below(size_t{1} << random.below(doublings + 1))];
}

inline std::vector<std::string> ascii_words() {
  return make_vocabulary(1024, kAscii, Random(1));
}
inline std::vector<std::string> world_words() {
  return make_vocabulary(1024, kWorld, Random(2));
}

// Strings of 2 to 20 words separated by spaces, num_bytes in total.
inline Strings make_text(const std::vector<std::string>& words, const std::vector<std::string>& spaces,
                         size_t num_bytes) {
  Strings text;
  Random random(3);
  while (text.data.size() < num_bytes) {
    std::string row = draw(words, random);
    for (size_t n = 1 + random.below(19); n > 0; --n) row += spaces[random.below(spaces.size())] + draw(words, random);
    text.add(row);
  }
  return text;
}

constexpr size_t kTextBytes = 64 * 1024;

inline Strings ascii_text() {
  return make_text(ascii_words(), {" "}, kTextBytes);
}
inline Strings world_text() {
  return make_text(world_words(), {" ", " ", " ", " ", "\u3000", "\u2003", "\u00a0"}, kTextBytes);
}

// The same bytes as one string.
inline Strings log_text() {
  const Strings rows = make_text(ascii_words(), {" ", " ", " ", " ", ": ", "\t", "\n"}, kTextBytes);
  Strings one;
  one.add(rows.data);
  return one;
}

// Lines of 20 fields, 5 % of them empty.
inline Strings make_fields(std::string_view delimiter) {
  const std::vector<std::string> words = ascii_words();
  Strings lines;
  Random random(4);
  while (lines.data.size() < kTextBytes) {
    std::string line;
    for (int field = 0; field < 20; ++field) {
      if (field > 0) line += delimiter;
      if (!random.one_in(20)) line += draw(words, random);
    }
    lines.add(line);
  }
  return lines;
}

// The vocabulary, and words drawn from it or (one in 16) from another one.
inline Strings vocabulary() {
  Strings all;
  for (const std::string& word : ascii_words()) all.add(word);
  return all;
}
inline Strings drawn_words(size_t count = 8192) {
  const std::vector<std::string> known = ascii_words(), others = world_words();
  Strings drawn;
  Random random(5);
  while (drawn.offsets.size() <= count) drawn.add(draw(random.one_in(16) ? others : known, random));
  return drawn;
}

}  // namespace stringops::instructions
