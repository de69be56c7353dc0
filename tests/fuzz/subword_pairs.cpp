// subword_encode_pairs: rows of two strings' ids, against a list that loses one id after the other.
#include "kernels/subword_pairs.h"

#include "fuzz.h"
#include "input.h"

namespace stringops::fuzz {
namespace {

using subword::PairItem;
using Row = std::vector<int64_t>;

// The ids are numbered, so that each of them tells its place.
std::vector<Row> take_rows(Input& in, int64_t count, int64_t first_id) {
  std::vector<Row> rows(static_cast<size_t>(count));
  for (Row& row : rows) {
    row.resize(static_cast<size_t>(in.below(9)));
    for (int64_t& id : row) id = first_id++;
  }
  return rows;
}

// Both strings, and special tokens around and between them.
std::vector<PairItem> take_items(Input& in) {
  std::vector<PairItem> items{{PairItem::kFirst, in.byte()}, {PairItem::kSecond, in.byte()}};
  if (in.flag()) std::swap(items[0], items[1]);
  for (int64_t left = in.below(4); left > 0; --left) {
    const auto at = in.below(static_cast<int64_t>(items.size()) + 1);
    items.insert(items.begin() + at, {uint32_t{1000} + in.byte(), in.byte()});
  }
  return items;
}

// Ids are lost one by one: those of the longer string, and of equally long ones those of the string that was shorter at
// first, or of the first one.
void truncate(Row& first, Row& second, int64_t room, bool left) {
  const bool first_is_longer = first.size() > second.size();
  while (static_cast<int64_t>(first.size() + second.size()) > room) {
    const bool loses_first = first.size() != second.size() ? first.size() > second.size() : !first_is_longer;
    Row& row = loses_first ? first : second;
    row.erase(left ? row.begin() : row.end() - 1);
  }
}

struct Rows {
  explicit Rows(const std::vector<Row>& rows)
      : ids(size_of(rows)), splits(static_cast<int64_t>(rows.size()) + 1), view{ids.data(), splits.data()} {
    int64_t at = 0;
    splits[0] = 0;
    for (size_t r = 0; r < rows.size(); ++r) {
      for (const int64_t id : rows[r]) ids[at++] = id;
      splits[static_cast<int64_t>(r) + 1] = at;
    }
  }

  static int64_t size_of(const std::vector<Row>& rows) {
    size_t size = 0;
    for (const Row& row : rows) size += row.size();
    return static_cast<int64_t>(size);
  }

  const Exact<int64_t> ids, splits;
  const kernels::IdRows view;
};

// Covers subword_encode_pairs.
FUZZ_TARGET(subword_pairs) {
  const int64_t count = in.below(4);
  std::vector<Row> firsts = take_rows(in, count, 0), seconds = take_rows(in, count, 100);
  const std::vector<PairItem> items = take_items(in);
  const bool special = in.flag(), left = in.flag();
  const int64_t num_special = special ? static_cast<int64_t>(items.size()) - 2 : 0;
  const int64_t max_length = in.flag() ? -1 : num_special + in.below(20);
  const kernels::SubwordPairs pairs(items, special, max_length, left);
  REQUIRE(pairs.num_special() == num_special);
  const Rows a(firsts), b(seconds);
  for (int64_t r = 0; r < count; ++r) {
    Row first = firsts[static_cast<size_t>(r)], second = seconds[static_cast<size_t>(r)];
    truncate(first, second, max_length < 0 ? INT64_MAX : max_length - num_special, left);
    Row want_ids, want_types;
    for (const PairItem& item : items) {
      const bool is_first = item.id == PairItem::kFirst, is_string = is_first || item.id == PairItem::kSecond;
      if (!is_string && !special) continue;
      const Row part = !is_string ? Row{item.id} : is_first ? first : second;
      want_ids.insert(want_ids.end(), part.begin(), part.end());
      want_types.insert(want_types.end(), part.size(), item.type);
    }
    const int64_t size = pairs.size(a.view, b.view, r);
    const Exact<int64_t> ids(size), types(size);
    pairs.write(a.view, b.view, r, ids.data(), types.data());
    REQUIRE(ids.copy() == want_ids);
    REQUIRE(types.copy() == want_types);
  }
}

}  // namespace
}  // namespace stringops::fuzz
