#include "subword/build/words.h"

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
#include "subword/build/texts.h"
#include "subword/models/merge.h"
#include "subword/normalize/normalizer.h"
#include "subword/run/text.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// A section that is a hash table of words, of a size that leaves half of the slots empty.
class WordTable {
 public:
  WordTable(Sections& sections, SectionId id, size_t num_words) : sections_(sections), id_(id) {
    while (size_ < 2 * num_words) size_ *= 2;
    sections.add_zeros<WordIds>(id, size_);
  }

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
  uint8_t* slot_at(uint64_t i) { return sections_.place(id_) + (i & (size_ - 1)) * sizeof(WordIds); }

  Sections& sections_;
  const SectionId id_;
  size_t size_ = 16;
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

// Each token, with the ids that it has as a word.
std::vector<KnownWord> words_of_tokens(const Sections& sections, const TokenIds& tokens, const std::string& suffix) {
  Table table;
  table.header = sections.header;
  table.pairs = pairs_of(sections);
  table.blank_runs = BlankRuns(sections.values<uint32_t>(kBlankRuns));
  table.made = sections.values<uint32_t>(kMade);
  table.byte_ids = sections.values<uint32_t>(kByteIds);
  table.byte_pairs = sections.values<uint32_t>(kBytePairs);
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
    ids.assign(text.size(), static_cast<uint32_t>(id));
    if (unigram) {
      ids.clear();  // add_word finds those of a word that has a limit
      if (!unigram->has_words()) unigram->encode({bytes, bytes + n}, scratch, ids, nullptr);
    } else {
      ids.resize(table.header.whole ? 1 : static_cast<size_t>(merger.merge(bytes, n, ids.data())));
    }
    add_word(text, ids, unigram, scratch, words);
  }
  return words;
}

void add_known_words(const char* op, Sections& sections, const std::vector<KnownWord>& words) {
  const auto is_long = [](const KnownWord& word) { return word.text.size() > kShortBytes; };
  const auto num_long = static_cast<size_t>(std::count_if(words.begin(), words.end(), is_long));
  WordTable short_words(sections, kShortWords, words.size() - num_long), long_words(sections, kLongWords, num_long);
  std::vector<uint8_t> texts;
  TableHeader& header = sections.header;
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
      word.low = seeded_hash(bytes, n, header.seed.low) | 1;
      word.high = uint64_t{texts.size()} << 32 | static_cast<uint64_t>(n);
      placed.table = &long_words;
      placed.home = word.low >> 32;
      texts.insert(texts.end(), bytes, bytes + n);
      header.max_word = std::max(header.max_word, static_cast<uint32_t>(n));
    } else {
      word = short_key(bytes, n);
      placed.home = word_hash(word.low, word.high, header.seed) & ~uint64_t{1};
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
      STRINGOPS_CHECK(placed[i].table->insert(placed[i].home, placed[i].word), op, ": the hashes of ", words.size(),
                      " words collide");
    }
  }
  sections.add(kWordTexts, texts);
}

// The words of texts, with the ids that a table without them gives.
SubwordText::IdsOfWords words_of_texts(const char* op, Sections sections, const std::vector<KnownWord>& known,
                                       const std::vector<std::string>& texts) {
  SubwordText::IdsOfWords words;
  if (texts.empty()) return words;
  add_known_words(op, sections, known);
  const std::vector<uint8_t> bytes = sections.take();
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

void add_words(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec) {
  std::vector<KnownWord> known = words_of_tokens(sections, tokens, spec.word_suffix);
  SubwordText::IdsOfWords words = words_of_texts(op, sections, known, spec.warm);
  const std::optional<Unigram> unigram = unigram_of(sections);
  UnigramScratch scratch;
  for (auto& [text, ids] : words) add_word(text, ids, unigram, scratch, known);
  add_known_words(op, sections, known);
}

namespace {

class TrieBuilder {
 public:
  // A later token of the same content replaces an earlier one, or does not if the first one counts.
  void insert(const std::string& content, uint32_t token, bool first_counts) {
    uint32_t node = 0;
    for (const char c : content) {
      const auto [at, is_new] =
          nodes_[node].edges.emplace(static_cast<uint8_t>(c), static_cast<uint32_t>(nodes_.size()));
      node = at->second;
      if (is_new) nodes_.emplace_back();
    }
    if (nodes_[node].token == kNone || !first_counts) nodes_[node].token = token;
  }

  void add(Sections& sections, SectionId nodes_id, SectionId edges_id) const {
    std::vector<TrieNode> nodes;
    std::vector<TrieEdge> edges;
    for (const Node& node : nodes_) {
      nodes.push_back({static_cast<uint32_t>(edges.size()), static_cast<uint32_t>(node.edges.size()), node.token});
      for (const auto& [byte, to] : node.edges) edges.push_back({byte, to});
    }
    sections.add(nodes_id, nodes);
    sections.add(edges_id, edges);
  }

 private:
  struct Node {
    std::map<uint8_t, uint32_t> edges;
    uint32_t token = kNone;
  };
  std::vector<Node> nodes_{1};
};

}  // namespace

void add_added_tokens(Sections& sections, const Spec& spec) {
  SubwordNormalizer normalizer(spec.steps, spec.step_texts, {charsmap_of(spec), {}});
  TrieBuilder raw, normal;
  std::vector<AddedRecord> records;
  for (const AddedToken& added : spec.added) {
    const auto token = static_cast<uint32_t>(records.size());
    records.push_back({added.id, added.flags});
    const std::string content = normalizer.content_of(added);
    if (content.empty()) continue;
    const bool is_normalized = (added.flags & kNormalized) != 0;
    (is_normalized ? normal : raw).insert(content, token, spec.first_match);
  }
  sections.add(kAdded, records);
  raw.add(sections, kRawNodes, kRawEdges);
  normal.add(sections, kNormalNodes, kNormalEdges);
}

}  // namespace stringops::kernels
