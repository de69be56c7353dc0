// vocab_build: a table in which each word is found under its number, or the two places of one word.
#include "kernels/vocab_build.h"

#include <unordered_map>

#include "fuzz.h"
#include "kernels/vocab_encode.h"

namespace stringops::fuzz {
namespace {

using kernels::VocabBuild;

// Tables are kept, in files and in exported models: what makes them, hashes above all, stays as it is, or becomes
// another VocabHeader::kMagic.
void check_that_tables_are_as_ever() {
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
  const int64_t text_bytes = kernels::measure_vocab(words);
  const Bytes table(kernels::vocab_table_bytes(kernels::vocab_capacity(200), text_bytes));
  REQUIRE(kernels::write_vocab(words, text_bytes, table.data()).status == VocabBuild::kDone);
  uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (int64_t i = 0; i < table.size(); ++i) sum = (sum ^ table[i]) * 0x100000001b3;
  REQUIRE(sum == 0xad3cf42df4c7262c);
}

FUZZ_TARGET(vocab_build) {
  [[maybe_unused]] static const bool checked = (check_that_tables_are_as_ever(), true);
  const int64_t cols = in.byte() < 200 ? in.below(30) : in.below(400);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, {1, cols});
  if (!args.trusted) return;
  const StringSpan& words = args.strings.span;

  const int64_t text_bytes = kernels::measure_vocab(words);
  const Bytes table(kernels::vocab_table_bytes(kernels::vocab_capacity(cols), text_bytes));
  // Equal words have equal tables, on any tier.
  VocabBuild built{};
  same_on_every_tier([&] {
    built = kernels::write_vocab(words, text_bytes, table.data());
    return built.status == VocabBuild::kDone ? table.copy() : std::vector<uint8_t>();
  });
  std::unordered_map<std::string, int64_t> ids;
  const std::vector<std::string> values = args.strings.values();
  std::optional<std::pair<int64_t, int64_t>> repeated;
  for (int64_t i = 0; i < cols && !repeated; ++i) {
    const auto [at, is_new] = ids.emplace(values[static_cast<size_t>(i)], i);
    if (!is_new) repeated = {at->second, i};
  }
  REQUIRE(built.status == (repeated ? VocabBuild::kDuplicate : VocabBuild::kDone));
  if (repeated) {
    REQUIRE(repeated->first == built.first && repeated->second == built.second);
  } else {
    const auto opened = kernels::open_vocab_table(table.data(), table.size());
    REQUIRE(opened && opened->header.num_words == static_cast<uint64_t>(cols));
    const Exact<int64_t> found(cols);
    kernels::write_vocab_ids(*opened, words, 0, cols, {-1, 0}, found.data());
    for (int64_t i = 0; i < cols; ++i) REQUIRE(found[i] == i);
  }

  Strings victim = args.strings.copy();
  victim.damage(in);
  survives_on_every_tier([&] {
    if (kernels::write_vocab(victim.span, text_bytes, table.data()).status == VocabBuild::kDone) {
      REQUIRE(kernels::open_vocab_table(table.data(), table.size()));
    }
  });
}

}  // namespace
}  // namespace stringops::fuzz
