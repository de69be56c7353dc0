#include "kernels/lower_text.h"

#include <algorithm>

#include "core/narrow.h"
#include "core/rows.h"
#include "kernels/case.h"

namespace stringops::kernels {

bool fits_lower_text(const StringSpan& in) {
  if (in.num_bytes <= kMaxLowerText) return true;
  bool fits = true;
  for_each_row(in, 0, in.size(), [&](int64_t, const int32_t* row, int64_t count) {
    int64_t longest = 0;
    for (int64_t k = 0; k < count; ++k) longest = std::max(longest, int64_t{row[k + 1]} - row[k]);
    fits &= longest <= kMaxLowerText;
  });
  return fits;
}

bool LowerText::next() {
  while (reader_.next(block_)) {
    first_string_ = block_.first_string + block_.starts_inside;
    if (block_.num_strings == 0) {
      if (block_.starts_inside) continue;  // a string of several blocks has been read with its first one
      lower_each(0);
      return true;
    }
    if (block_.num_strings == block_.starts_inside) continue;
    lower_block(block_.starts_inside);
    return true;
  }
  return false;
}

// Lower-cases the strings of a block; the result mostly has the size of its string.
void LowerText::lower_block(int64_t first) {
  const int32_t begin = block_.begin(first);
  const int64_t count = block_.num_strings - first;
  offsets_[0] = 0;
  for (int64_t k = 0; k < count; ++k) offsets_[static_cast<size_t>(k) + 1] = block_.end(first + k) - begin;
  const int64_t num_bytes = block_.num_bytes - begin;
  const CaseRun run = write_lower({block_.data + begin, num_bytes, offsets_.data() + 1, count}, same_sizes_.data());
  if (!run.same_sizes) return lower_each(first);
  are_utf8_ = run.are_utf8;
  strings_ = {same_sizes_.data(), num_bytes, offsets_.data(), 1, count};
}

// Returns string k of the block, or all of a longer one. The latter may have changed since it was checked (race).
StringView LowerText::string(int64_t k) const {
  if (block_.num_strings > 0) return block_.string(k);
  StringView whole = in_.view(in_.range(block_.first_string / in_.cols, block_.first_string % in_.cols));
  whole.end = whole.begin + std::min(whole.size(), kMaxLowerText);
  return whole;
}

void LowerText::lower_each(int64_t first) {
  const int64_t count = std::max<int64_t>(block_.num_strings, 1) - first;
  other_sizes_.clear();
  offsets_[0] = 0;
  for (int64_t k = 0; k < count; ++k) {
    const StringView text = string(first + k);
    const size_t size = other_sizes_.size();
    other_sizes_.resize(size + static_cast<size_t>(Lower().size(text)));
    uint8_t* const end = Lower().write(text, other_sizes_.data() + size, other_sizes_.data() + other_sizes_.size());
    other_sizes_.resize(static_cast<size_t>(end - other_sizes_.data()));
    offsets_[static_cast<size_t>(k) + 1] = narrow<int32_t>(static_cast<int64_t>(other_sizes_.size()));
  }
  are_utf8_ = false;
  strings_ = {other_sizes_.data(), static_cast<int64_t>(other_sizes_.size()), offsets_.data(), 1, count};
}

}  // namespace stringops::kernels
