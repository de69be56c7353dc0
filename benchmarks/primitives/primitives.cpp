// Runs primitives of csrc/simd on fixed inputs, so that their instructions can be counted.
//
//   primitives                      prints the name of each case, and the bytes or items that it handles
//   primitives NAME TIER REPEATS    runs one REPEATS times
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../instructions/inputs.h"
#include "core/bits.h"
#include "simd/primitives.h"

namespace {

using namespace stringops;
using namespace stringops::instructions;

const simd::Primitives& p() {
  return simd::primitives();
}

struct Case {
  const char* name;
  int64_t units;  // of work: bytes, or items
  const char* unit;
  std::function<void()> run;
};

struct Text {
  explicit Text(Strings from) : strings(std::move(from)), n(static_cast<int64_t>(strings.data.size())) {
    strings.data.append(64, ' ');  // as in the package's blocks, 64 bytes may be read after the end
    words.resize(static_cast<size_t>(words_for(n)) + 2);
    ends.resize(words.size());
    row_starts.resize(words.size());
    for (const int32_t offset : strings.offsets) set_bit(row_starts.data(), offset);
  }
  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(strings.data.data()); }
  int64_t size() const { return static_cast<int64_t>(strings.offsets.size()) - 1; }
  int64_t num_words() const { return words_for(n); }

  // The pieces between the bytes whose bits `separators` has.
  void end_words(const std::vector<uint64_t>& separators) {
    p().end_words(separators.data(), row_starts.data(), num_words(), words.data(), ends.data());
    words.back() = 0;
  }

  Strings strings;
  int64_t n;
  std::vector<uint64_t> words, ends, row_starts;
};

// Words of a batch, and a table of slots, most of which no word finds: as many steps as for a table that has them.
struct Lookup {
  explicit Lookup(const Strings& words) : text(words) {
    for (size_t j = 0; j < WordKeys::kMaxWords; ++j) {
      begins[j] = static_cast<uint32_t>(words.offsets[j]);
      sizes[j] = static_cast<uint32_t>(words.offsets[j + 1]) - begins[j];
    }
    table = {slots.data(), pilots.data(), pilots.size(), slots.size() / 32};
  }
  Text text;
  uint32_t begins[WordKeys::kMaxWords], sizes[WordKeys::kMaxWords];
  WordKeys keys{};
  std::vector<uint8_t> slots = std::vector<uint8_t>(32 * 2048), pilots = std::vector<uint8_t>(512);
  simd::PilotedSlots table;
  simd::LongWords longs;
  int64_t ids[WordKeys::kMaxWords];

  void load() {
    const auto last = static_cast<uint32_t>(text.n - kKeyBytes);
    p().load_word_keys(text.data(), last, begins, sizes, WordKeys::kMaxWords, simd::WordSeeds({3, 5}), kAllHomes, keys,
                       &longs);
  }
};

// Words of more than kInlineBytes and at most kMediumBytes.
Strings long_words() {
  Strings words;
  for (const std::string& word : ascii_words()) words.add((word + "-and-longer").substr(0, 20));
  return words;
}

// Texts of 12 units, and patterns of up to 16: as in edit distances of words.
struct Distances {
  static constexpr int64_t kTexts = 64, kTextSize = 12;

  Distances() {
    for (size_t i = 0; i < masks.size(); ++i) masks[i] = i * 0x9E3779B97F4A7C15;
    for (size_t j = 0; j < rows.size(); ++j) rows[j] = static_cast<uint16_t>(j % 20);
    for (int64_t t = 0; t < kTexts; ++t) {
      begins[t] = t * kTextSize;
      ends[t] = begins[t] + kTextSize;
    }
  }
  // rows[-8, 0) are read by distance_strip.
  simd::PatternLanes patterns() const { return {masks.data(), masks.data(), 2}; }
  simd::TextRows texts() const { return {rows.data() + 8, begins, ends}; }
  simd::DistanceStrip strip() { return {masks.data(), up, down, simd::DistanceStrip::kWords}; }

  std::vector<uint64_t> masks = std::vector<uint64_t>(20 * 8);
  std::vector<uint16_t> rows = std::vector<uint16_t>(16 + kTexts * kTextSize);
  int64_t begins[kTexts], ends[kTexts];
  uint64_t up[simd::DistanceStrip::kWords] = {}, down[simd::DistanceStrip::kWords] = {};
  std::vector<uint8_t> edges = std::vector<uint8_t>(kTexts * kTextSize);
  std::vector<int8_t> numbers = std::vector<int8_t>(2 * kTexts * 64);
};

