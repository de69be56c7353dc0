// subword_decode: against a list of texts; and with malformed tables, which may give other text, but no access out of
// bounds.
#include "kernels/subword_decode.h"

#include "driver/testing.h"
#include "fuzz.h"
#include "kernels/subword_single.h"
#include "oracle.h"
#include "ragged.h"
#include "results.h"
#include "subword/build/build.h"

namespace stringops::fuzz {
namespace {

constexpr int64_t kTokens = 40;

std::string token(int64_t id) {
  return id % 7 == 3 ? std::string() : std::string(static_cast<size_t>(1 + id % 5), 'a') + std::to_string(id);
}

// The tokens above, of which the first is special too; after them a special token, and one with another text.
const std::vector<uint8_t>& table_bytes() {
  static const auto* const bytes = [] {
    std::string text;
    std::vector<int32_t> offsets{0};
    for (int64_t id = 0; id < kTokens; ++id) {
      text += token(id);
      offsets.push_back(static_cast<int32_t>(text.size()));
    }
    const Bytes data = bytes_of(text);
    const StringSpan tokens{data.data(), data.size(), offsets.data(), 1, kTokens};
    const char* const spec =
        "subword 1\nmodel bpe\nbytes 1\nmerges listed\nadded 40 1 3c3e\nadded 41 0 5b5d\ndecode bytelevel\ntext 41 7e";
    return new std::vector<uint8_t>(kernels::build_subword_table("", tokens, {nullptr, 0}, spec));
  }();
  return *bytes;
}

std::string text_of_id(int64_t id, bool skip_special) {
  if (id == kTokens) return skip_special ? "" : "<>";
  return id == kTokens + 1 ? "~" : token(id);
}

using Texts = std::vector<std::string>;

std::optional<Texts> decode(const Bytes& table, const Exact<int64_t>& ids, const RowSplits& rows, bool skip_special,
                            int64_t tasks, const Interference& interfere) {
  const auto opened = subword::open_table(table.data(), table.size());
  if (!opened) return std::nullopt;
  const Exact<int32_t> offsets(rows.rows + 1);
  offsets[0] = 0;
  Bytes data;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  const kernels::SubwordDecode in{ids.data(), rows, *opened, skip_special};
  if (!gives_result(true, [&] { kernels::decode_subwords("", kernels::LoopRunner(tasks, true), in, allocate); })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(offsets, 1, rows.rows, data.size()));
  Texts texts;
  for (int64_t r = 0; r < rows.rows; ++r)
    texts.push_back(text_of(data.data() + offsets[r], offsets[r + 1] - offsets[r]));
  return texts;
}

FUZZ_TARGET(subword_decode) {
  Ragged ragged = take_ragged(in);
  const int64_t tasks = 1 + in.below(3);
  const bool skip_special = in.flag();
  if (!ragged.trusted) return;
  const Exact<int64_t> ids(ragged.rows.num_values);
  for (int64_t i = 0; i < ids.size(); ++i) {
    const uint8_t byte = in.byte();
    ids[i] = byte < 250 ? byte % (kTokens + 2) : in.any<int64_t>();
  }
  const Bytes own(static_cast<int64_t>(table_bytes().size()));
  std::memcpy(own.data(), table_bytes().data(), table_bytes().size());

  bool valid = true;
  Texts want;
  for (int64_t r = 0; r < ragged.rows.rows; ++r) {
    std::string text;
    for (int64_t i = ragged.splits[r]; i < ragged.splits[r + 1]; ++i) {
      if (ids[i] < 0 || ids[i] >= kTokens + 2) {
        valid = false;
      } else {
        text += text_of_id(ids[i], skip_special);
      }
    }
    want.push_back(text);
  }
  const auto found = decode(own, ids, ragged.rows, skip_special, tasks, nullptr);
  REQUIRE(found.has_value() == valid);
  if (found) REQUIRE(*found == want);

  const kernels::LoopRunner runner(1, true);
  const kernels::SubwordSingle single(*subword::open_table(own.data(), own.size()), runner);
  const auto text_of_stream = [&](int64_t row) {
    TokenStream stream;
    std::string text;
    for (int64_t i = ragged.splits[row]; i < ragged.splits[row + 1]; ++i) {
      text += single.step(stream, ids[i], skip_special);
      REQUIRE(stream.ids.size() <= 16);
    }
    return text;
  };
  if (valid) {
    for (int64_t r = 0; r < ragged.rows.rows; ++r) REQUIRE(text_of_stream(r) == want[static_cast<size_t>(r)]);
  }

  const auto forge = [&] {
    for (int64_t i = 1 + in.below(8); i > 0; --i) own[in.below(own.size())] = in.byte();
  };
  if (in.flag()) forge();
  for (int64_t r = 0; r < ragged.rows.rows; ++r) text_of_stream(r);
  decode(own, ids, ragged.rows, skip_special, tasks, [&] {
    if (in.flag()) ragged.damage(in);
    if (in.flag()) forge();
    if (ids.size() > 0) ids[in.below(ids.size())] = in.any<int64_t>();
  });
}

}  // namespace
}  // namespace stringops::fuzz
