#include "subword/build/build_table.h"

#include <numeric>
#include <optional>

#include "core/fail.h"
#include "subword/build/last_merges.h"
#include "subword/build/pairs.h"
#include "subword/build/parts.h"
#include "subword/build/sections.h"
#include "subword/spec/spec.h"
#include "subword/table.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// The merges of a list: the priority of a pair is its last position.
std::vector<Pair> listed_pairs(const char* op, const MergeRows& merges, int64_t num_ids) {
  STRINGOPS_CHECK(merges.count < kMaxIds, op, ": expected `numbers` of less than ", kMaxIds, " rows, got ",
                  merges.count);
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<size_t>(merges.count));
  for (int64_t i = 0; i < merges.count; ++i) {
    uint32_t ids[3];
    for (int64_t k = 0; k < 3; ++k) {
      const int64_t id = merges.numbers[3 * i + k];
      STRINGOPS_CHECK(id >= 0 && id < num_ids, op, ": expected ids in `numbers` within [0, ", num_ids, "), got ", id,
                      " in row ", i);
      ids[k] = static_cast<uint32_t>(id);
    }
    pairs.push_back({pair_key(ids[0], ids[1]), static_cast<uint32_t>(i), ids[2]});
  }
  return pairs;
}

// The merges that make tokens, with the token's id as their priority.
std::vector<Pair> ranked_pairs(const char* op, const MergeRows& merges, const TokenIds& tokens, const Spec& spec,
                               const Array<uint32_t>& byte_ids) {
  constexpr size_t kMaxToken = 4096;  // as merging a token takes quadratic time
  STRINGOPS_CHECK(merges.count == 0, op, ": expected `numbers` of shape [0, 3] with `merges ranks`, got ", merges.count,
                  " rows");
  // The token of an unknown byte or character has another text, so that tokens are made in other ways, too.
  bool has_known_symbols = !spec.characters;
  for (uint64_t byte = 0; byte < 256; ++byte)
    has_known_symbols &= spec.unknown_id < 0 || byte_ids[byte] != spec.unknown_id;
  std::vector<uint32_t> priorities(tokens.texts.size());
  std::iota(priorities.begin(), priorities.end(), 0u);
  LastMerges merges_of_tokens(tokens, priorities, [](char) { return true; }, !has_known_symbols);
  for (uint32_t id = 0; id < tokens.texts.size(); ++id) {
    const std::string_view text = tokens.texts[id];
    STRINGOPS_CHECK(text.size() <= kMaxToken, op, ": expected tokens of at most ", kMaxToken,
                    " bytes with `merges ranks`, got ", text.size(), " at position ", id);
    merges_of_tokens.add(id);
  }
  return merges_of_tokens.take();
}

TokenIds find_tokens(const char* op, const StringSpan& tokens) {
  STRINGOPS_CHECK(tokens.size() < kMaxIds, op, ": expected less than ", kMaxIds, " tokens, got ", tokens.size());
  TokenIds found(tokens);
  found.clear();
  for (uint32_t id = 0; id < found.texts.size(); ++id) {
    if (found.texts[id].empty()) continue;
    const uint32_t first = found.add(id);
    STRINGOPS_CHECK(first == id, op, ": expected distinct tokens, got equal ones at positions ", first, " and ", id);
  }
  return found;
}

// The pieces of WordPiece.
void add_pieces(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec) {
  STRINGOPS_CHECK(spec.unknown_id >= 0, op, ": expected `unk` to be a token of WordPiece, got ", spec.unknown_id);
  const std::vector<PieceTrie::Unit> trie = build_piece_trie(op, tokens.texts);
  const WordPieceRecord record{find_node(trie, spec.prefix), static_cast<uint32_t>(spec.unknown_id),
                               spec.max_codepoints};
  sections.add(kWordPiece, std::vector<WordPieceRecord>{record});
  sections.add(kPieceTrie, trie);
}