std::vector<Case> make_cases() {
  static Text ascii(ascii_text()), world(world_text()), log(log_text()), fields(make_fields(","));
  static std::vector<uint8_t> out(ascii.strings.data.size() * 2 + 1024);
  static std::vector<int32_t> numbers(out.size()), more(out.size());
  static std::vector<uint64_t> mask(ascii.words.size() + 4096), longs(ascii.words.size() + 4096);
  static std::vector<uint64_t> spaces(ascii.words.size()), commas(fields.words.size());
  static const simd::ByteAt bytes[3] = {{0, 't'}, {1, 'h'}, {2, 'e'}};
  static simd::PrefixSet prefixes;
  prefixes.num_bytes = 3;
  prefixes.add(reinterpret_cast<const uint8_t*>("the"), 0);
  static CharSet letters, all;
  letters.add('a', 'z');
  all.add(0, 127);
  p().find_whitespace(ascii.data(), ascii.n, spaces.data());
  p().find_byte(fields.data(), fields.n, ',', commas.data());
  static Text words = ascii, lines = fields, characters = world;
  words.end_words(spaces);
  p().end_fields(commas.data(), commas.data(), lines.row_starts.data(), lines.num_words(), lines.words.data(),
                 lines.ends.data());
  std::fill(characters.words.begin(), characters.words.end(), ~uint64_t{0});
  p().find_codepoint_ends(characters.data(), characters.n, characters.ends.data());
  static Text singles(drawn_words(4096));
  static Lookup shorts(drawn_words()), medium(long_words());
  shorts.load();
  medium.load();
  static Distances distances;
  static bool results[1 << 16];
  static int8_t orders[1 << 16];
  static uint64_t hashes[1 << 16];
  static std::vector<int32_t> counts(static_cast<size_t>(ascii.size())), padded(22 * counts.size());
  for (size_t row = 0; row < counts.size(); ++row) counts[row] = static_cast<int32_t>(row * 9 + row % 7);

  const auto run_of = [](const Text& text) {
    return simd::StringRun{text.data(), text.n, text.strings.offsets.data(), text.strings.offsets.data() + 1, false};
  };
  const auto write = [](const Text& text) {
    p().write_pieces({text.data(), text.words.data(), text.ends.data(), text.n, 0, out.data(), out.data() + out.size(),
                      numbers.data(), numbers.data() + numbers.size()});
  };
  const auto cut = [](const Text& text, bool at_whitespace, uint8_t delimiter) {
    const simd::LimitedCuts cuts{text.data(),   text.n + 64, text.strings.offsets.data() + 1, text.size(), 1,
                                 at_whitespace, delimiter};
    const simd::PieceRoom room{0, out.data(), out.data() + out.size(), numbers.data(), numbers.data() + numbers.size()};
    p().cut_limited(cuts, &room, more.data());
  };
  const int64_t a = ascii.n, w = world.n, k = WordKeys::kMaxWords, s = singles.size();
  constexpr int64_t kTexts = Distances::kTexts, kUnits = kTexts * Distances::kTextSize;
  return {
      {"find_byte", a, "byte", [] { p().find_byte(ascii.data(), ascii.n, ',', mask.data()); }},
      {"find_bytes of 3", a, "byte", [] { p().find_bytes(ascii.data(), ascii.n, ascii.n, bytes, 3, mask.data()); }},
      {"find_prefixes of 3", a, "byte",
       [] { p().find_prefixes(ascii.data(), ascii.n, ascii.n, prefixes, mask.data()); }},
      {"find_set", a, "byte", [] { p().find_set(ascii.data(), ascii.n, letters, mask.data()); }},
      {"count_in_set", a, "byte", [] { p().count_in_set(ascii.data(), ascii.n, all); }},
      {"find_codepoint_ends", w, "byte", [] { p().find_codepoint_ends(world.data(), world.n, mask.data()); }},
      {"find_whitespace, ASCII", a, "byte", [] { p().find_whitespace(ascii.data(), ascii.n, mask.data()); }},
      {"find_whitespace, UTF-8", w, "byte", [] { p().find_whitespace(world.data(), world.n, mask.data()); }},
      {"find_ascii_masks", a, "byte",
       [] {
         for (int64_t i = 0; i + 64 <= ascii.n; i += 64) {
           mask[0] ^= simd::primitives().find_ascii_masks(ascii.data() + i).letters;
         }
       }},
      {"is_utf8, ASCII", a, "byte", [] { p().is_utf8(ascii.data(), ascii.n); }},
      {"is_utf8, UTF-8", w, "byte", [] { p().is_utf8(world.data(), world.n); }},
      {"map_ascii, lower", a, "byte",
       [] { p().map_ascii(ascii.data(), ascii.n, simd::AsciiCase::kLower, out.data()); }},
      {"map_ascii, title", a, "byte",
       [] { p().map_ascii(ascii.data(), ascii.n, simd::AsciiCase::kTitle, out.data()); }},
      {"end_words", a, "byte",
       [] {
         p().end_words(words.words.data(), words.row_starts.data(), words.num_words(), mask.data(), longs.data());
       }},
      {"write_pieces, words", a, "byte", [=] { write(words); }},
      {"write_pieces, fields", fields.n, "byte", [=] { write(lines); }},
      {"write_pieces, characters", w, "byte", [=] { write(characters); }},
      {"cut_limited, words", a, "byte", [=] { cut(ascii, true, 0); }},
      {"cut_limited, fields", fields.n, "byte", [=] { cut(fields, false, ','); }},
      {"count_before", ascii.size(), "position",
       [] {
         p().count_before(spaces.data(), ascii.num_words(), ascii.strings.offsets.data(), ascii.size(), more.data(),
                          numbers.data());
       }},
      {"load_word_keys, short", k, "word", [] { shorts.load(); }},
      {"load_word_keys, long", k, "word", [] { medium.load(); }},
      {"locate_words", k, "word", [] { p().locate_words(shorts.table, shorts.keys, WordKeys::kMaxWords); }},
      {"find_words", k, "word",
       [] { p().find_words(shorts.slots.data(), shorts.keys, WordKeys::kMaxWords, -1, shorts.ids); }},
      {"equal_strings", s, "string",
       [=] { p().equal_strings(run_of(singles), run_of(singles), singles.size(), results); }},
      {"compare_strings", s, "string",
       [=] { p().compare_strings(run_of(singles), run_of(singles), singles.size(), orders); }},
      {"lane_distances", kUnits, "unit of a text",
       [] { p().lane_distances(distances.patterns(), distances.texts(), kTexts, distances.numbers.data(), 64); }},
      {"lane_subsequences", kUnits, "unit of a text",
       [] { p().lane_subsequences(distances.patterns(), distances.texts(), kTexts, distances.numbers.data(), 64); }},
      {"lane_matches", kUnits, "unit of a text",
       [] { p().lane_matches(distances.patterns(), distances.texts(), kTexts, distances.numbers.data(), 64); }},
      {"distance_strip", kUnits, "unit of a text",
       [] { p().distance_strip(distances.strip(), distances.texts().rows, kUnits, distances.edges.data()); }},
      {"has_affix", s, "string",
       [=] { p().has_affix(run_of(singles), singles.size(), {0x6174, 0xFFFF, 2, false}, results); }},
      {"hash_xxh3, words", s, "string", [=] { p().hash_xxh3(run_of(singles), singles.size(), 7, hashes); }},
      {"hash_xxh3, one text", log.n, "byte", [=] { p().hash_xxh3(run_of(log), 1, 7, hashes); }},
      {"pad_rows", ascii.size() * 20, "column",
       [] {
         p().pad_rows(numbers.data(), 0, counts.data(), ascii.size(), 20, 0, padded.data(),
                      padded.data() + padded.size());
       }},
  };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && !stringops_set_simd_tier(argv[2])) return 3;
  for (const Case& c : make_cases()) {
    if (argc == 1) std::printf("%s\t%lld\t%s\n", c.name, static_cast<long long>(c.units), c.unit);
    if (argc != 4 || std::strcmp(c.name, argv[1]) != 0) continue;
    for (int i = std::atoi(argv[3]); i > 0; --i) c.run();
    return 0;
  }
  return argc == 1 ? 0 : 2;
}
