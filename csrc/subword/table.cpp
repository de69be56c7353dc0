#include "subword/table.h"

namespace stringops::subword {
namespace {

bool is_power_of_two(uint64_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

template <class T>
void copy(const Array<T>& from, std::vector<T>& to) {
  to.reserve(from.size);
  for (uint64_t i = 0; i < from.size; ++i) to.push_back(from[i]);
}

bool is_trie(const Array<PieceTrie::Unit>& units) {
  return units.size >= 1 && units.size <= PieceTrie::kMaxUnits;
}

// Same as above of a trie that there is if it has units.
bool open_trie(const Array<PieceTrie::Unit>& units, std::optional<PieceTrie>& trie) {
  if (units.size > 0) trie.emplace(units.at, units.size);
  return units.size == 0 || is_trie(units);
}

}  // namespace

WordIds Table::find_short(uint64_t low, uint64_t high) const {
  const uint64_t mask = short_words.size - 1;
  uint64_t i = word_hash(low, high, header.seed) & ~uint64_t{1};
  for (uint64_t step = 0; step < kMaxProbes; ++step, ++i) {
    const WordIds slot = short_words.unchecked(i & mask);
    if (slot.high == high && slot.low == low) return slot;
    if (slot.high == 0) break;
  }
  return {};
}

WordIds Table::find_long(const uint8_t* word, int64_t n) const {
  if (n > header.max_word) return {};
  const uint64_t hash = seeded_hash(word, n, header.seed.low) | 1, mask = long_words.size - 1;
  uint64_t i = hash >> 32;
  for (uint64_t step = 0; step < kMaxProbes; ++step, ++i) {
    const WordIds slot = long_words.unchecked(i & mask);
    if (slot.low == 0) break;
    const uint64_t begin = slot.high >> 32, size = slot.high & 0xFFFFFFFF;
    if (slot.low != hash || size != static_cast<uint64_t>(n)) continue;
    if (size > word_texts.size || begin > word_texts.size - size) continue;
    if (std::memcmp(word_texts.at + begin, word, size) == 0) return slot;
  }
  return {};
}

std::optional<Table> open_table(const uint8_t* bytes, int64_t num_bytes) {
  const auto size = static_cast<uint64_t>(num_bytes);
  if (size < sizeof(TableHeader)) return std::nullopt;
  std::optional<Table> opened(std::in_place);
  Table& table = *opened;
  TableHeader& header = table.header;
  std::memcpy(&header, bytes, sizeof(header));
  if (header.magic != TableHeader::kMagic || header.num_bytes != size) return std::nullopt;
  bool valid = true;
  const auto open = [&](SectionId id, auto& array) {
    using T = std::decay_t<decltype(array[0])>;
    const Section section = header.sections[static_cast<size_t>(id)];
    valid &= section.begin <= size && section.num_bytes <= size - section.begin && section.num_bytes % sizeof(T) == 0;
    array = {bytes + (valid ? section.begin : 0), valid ? section.num_bytes / sizeof(T) : 0};
  };
  Array<Step> steps;
  Array<uint32_t> ids;
  open(kSteps, steps);
  open(kTemplate, ids);
  open(kByteIds, table.byte_ids);
  Array<uint64_t> pairs;
  Array<uint16_t> pilots;
  open(kPairs, pairs);
  open(kPairPilots, pilots);
  open(kMade, table.made);
  open(kShortWords, table.short_words);
  open(kLongWords, table.long_words);
  open(kWordTexts, table.word_texts);
  Array<PieceTrie::Unit> raw, normal;
  open(kRawTrie, raw);
  open(kNormalTrie, normal);
  open(kAdded, table.added);
  open(kTokenEnds, table.texts.ends);
  open(kTokenTexts, table.texts.bytes);
  open(kIdFlags, table.id_flags);
  open(kFirstEnds, table.first_texts.ends);
  open(kFirstTexts, table.first_texts.bytes);
  Array<WordPieceRecord> wordpieces;
  Array<UnigramRecord> unigrams;
  Array<double> scores;
  Array<PieceTrie::Unit> units;
  open(kWordPiece, wordpieces);
  open(kPieceTrie, units);
  TokenTexts step_texts;
  Array<PairItem> pair;
  open(kPairTemplate, pair);
  Array<DecodeRecord> decodes;
  Array<CharacterRecord> characters;
  Array<uint64_t> symbols;
  Array<uint32_t> fallback_ids;
  open(kStepEnds, step_texts.ends);
  open(kStepTexts, step_texts.bytes);
  open(kLastEnds, table.last_texts.ends);
  open(kLastTexts, table.last_texts.bytes);
  open(kDecode, decodes);
  open(kCharacters, characters);
  open(kSymbols, symbols);
  open(kFallbackIds, fallback_ids);
  valid = valid && pair.size <= kMaxTemplate && step_texts.ends.size <= 2 * kMaxSteps;
  if (characters.size == 1) valid = valid && is_power_of_two(symbols.size) && fallback_ids.size == 256;
  open(kUnigram, unigrams);
  open(kScores, scores);
  Array<uint8_t> piece_flags, charsmap;
  Array<PieceTrie::Unit> frozen_units;
  open(kPieceFlags, piece_flags);
  open(kFrozenTrie, frozen_units);
  open(kCharsmap, charsmap);
  TokenTexts patterns;
  open(kPatternEnds, patterns.ends);
  open(kPatternTexts, patterns.bytes);
  valid = valid && patterns.ends.size <= kMaxSteps;
  Array<uint32_t> ranks;
  open(kRanks, ranks);
  Array<uint32_t> blank_runs;
  open(kBlankRuns, blank_runs);
  valid = valid && steps.size <= kMaxSteps && ids.size <= kMaxTemplate && header.before <= ids.size;
  valid = valid && is_power_of_two(table.short_words.size) && table.short_words.size > 1 &&
          is_power_of_two(table.long_words.size);
  const bool has_trie = wordpieces.size == 1 || unigrams.size == 1;
  if (has_trie) {
    valid = valid && (wordpieces.size == 1 || table.byte_ids.size == 256);
    valid = valid && is_trie(units);
  } else {
    valid = valid && table.byte_ids.size == 256;
    // A hash selects one of each.
    valid = valid && pairs.size > 0 && pairs.size <= UINT32_MAX && pilots.size > 0 && pilots.size <= UINT32_MAX;
    table.blank_runs = BlankRuns(blank_runs);
    table.pairs = PairTable(pairs.at, pairs.size, pilots.at, pilots.size, header.seed);
  }
  if (!valid) return std::nullopt;
  table.normalizer.charsmap = Charsmap({charsmap.at, charsmap.at + charsmap.size});
  if (!open_trie(frozen_units, table.normalizer.frozen) || !open_trie(raw, table.raw) ||
      !open_trie(normal, table.normal)) {
    return std::nullopt;
  }
  if (has_trie) {
    const PieceTrie trie(units.at, units.size);
    if (wordpieces.size == 1) {
      table.wordpiece.emplace(trie, wordpieces[0]);
    } else if (piece_flags.size > 0) {
      table.concatenation.emplace(
          trie, table.normalizer.frozen,
          ConcatenationBpe::Parts{ranks, piece_flags.at, piece_flags.size, table.byte_ids.at, unigrams[0].unknown_id});
    } else {
      table.unigram.emplace(trie, scores.at, scores.size, table.byte_ids.at, unigrams[0]);
    }
  }
  if (characters.size == 1) {
    CharacterRecord record = characters[0];
    if (record.unknown_id != kNone) record.unknown_id &= kMaxSymbol;
    table.characters.emplace(record, symbols, fallback_ids);
  }
  if (decodes.size == 1) table.decode = decodes[0];
  copy(steps, table.steps);
  for (uint64_t i = 0; i < step_texts.ends.size; ++i) {
    const StringView text = step_texts[static_cast<int64_t>(i)];
    if (text.size() > static_cast<int64_t>(kMaxStepText)) return std::nullopt;
    table.step_texts.emplace_back(reinterpret_cast<const char*>(text.begin), static_cast<size_t>(text.size()));
  }
  for (uint64_t i = 0; i < patterns.ends.size; ++i) {
    const StringView text = patterns[static_cast<int64_t>(i)];
    const std::string copy(text.begin, text.end);
    try {
      table.patterns.push_back(Pattern::compile(copy, MatchRule::kFirst));
    } catch (const PatternError&) {
      return std::nullopt;
    }
  }
  if (!are_valid(table.steps, table.step_texts, table.patterns.size())) return std::nullopt;
  copy(ids, table.template_ids);
  copy(pair, table.pair);
  if (!has_both(table.pair)) return std::nullopt;
  return opened;
}

}  // namespace stringops::subword