std::vector<uint32_t> find_byte_ids(const TokenIds& tokens, const Spec& spec) {
  std::vector<uint32_t> ids(256);
  for (int b = 0; b < 256; ++b) {
    const char byte = static_cast<char>(b);
    ids[static_cast<size_t>(b)] = tokens.find({&byte, 1});
    if (ids[static_cast<size_t>(b)] == kNone && spec.unknown_id >= 0) {
      ids[static_cast<size_t>(b)] = static_cast<uint32_t>(spec.unknown_id);
    }
  }
  return ids;
}

}  // namespace

void build_subword_table(const char* op, const StringSpan& token_strings, const MergeRows& merges,
                         std::string_view text, const NewTable& new_table) {
  Spec spec = parse_spec(op, text);
  TokenIds tokens = find_tokens(op, token_strings);
  const auto num_ids = static_cast<int64_t>(tokens.texts.size());
  STRINGOPS_CHECK(spec.unknown_id < num_ids, op, ": expected `unk` within [-1, ", num_ids, "), got ", spec.unknown_id);
  int64_t token_bytes = 0;
  for (const std::string_view token : tokens.texts) token_bytes += static_cast<int64_t>(token.size());
  check_result_bytes(op, token_bytes + static_cast<int64_t>(text.size()));

  constexpr size_t kBytesOfToken = 96;  // in the tables of most tokenizers without words, at most
  Sections sections;
  sections.reserve(kBytesOfToken * tokens.texts.size());
  TableHeader& header = sections.header;
  header.whole = spec.whole || spec.model == Spec::Model::kWordPiece;
  header.first_match = spec.first_match;
  header.before = static_cast<uint32_t>(spec.before.size());
  // Equal arguments make equal tables.
  header.seed = expand_seed(seeded_hash(reinterpret_cast<const uint8_t*>(text.data()),
                                        static_cast<int64_t>(text.size()), static_cast<uint64_t>(num_ids)));
  std::vector<uint32_t> ids = spec.before;
  ids.insert(ids.end(), spec.after.begin(), spec.after.end());
  sections.add(kTemplate, ids);
  sections.add(kPairTemplate, spec.pair);
  add_token_texts(sections, tokens, spec);
  const bool has_affix = !spec.continuing_prefix.empty() || !spec.word_suffix.empty();
  const bool writes_characters = spec.characters || (spec.model == Spec::Model::kUnigram && !spec.is_sentencepiece);
  if (writes_characters && !has_affix) write_spaces(spec, tokens, merges);
  std::optional<ListedMerges> listed;
  if (spec.model == Spec::Model::kConcatenationBpe || spec.is_sentencepiece) write_model_spaces(spec, tokens);
  if (spec.model == Spec::Model::kConcatenationBpe) listed = list_merges(op, spec, tokens, merges);
  add_steps(sections, spec);
  sections.add(kCharsmap, std::vector<uint8_t>(spec.charsmap.begin(), spec.charsmap.end()));
  add_added_tokens(op, sections, spec);
  if (spec.model == Spec::Model::kWordPiece) {
    STRINGOPS_CHECK(merges.count == 0, op, ": expected `numbers` of shape [0, 3] for WordPiece, got ", merges.count,
                    " rows");
    add_pieces(op, sections, tokens, spec);
  } else if (has_scores(spec)) {
    add_scored_pieces(op, sections, tokens, spec, merges);
  } else {
    if (spec.characters || has_affix) {
      add_characters(op, sections, tokens, spec);
    } else {
      sections.add(kByteIds, find_byte_ids(tokens, spec));
    }
    if (!listed) {
      const auto byte_ids = sections.values<uint32_t>(kByteIds);
      listed = {
          spec.ranks ? ranked_pairs(op, merges, tokens, spec, byte_ids) : listed_pairs(op, merges, num_ids), {}, {}};
    }
    sections.add(kBlankRuns, listed->blank_runs);
    add_pairs(op, sections, listed->pairs);
  }
  finish_with_words(op, sections, tokens, spec, listed ? listed->made : std::vector<bool>(), new_table);
}

}  // namespace stringops::kernels
