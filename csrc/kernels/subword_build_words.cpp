#include "kernels/subword_build_words.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/fail.h"
#include "kernels/subword_build_texts.h"
#include "kernels/subword_normalizer.h"
#include "subword/merge.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// A hash table of words, of a size that leaves half of the slots empty.
class WordTable {
 public:
  explicit WordTable(size_t num_words) {
    size_t size = 16;
    while (size < 2 * num_words) size *= 2;
    slots_.resize(size);
  }

  // False if the search for the word would take too many steps.
  bool insert(uint64_t home, const WordIds& word, bool is_long) {
    const uint64_t mask = slots_.size() - 1;
    for (uint64_t step = 0; step < kMaxProbes; ++step) {
      WordIds& slot = slots_[(home + step) & mask];
      if (is_long ? slot.low != 0 : slot.high != 0) continue;
      slot = word;
      return true;
    }
    return false;
  }

  const std::vector<WordIds>& slots() const { return slots_; }

 private:
  std::vector<WordIds> slots_;
};

}  // namespace

void add_words(const char* op, Sections& sections, const TokenIds& tokens, const std::string& suffix) {
  Table table;
  table.header = sections.header;
  table.pairs = sections.values<uint64_t>(kPairs);
  table.made = sections.values<uint32_t>(kMade);
  table.byte_ids = sections.values<uint32_t>(kByteIds);
  table.byte_pairs = sections.values<uint32_t>(kBytePairs);
  if (sections.header.sections[kCharacters].num_bytes > 0) {
    table.characters.emplace(sections.values<CharacterRecord>(kCharacters)[0], sections.values<uint64_t>(kSymbols),
                             sections.values<uint32_t>(kFallbackIds));
  }
  Merger merger(table);
  std::optional<Unigram> unigram;
  if (const auto records = sections.values<UnigramRecord>(kUnigram); records.size == 1) {
    const auto edges = sections.values<uint64_t>(kPieceEdges);
    const auto piece_ids = sections.values<int32_t>(kPieceIds);
    const auto scores = sections.values<double>(kScores);
    const PieceTrie trie(edges.at, static_cast<uint32_t>(edges.size), piece_ids.at,
                         static_cast<uint32_t>(piece_ids.size));
    unigram.emplace(trie, scores.at, scores.size, table.byte_ids.at, records[0]);
  }
  UnigramScratch scratch;

  // Of an id; empty: none.
  const auto word_of = [&](size_t id) {
    std::string_view text = tokens.texts[id];
    if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return std::string_view();
    return text.substr(0, text.size() - suffix.size());
  };
  size_t num_long = 0;
  for (size_t id = 0; id < tokens.texts.size(); ++id) num_long += word_of(id).size() > kShortBytes;
  WordTable short_words(tokens.texts.size() - num_long), long_words(num_long);
  std::vector<uint8_t> texts;
  std::vector<uint32_t> ids;
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    const std::string_view text = word_of(id);
    if (text.empty() || sections.header.sections[kPieceFlags].num_bytes > 0) continue;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
    const auto n = static_cast<int64_t>(text.size());
    int64_t count = 1;
    ids.assign(text.size(), static_cast<uint32_t>(id));
    if (unigram) {
      ids.clear();
      unigram->encode({bytes, bytes + n}, scratch, ids, nullptr);
      count = static_cast<int64_t>(ids.size());
    } else if (!table.header.whole) {
      count = merger.merge(bytes, n, ids.data());
    }
    if (count == 0 || count > kMaxWordIds) continue;
    const bool is_long = n > kShortBytes;
    WordIds word{};
    uint64_t home;
    if (is_long) {
      word.low = seeded_hash(bytes, n, table.header.seed.low) | 1;
      word.high = uint64_t{texts.size()} << 32 | static_cast<uint64_t>(n);
      home = word.low >> 32;
      texts.insert(texts.end(), bytes, bytes + n);
      sections.header.max_word = std::max(sections.header.max_word, static_cast<uint32_t>(n));
    } else {
      word = short_key(bytes, n);
      home = word_hash(word.low, word.high, table.header.seed) & ~uint64_t{1};
    }
    std::copy_n(ids.begin(), count, word.ids);
    word.ids[0] |= static_cast<uint32_t>(count) << kIdBits;
    STRINGOPS_CHECK((is_long ? long_words : short_words).insert(home, word, is_long), op, ": the hashes of ",
                    tokens.texts.size(), " tokens collide");
  }
  sections.add(kShortWords, short_words.slots());
  sections.add(kLongWords, long_words.slots());
  sections.add(kWordTexts, texts);
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

void add_added_tokens(const char* op, Sections& sections, const Spec& spec) {
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
