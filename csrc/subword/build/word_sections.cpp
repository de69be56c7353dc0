#include "subword/build/parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "core/prefetch.h"
#include "subword/build/pairs.h"
#include "subword/models/merge.h"
#include "subword/normalize/normalizer.h"
#include "subword/run/text.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// A section that is a hash table of words, of a size that leaves half of the slots empty.
class WordTable {
 public:
  WordTable(Sections& sections, SectionId id, size_t num_words) : id_(id) {
    while (size_ < 2 * num_words) size_ *= 2;
    sections.add_zeros<WordIds>(id, size_);
  }

  // Sets where the table begins that has the section.
  void place(uint8_t* table, const TableHeader& header) { slots_ = table + header.sections[id_].begin; }

  void clear() { std::memset(slots_, 0, size_ * sizeof(WordIds)); }

  void prefetch(uint64_t home) { prefetch_to_write(slot_at(home)); }

  // False if the search for the word would take too many steps.
  bool insert(uint64_t home, const WordIds& word) {
    for (uint64_t step = 0; step < kMaxProbes; ++step) {
      uint8_t* const slot = slot_at(home + step);
      WordIds found;
      std::memcpy(&found, slot, sizeof(found));
      if (found.high != 0) continue;  // the length of the word
      std::memcpy(slot, &word, sizeof(word));
      return true;
    }
    return false;
  }

 private:
  uint8_t* slot_at(uint64_t i) { return slots_ + (i & (size_ - 1)) * sizeof(WordIds); }

  const SectionId id_;
  size_t size_ = 16;
  uint8_t* slots_ = nullptr;
};

// A word whose ids are known.
struct KnownWord {
  std::string_view text;
  std::array<uint32_t, kMaxWordIds> ids;
  uint32_t num_ids;
  uint32_t limit;  // if Unigram::has_words
};

std::optional<Unigram> unigram_of(const Sections& sections) {
  const auto records = sections.values<UnigramRecord>(kUnigram);
  if (records.size != 1) return std::nullopt;
  const auto units = sections.values<PieceTrie::Unit>(kPieceTrie);
  const auto scores = sections.values<double>(kScores);
  const PieceTrie trie(units.at, units.size);
  return Unigram(trie, scores.at, scores.size, sections.values<uint32_t>(kByteIds).at, records[0]);
}

// Adds a word, unless a table cannot hold its ids. If words of the model have limits, `ids` become those that it has.
void add_word(std::string_view text, std::vector<uint32_t>& ids, const std::optional<Unigram>& unigram,
              UnigramScratch& scratch, std::vector<KnownWord>& words) {
  const bool has_limit = unigram && unigram->has_words();
  KnownWord word{text, {}, 0, 0};
  if (has_limit) {
    ids.clear();
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
    word.limit = unigram->encode_word({bytes, bytes + text.size()}, scratch, ids);
    if (word.limit < text.size()) return;
  }
  if (ids.empty() || ids.size() > (has_limit ? kLimit : size_t{kMaxWordIds})) return;
  word.num_ids = static_cast<uint32_t>(ids.size());
  std::copy(ids.begin(), ids.end(), word.ids.begin());
  words.push_back(word);
}

// Each token, with the ids that it has as a word. `made` is as in ListedMerges.
std::vector<KnownWord> words_of_tokens(const Sections& sections, const TokenIds& tokens, const std::string& suffix,
                                       const std::vector<bool>& made) {
  Table table;
  table.header = sections.header;
  table.pairs = pairs_of(sections);
  table.blank_runs = BlankRuns(sections.values<uint32_t>(kBlankRuns));
  table.made = sections.values<uint32_t>(kMade);
  table.byte_ids = sections.values<uint32_t>(kByteIds);
  if (sections.header.sections[kCharacters].num_bytes > 0) {
    table.characters.emplace(sections.values<CharacterRecord>(kCharacters)[0], sections.values<uint64_t>(kSymbols),
                             sections.values<uint32_t>(kFallbackIds));
  }
  Merger merger(table);
  const std::optional<Unigram> unigram = unigram_of(sections);
  UnigramScratch scratch;

  // Returns the word of an id; empty if there is none.
  const auto word_of = [&](size_t id) {
    std::string_view text = tokens.texts[id];
    if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return std::string_view();
    return text.substr(0, text.size() - suffix.size());
  };
  std::vector<KnownWord> words;
  if (sections.header.sections[kPieceFlags].num_bytes > 0) return words;
  words.reserve(tokens.texts.size());
  std::vector<uint32_t> ids;
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    const std::string_view text = word_of(id);
    if (text.empty()) continue;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
    const auto n = static_cast<int64_t>(text.size());
    if (unigram) {
      ids.clear();  // add_word finds those of a word that has a limit
      try {
        if (!unigram->has_words()) unigram->encode({bytes, bytes + n}, scratch, ids, nullptr);
      } catch (const MissingPiece&) {
        continue;
      }
    } else if (table.header.whole || (!made.empty() && made[id])) {
      ids.assign(1, static_cast<uint32_t>(id));
    } else {
      ids.resize(text.size());
      ids.resize(static_cast<size_t>(merger.merge(bytes, n, ids.data())));
    }
    add_word(text, ids, unigram, scratch, words);
  }
  return words;
}

bool is_long(const KnownWord& word) {
  return word.text.size() > kShortBytes;
}

