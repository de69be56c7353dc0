// vocab_build: a table in which each word is found with its id, or an error with the positions of two equal words.
#include <unordered_map>

#include "results.h"
#include "vocabulary.h"

namespace stringops::fuzz {
namespace {

// Tables are stored in files and exported models, so a change of their layout or hashes needs another
// VocabHeader::kMagic.
void check_that_tables_are_stable() {
  std::string text;
  Exact<int32_t> offsets(201);
  offsets[0] = 0;
  for (int64_t i = 0; i < 200; ++i) {
    for (int64_t j = 0; j < i % 50; ++j) text += static_cast<char>(i + j * j % 7);
    if (i != 50) text += static_cast<char>(i);  // that one is empty
    offsets[i + 1] = static_cast<int32_t>(text.size());
  }
  const Bytes data = bytes_of(text);
  const StringSpan words{data.data(), data.size(), offsets.data(), 1, 200};
  const Bytes table = build_table(words);
  uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (int64_t i = 0; i < table.size(); ++i) sum = (sum ^ table[i]) * 0x100000001b3;
  REQUIRE(sum == 0xa98c9ee55aaf42aa);
}

FUZZ_TARGET(vocab_build) {
  [[maybe_unused]] static const bool checked = (check_that_tables_are_stable(), true);
  const int64_t cols = in.byte() < 200 ? in.below(30) : in.below(400);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, {1, cols});
  if (!args.trusted) return;
  const StringSpan& words = args.strings.span;

  // Equal words give equal tables on every tier.
  std::string error;
  const auto bytes = same_on_every_tier([&] {
    try {
      return build_table(words).copy();
    } catch (const std::invalid_argument& rejected) {
      error = rejected.what();
      return std::vector<uint8_t>();
    }
  });
  std::unordered_map<std::string, int64_t> ids;
  const std::vector<std::string> values = args.strings.values();
  std::optional<std::pair<int64_t, int64_t>> repeated;
  for (int64_t i = 0; i < cols && !repeated; ++i) {
    const auto [at, is_new] = ids.emplace(values[static_cast<size_t>(i)], i);
    if (!is_new) repeated = {at->second, i};
  }
  if (repeated) {
    REQUIRE(error == ": expected distinct strings, got equal ones at positions " + std::to_string(repeated->first) +
                         " and " + std::to_string(repeated->second));
  } else {
    REQUIRE(error.empty());
    const Bytes table(bytes);
    const auto opened = kernels::open_vocab_table(table.data(), table.size());
    REQUIRE(opened && opened->header.num_words == static_cast<uint64_t>(cols));
    const Exact<int64_t> found(cols);
    kernels::VocabLookup(*opened, {-1, 0}).encode(words, 0, cols, found.data());
    for (int64_t i = 0; i < cols; ++i) REQUIRE(found[i] == i);
  }

  // The words change after they were measured (race).
  const int64_t num_bytes = kernels::measure_vocab_table(words);
  Strings victim = args.strings.copy();
  victim.damage(in);
  survives_on_every_tier([&] {
    const Bytes table(num_bytes);
    try {
      kernels::write_vocab_table("", victim.span, table.data(), num_bytes);
      REQUIRE(kernels::open_vocab_table(table.data(), num_bytes));
    } catch (const std::invalid_argument&) {
    }
  });
}

}  // namespace
}  // namespace stringops::fuzz
