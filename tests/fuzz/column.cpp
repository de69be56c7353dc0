// Columns: the lines of a text, and strings of several chunks at positions.
#include "convert/column.h"
#include "convert/lines.h"
#include "fuzz.h"
#include "input.h"
#include "oracle.h"

namespace stringops::fuzz {
namespace {

using convert::ColumnChunk;
using convert::ColumnString;
using convert::ColumnStrings;
using convert::LineRanges;

// Lines as Python's universal newlines; the last one is `rest` if it has no line end.
std::vector<std::string> lines_of(std::string_view text, std::string* rest) {
  std::vector<std::string> all;
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') {
      line += text[i];
      continue;
    }
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    all.push_back(std::move(line));
    line.clear();
  }
  *rest = line;
  return all;
}

// All lines of a text, whose chunks are found with room for few lines, up to a limit.
FUZZ_TARGET(lines) {
  const int64_t capacity = 1 + in.below(20), limit = 1 + in.below(300);
  const bool is_last = in.flag();
  // Line ends are rare among other bytes.
  std::string text = take_text(in, static_cast<int64_t>(in.left()));
  for (char& c : text) c = c == 'r' ? '\r' : c == 'n' ? '\n' : c;
  std::string rest;
  std::vector<std::string> want = lines_of(text, &rest), got;
  if (is_last && !rest.empty()) want.push_back(rest);
  if (!is_last && rest.empty() && !text.empty() && text.back() == '\r') want.pop_back();  // LF may follow
  const auto size = static_cast<int64_t>(text.size());
  for (int64_t begin = 0; begin < size;) {
    const Bytes bytes = bytes_of(std::string_view(text).substr(static_cast<size_t>(begin)));
    const Exact<int32_t> out(2 * capacity);
    LineRanges lines{bytes.data(), bytes.size(), is_last, limit, out.data(), capacity};
    lines.find();
    REQUIRE(lines.count <= capacity && lines.begin <= bytes.size());
    for (int64_t i = 0; i < lines.count; ++i) {
      REQUIRE(0 <= out[2 * i] && out[2 * i] <= out[2 * i + 1] && out[2 * i + 1] <= bytes.size());
      REQUIRE(out[2 * i] < limit);
      got.push_back(text_of(bytes.data() + out[2 * i], out[2 * i + 1] - out[2 * i]));
    }
    if (lines.count == 0) break;
    begin += lines.begin;
  }
  REQUIRE(got == want);
}

// Arguments as addresses, in buffers of exactly their size.
struct Column {
  std::vector<Strings> chunks;
  std::vector<ColumnChunk> table;
  Exact<int64_t> starts;

  explicit Column(std::vector<Strings> strings)
      : chunks(std::move(strings)), starts(static_cast<int64_t>(chunks.size()) + 1) {
    int64_t count = starts[0] = 0;
    for (size_t i = 0; i < chunks.size(); ++i) {
      const StringSpan& span = chunks[i].span;
      // A vector, or rows of one string.
      table.push_back({span.data, span.num_bytes, span.offsets, span.rows == 1 ? 1 : 2});
      starts[static_cast<int64_t>(i) + 1] = count += span.size();
    }
  }
};

FUZZ_TARGET(column) {
  const int64_t num_chunks = 1 + in.below(9), count = in.below(100);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) / 2);
  std::vector<Strings> chunks;
  std::vector<std::string> all;
  bool trusted = true;
  for (int64_t i = 0; i < num_chunks; ++i) {
    const int64_t size = in.below(8);
    Arguments args = take_strings(in, text, in.flag() ? Shape{1, size} : Shape{size, 1});
    if (args.trusted) {
      for (const std::string& value : args.strings.values()) all.push_back(value);
    }
    trusted &= args.trusted;
    chunks.push_back(std::move(args.strings));
  }
  const Column column(std::move(chunks));
  const int64_t size = column.starts[num_chunks];
  const Exact<int64_t> positions(count);
  std::vector<std::string> want;
  int64_t bad = -1;
  for (int64_t i = 0; i < count; ++i) {
    positions[i] = in.byte() == 255 ? in.any<int64_t>() : in.below(2 * size) - size;
    // Unsigned, as the sum may overflow.
    const auto at = static_cast<uint64_t>(positions[i]) + (positions[i] < 0 ? static_cast<uint64_t>(size) : 0);
    if (at >= static_cast<uint64_t>(size)) {
      if (bad < 0) bad = i;
    } else if (bad < 0 && trusted) {
      want.push_back(all[at]);
    }
  }
  const Exact<ColumnString> found(count);
  const Exact<int32_t> offsets(count + 1);
  ColumnStrings strings{column.table.data(), column.starts.data(), num_chunks, positions.data(), count,
                        found.data(),        offsets.data()};
  const int64_t num_bytes = strings.find();
  REQUIRE(!trusted || !strings.bad_offsets);
  REQUIRE(strings.bad_offsets || strings.bad == bad);
  if (strings.bad >= 0 || strings.bad_offsets || num_bytes > 1 << 20) return;
  // Later changes have no effect, as what was found is copied.
  for (int64_t i = in.below(4); i > 0 && count > 0; --i) positions[in.below(count)] = in.any<int64_t>();
  const Bytes out(num_bytes);
  strings.copy(out.data());
  REQUIRE(is_compact(offsets, 1, count, num_bytes));
  if (!trusted) return;
  for (int64_t i = 0; i < count; ++i) {
    REQUIRE(text_of(out.data() + offsets[i], offsets[i + 1] - offsets[i]) == want[static_cast<size_t>(i)]);
  }
}

}  // namespace
}  // namespace stringops::fuzz