// False if the search for a word would take too many steps.
bool place_words(const std::vector<KnownWord>& words, const HashSeed& seed, WordTable& short_words,
                 WordTable& long_words) {
  uint64_t text_begin = 0;
  struct Placed {
    WordTable* table;
    uint64_t home;
    WordIds word;
  };
  const auto place = [&](const KnownWord& known) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(known.text.data());
    const auto n = static_cast<int64_t>(known.text.size());
    Placed placed{&short_words, 0, {}};
    WordIds& word = placed.word;
    if (is_long(known)) {
      word.low = seeded_hash(bytes, n, seed.low) | 1;
      word.high = text_begin << 32 | static_cast<uint64_t>(n);
      placed.table = &long_words;
      placed.home = word.low >> 32;
      text_begin += static_cast<uint64_t>(n);
    } else {
      const ShortKey key = short_key(bytes, known.text.size());
      word = {key.low, key.high, {}};
      placed.home = word_hash(key.low, key.high, seed) & ~uint64_t{1};
    }
    word.ids[kLimit] = known.limit;
    std::copy_n(known.ids.begin(), known.num_ids, word.ids);
    word.ids[0] |= known.num_ids << kIdBits;
    placed.table->prefetch(placed.home);
    return placed;
  };
  constexpr size_t kTogether = 32;  // words whose slots, which are in no cache, arrive together
  std::array<Placed, kTogether> placed;
  for (size_t first = 0; first < words.size(); first += kTogether) {
    const size_t count = std::min(kTogether, words.size() - first);
    for (size_t i = 0; i < count; ++i) placed[i] = place(words[first + i]);
    for (size_t i = 0; i < count; ++i) {
      if (!placed[i].table->insert(placed[i].home, placed[i].word)) return false;
    }
  }
  return true;
}

// Writes the table with the sections of words.
void finish_with(const char* op, Sections& sections, const std::vector<KnownWord>& words, const NewTable& new_table) {
  TableHeader& header = sections.header;
  std::vector<uint8_t> texts;
  size_t num_long = 0;
  for (const KnownWord& word : words) {
    if (!is_long(word)) continue;
    ++num_long;
    texts.insert(texts.end(), word.text.begin(), word.text.end());
    header.max_word = std::max(header.max_word, static_cast<uint32_t>(word.text.size()));
  }
  sections.add(kWordTexts, texts);
  WordTable short_words(sections, kShortWords, words.size() - num_long), long_words(sections, kLongWords, num_long);
  uint8_t* const table = sections.finish(new_table);
  for (WordTable* const of_length : {&short_words, &long_words}) of_length->place(table, header);
  // One seed of about a thousand has so many zeros below that it leads all bytes to a few slots.
  for (uint64_t attempt = 0; !place_words(words, header.seed, short_words, long_words); ++attempt) {
    STRINGOPS_CHECK(attempt < kSeeds, op, ": the hashes of ", words.size(), " words collide");
    header.seed.high = (attempt < kFixedSeeds ? expand_seed(header.seed.high) : random_seed()).high;
    std::memcpy(table, &header, sizeof(header));
    for (WordTable* const of_length : {&short_words, &long_words}) of_length->clear();
  }
}

// The words of texts, with the ids that a table without them gives.
SubwordText::IdsOfWords words_of_texts(const char* op, Sections sections, const std::vector<KnownWord>& known,
                                       const std::vector<std::string>& texts) {
  SubwordText::IdsOfWords words;
  if (texts.empty()) return words;
  std::vector<uint8_t> bytes;
  finish_with(op, sections, known, [&](size_t num_bytes) {
    bytes.resize(num_bytes);
    return bytes.data();
  });
  const auto table = open_table(bytes.data(), static_cast<int64_t>(bytes.size()));
  STRINGOPS_CHECK(table, op, ": expected settings of a table");
  std::vector<uint32_t> ids;
  std::vector<PackedRange> spans;
  SubwordText text(*table, ids, &spans);
  text.keep_words(&words);
  for (const std::string& one : texts) {
    const auto* const begin = reinterpret_cast<const uint8_t*>(one.data());
    text.encode({begin, begin + one.size()});
  }
  for (const KnownWord& word : known) words.erase(std::string(word.text));
  return words;
}

}  // namespace

void finish_with_words(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec,
                       const std::vector<bool>& made, const NewTable& new_table) {
  std::vector<KnownWord> known = words_of_tokens(sections, tokens, spec.word_suffix, made);
  SubwordText::IdsOfWords words = words_of_texts(op, sections, known, spec.warm);
  const std::optional<Unigram> unigram = unigram_of(sections);
  UnigramScratch scratch;
  for (auto& [text, ids] : words) add_word(text, ids, unigram, scratch, known);
  finish_with(op, sections, known, new_table);
}

namespace {

// No units if all texts are empty. Of equal ones, the first or the last counts.
std::vector<PieceTrie::Unit> trie_of(const char* op, std::vector<std::string> texts, bool first_counts) {
  std::map<std::string, size_t> last;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].empty()) last[texts[i]] = i;
  }
  for (size_t i = 0; i < texts.size() && !first_counts; ++i) {
    if (!texts[i].empty() && last[texts[i]] != i) texts[i].clear();
  }
  return last.empty() ? std::vector<PieceTrie::Unit>() : build_piece_trie(op, {texts.begin(), texts.end()});
}

}  // namespace

void add_added_tokens(const char* op, Sections& sections, const Spec& spec) {
  SubwordNormalizer normalizer(spec.steps, spec.step_texts, {charsmap_of(spec), {}});
  std::vector<AddedRecord> records;
  std::vector<std::string> raw(spec.added.size()), normal(spec.added.size());
  for (const AddedToken& added : spec.added) {
    ((added.flags & kNormalized) != 0 ? normal : raw)[records.size()] = normalizer.content_of(added);
    records.push_back({added.id, added.flags});
  }
  sections.add(kAdded, records);
  sections.add(kRawTrie, trie_of(op, std::move(raw), spec.first_match));
  sections.add(kNormalTrie, trie_of(op, std::move(normal), spec.first_match));
}

}  // namespace stringops::kernels
