// A vocabulary, the expected ids, and malformed tables: for the targets that look words up.
#pragma once

#include <unordered_map>

#include "core/hash.h"
#include "driver/ids_sink.h"
#include "fuzz.h"
#include "kernels/vocabulary.h"
#include "results.h"

namespace stringops::fuzz {

// The distinct strings.
inline Strings distinct(const std::vector<std::string>& values, std::unordered_map<std::string, int64_t>* ids) {
  std::string text;
  std::vector<int32_t> offsets{0};
  for (const std::string& value : values) {
    if (!ids->emplace(value, static_cast<int64_t>(ids->size())).second) continue;
    text += value;
    offsets.push_back(static_cast<int32_t>(text.size()));
  }
  Strings words{bytes_of(text), Exact<int32_t>(offsets), {}};
  words.span = {words.data.data(), words.data.size(), words.offsets.data(), 1, words.offsets.size() - 1};
  return words;
}

inline Bytes build_table(const StringSpan& words) {
  Bytes table;
  kernels::build_vocab("", words, [&](int64_t num_bytes) {
    table = Bytes(num_bytes);
    return table.data();
  });
  return table;
}

struct Vocabulary {
  explicit Vocabulary(const std::vector<std::string>& values) : words(distinct(values, &ids)) {
    table = build_table(words.span);
  }

  int64_t id(const std::string& word, const kernels::UnknownWords& unknown) const {
    if (const auto at = ids.find(word); at != ids.end()) return at->second;
    if (unknown.num_buckets == 0) return unknown.id;
    const Bytes bytes = bytes_of(word);
    const uint64_t bucket = stable_hash(bytes.data(), bytes.size()) % static_cast<uint64_t>(unknown.num_buckets);
    return words.span.cols + static_cast<int64_t>(bucket);
  }

  std::unordered_map<std::string, int64_t> ids;
  Strings words;
  Bytes table;
};

using EncodedRows = std::pair<std::vector<int64_t>, std::vector<int64_t>>;  // ids, row splits

// What the operators that look pieces up give; nothing if the table is malformed, or the call fails because `interfere`
// has changed the arguments.
template <class Cutter>
std::optional<EncodedRows> encode_pieces(const StringSpan& in, int64_t tasks, const Cutter& cutter,
                                         const kernels::UnknownWords& unknown, const Bytes& table,
                                         const Interference& interfere) {
  const auto opened = kernels::open_vocab_table(table.data(), table.size());
  if (!opened) return std::nullopt;
  const Exact<int64_t> splits(in.size() + 1);
  Exact<int64_t> ids;
  const auto allocate = [&](int64_t num_ids) {
    ids = Exact<int64_t>(num_ids);
    if (interfere) interfere();
    return ids.data();
  };
  const kernels::VocabLookup lookup(*opened, unknown);
  if (!gives_result(interfere != nullptr, [&] {
        kernels::cut_ids("", kernels::LoopRunner(tasks, true), in, cutter, lookup, splits.data(), allocate);
      })) {
    return std::nullopt;
  }
  REQUIRE(splits[in.size()] == ids.size());
  for (int64_t r = 0; r < in.size(); ++r) REQUIRE(splits[r] <= splits[r + 1]);
  return EncodedRows{ids.copy(), splits.copy()};
}

// The ids of pieces, every other one of which is a word of the vocabulary.
struct KnownPieces {
  KnownPieces(const Pieces& pieces, const kernels::UnknownWords& unknown)
      : vocabulary(every_other(pieces)), ids{{}, pieces.splits} {
    for (int64_t j = 0; j < pieces.size(); ++j) {
      ids.first.push_back(vocabulary.id(std::string(pieces.piece(j)), unknown));
    }
  }

  static std::vector<std::string> every_other(const Pieces& pieces) {
    std::vector<std::string> words;
    for (int64_t j = 0; j < pieces.size(); j += 2) words.emplace_back(pieces.piece(j));
    return words;
  }

  Vocabulary vocabulary;
  EncodedRows ids;
};

inline void forge(Input& in, const Bytes& table) {
  const int64_t text_begin = table.size() - in.below(64);
  for (int64_t i = 1 + in.below(8); i > 0; --i) {
    const uint8_t where = in.byte();
    int64_t at = in.below(table.size());
    if (where < 64) at = where;  // the header
    if (where >= 192) at = std::min(text_begin + in.below(64), table.size() - 1);
    if (where >= 64 && where < 128) {  // a slot in use, if one is near
      while (at < table.size() && table[at] == 0) ++at;
      if (at == table.size()) at = 0;
    }
    table[at] = in.byte();
  }
}

}  // namespace stringops::fuzz
