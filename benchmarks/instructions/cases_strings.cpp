// Cases of operators from strings to strings: edit, case, strip, normalize, build, number, encoding, join, search.
#include "cases.h"
#include "driver/join.h"
#include "driver/map.h"
#include "driver/reduce.h"
#include "kernels/build.h"
#include "kernels/build_pad.h"
#include "kernels/build_slice.h"
#include "kernels/case.h"
#include "kernels/datetime.h"
#include "kernels/edit.h"
#include "kernels/encoding.h"
#include "kernels/escape.h"
#include "kernels/json.h"
#include "kernels/length.h"
#include "kernels/normalize_compose.h"
#include "kernels/normalize_decompose.h"
#include "kernels/number.h"
#include "kernels/search_replace.h"
#include "kernels/strip.h"
#include "kernels/tensor.h"

namespace stringops::instructions {
namespace {

using namespace kernels;

// Calls map(in, allocate), a driver of string -> string.
template <class Map>
void mapped(const Strings& strings, Map&& map) {
  const StringSpan in = strings.span();
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    map(in, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

void string_replace(const Strings& strings, const Replacement& of) {
  mapped(strings, [&](const StringSpan& in, auto&& allocate) { replace_strings("", LoopRunner(), of, in, allocate); });
}

COUNTED("string_replace/ascii", string_replace(ascii_text(), {"e", "and", -1}))
COUNTED("string_replace/utf8_limited", string_replace(world_text(), {" ", "_", 2}))

void string_repair(const Strings& strings) {
  mapped(strings,
         [](const StringSpan& in, auto&& allocate) { map_strings("", LoopRunner(), Repair{true}, in, allocate); });
}

COUNTED("string_repair/utf8", string_repair(world_text()))

// Rows of ten words.
void string_join_ragged() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  const auto row_of = [&](int64_t row) { return ElementRange{row * 10, std::min(row * 10 + 10, in.size())}; };
  const int64_t rows = (in.size() + 9) / 10;
  counted([&] {
    const auto offsets = room<int32_t>(rows + 1);
    std::unique_ptr<uint8_t[]> data;
    join_strings("", LoopRunner(), JoinInput<decltype(row_of)>{in, rows, row_of, " ", rows}, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

COUNTED("string_join_ragged", string_join_ragged())

// Strings [rows, 8] divided into chunks of two columns.
void split_strings() {
  const Strings words = drawn_words();
  StringSpan in = words.span();
  constexpr int64_t kCols = 8;
  in.rows = in.cols / (kCols + 1);
  in.cols = kCols;
  std::vector<StringChunk> chunks;
  for (int64_t first = 0; first < kCols; first += 2) chunks.push_back({1, in.rows, 0, in.rows, first, 2});
  counted([&] {
    std::vector<std::unique_ptr<uint8_t[]>> data;
    std::vector<std::unique_ptr<int32_t[]>> offsets;
    copy_string_chunks("", LoopRunner(), in, chunks, [&](size_t, int64_t num_bytes) {
      data.push_back(room<uint8_t>(num_bytes));
      offsets.push_back(room<int32_t>(in.rows * 3));
      return StringChunkOutput{data.back().get(), num_bytes, offsets.back().get(), 2};
    });
  });
}

COUNTED("split.strings", split_strings())

template <class Functor>
void map_to_strings(const Functor& f, const Strings& strings) {
  const StringSpan in = strings.span();
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    map_strings("", LoopRunner(), f, in, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

COUNTED("string_reverse/ascii", map_to_strings(Reverse(), ascii_text()))
COUNTED("string_reverse/utf8", map_to_strings(Reverse(), world_text()))

void strip_whitespace() {
  const WhitespaceSet whitespace;
  map_to_strings(Strip<WhitespaceSet>{true, true, whitespace}, drawn_words());
}

COUNTED("string_strip", strip_whitespace())
COUNTED("string_normalize/ascii", map_to_strings(Compose(Compose::Form::kNfc), ascii_text()))
COUNTED("string_normalize/nfc", map_to_strings(Compose(Compose::Form::kNfc), world_text()))
COUNTED("string_normalize/nfkd", map_to_strings(Decompose(Decompose::Form::kNfkd), world_text()))

COUNTED("string_rjust", map_to_strings(Pad(12, " ", Pad::Side::kLeft), drawn_words()))
COUNTED("string_slice/ascii", map_to_strings(Slice<false>{2, -2}, ascii_text()))
COUNTED("string_slice/utf8", map_to_strings(Slice<false>{2, -2}, world_text()))
COUNTED("string_hex", map_to_strings(Hex(), ascii_text()))
COUNTED("string_base64", map_to_strings(Base64{kBase64}, ascii_text()))
COUNTED("string_url_quote", map_to_strings(UrlQuote("/"), world_text()))

// Words and a suffix.
void string_concat() {
  const Strings words = drawn_words();
  Strings suffix;
  suffix.add("-ed");
  const StringSpan in = words.span();
  const Concat concat({in, suffix.span(), in}, {{in.size()}, {1}, {in.size()}}, {in.size()});
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    build_strings("", LoopRunner(), concat, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

COUNTED("string_concat", string_concat())

// Prices of two decimals.
void string_to_number() {
  Strings prices;
  Random random(9);
  for (int64_t i = 0; i < 1000; ++i) {
    const std::string cents = std::to_string(100 + random.below(1000000));
    prices.add(cents.substr(0, cents.size() - 2) + "." + cents.substr(cents.size() - 2));
  }
  const StringSpan in = prices.span();
  const auto numbers = room<float>(in.size());
  std::atomic<bool> failed{false};
  counted([&] { reduce_strings(LoopRunner(), ToNumber<float>{0, failed}, in, numbers.get()); });
  require(!failed);
}

COUNTED("string_to_number", string_to_number())

// Times of ISO 8601, or of logs.
void string_to_datetime(const char* text) {
  Random random(8);
  const TimeUnit& unit = *find_time_unit("s");
  const TimeFormat format("", text, FormatUse::kRead), written("", text, FormatUse::kWrite);
  const TimeWriter writer(written, unit);
  Strings strings;
  for (int i = 0; i < 1000; ++i) {
    const auto time = static_cast<int64_t>(random.below(size_t{1} << 32));
    std::string out(static_cast<size_t>(writer.size(time)), ' ');
    writer.write(time, reinterpret_cast<uint8_t*>(out.data()));
    strings.add(out);
  }
  const StringSpan in = strings.span();
  const auto times = room<int64_t>(in.size());
  std::atomic<bool> failed{false};
  counted([&] { reduce_strings(LoopRunner(), ToDatetime{format, unit, 0, failed}, in, times.get()); });
  require(!failed);
}

COUNTED("string_to_datetime/iso8601", string_to_datetime("iso8601"))
COUNTED("string_to_datetime/log", string_to_datetime("%d/%b/%Y:%H:%M:%S %z"))

void string_from_datetime() {
  Random random(8);
  const TimeFormat format("", "iso8601", FormatUse::kWrite);
  const TimeWriter writer(format, *find_time_unit("us"));
  constexpr int64_t kCount = 1000;
  const auto times = room<int64_t>(kCount);
  for (int64_t i = 0; i < kCount; ++i) times[static_cast<size_t>(i)] = static_cast<int64_t>(random.next() >> 12);
  const auto offsets = room<int32_t>(kCount + 1);
  std::unique_ptr<uint8_t[]> data;
  int64_t bad = 0;
  counted([&] {
    format_times("", LoopRunner(), writer, times.get(), kCount, kCount, bad, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
  require(bad == kCount);
}

COUNTED("string_from_datetime", string_from_datetime())

// Documents of two members, of which one is a list.
void json_extract() {
  const Strings words = drawn_words();
  Strings strings;
  for (int64_t i = 0; i + 4 <= words.span().size(); i += 4) {
    std::string text = R"({"id": )" + std::to_string(i * 977) + R"(, "words": [")";
    for (int64_t k = 0; k < 4; ++k) text.append(words.span()[i + k]).append(k < 3 ? R"(", ")" : R"("]})");
    strings.add(text);
  }
  const StringSpan in = strings.span();
  const JsonPaths paths("", {"$.id", "$.words[2]"});
  const auto spans = room<int32_t>(4 * in.size());
  const auto kinds = room<uint8_t>(2 * in.size());
  std::atomic<bool> failed{false};
  counted([&] { reduce_strings(LoopRunner(), JsonSpans{paths, spans.get(), failed}, in, kinds.get()); });
  require(!failed);
}

COUNTED("json_extract", json_extract())

COUNTED("string_lower/ascii", map_to_strings(Lower(), ascii_text()))
COUNTED("string_lower/utf8", map_to_strings(Lower(), world_text()))
COUNTED("string_upper/utf8", map_to_strings(Upper(), world_text()))
COUNTED("string_title/ascii", map_to_strings(Title(), ascii_text()))
COUNTED("string_title/utf8", map_to_strings(Title(), world_text()))

}  // namespace
}  // namespace stringops::instructions
