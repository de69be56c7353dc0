#include "kernels/search_replace.h"

#include <cstring>

#include "core/bits.h"
#include "core/bounded_writer.h"
#include "core/copy_bytes.h"
#include "core/find_text.h"
#include "core/utf8.h"
#include "kernels/search.h"
#include "split/block_rule.h"
#include "split/literal_matches.h"

namespace stringops::kernels {
namespace {

// A larger result is not measured exactly, as sums of the sizes of 2**31 strings would exceed 64 bits.
constexpr int64_t kHuge = int64_t{1} << 32;

int64_t size_of(std::string_view text) {
  return static_cast<int64_t>(text.size());
}

}  // namespace

int64_t ReplaceOneByOne::size(StringView in) const {
  TextFinder finder(of.old);
  const int64_t count = of.num_replaced(CountLiteral{of.old}.find_in(in, finder));
  int64_t added = 0;
  if (__builtin_mul_overflow(count, size_of(of.by) - size_of(of.old), &added)) return kHuge;
  return std::min(in.size() + added, kHuge);
}

uint8_t* ReplaceOneByOne::write(StringView in, uint8_t* out, uint8_t* out_end) const {
  BoundedWriter writer(out, out_end);
  const uint8_t* p = in.begin;
  const bool inserts = of.old.empty();
  for (int64_t count = 0; count != of.max_count; ++count) {
    const uint8_t* const at = inserts ? p : find_text({p, in.end}, of.old);
    if (at == in.end && !inserts) break;
    writer.append(p, at - p);
    writer.append(of.by);
    p = at + of.old.size();
    if (!inserts) continue;
    if (p == in.end) break;
    const int64_t length = *p < 0x80 ? 1 : std::max<int64_t>(long_codepoint(p, in.end), 1);
    writer.append(p, length);
    p += length;
  }
  writer.append(p, in.end - p);
  return writer.at();
}

bool is_replaced_in_blocks(const Replacement& of) {
  return !of.old.empty() && size_of(of.old) <= kMaxBlockDelimiter;
}

ReplaceInBlocks::Worker::Worker(const ReplaceInBlocks& f)
    : of_(f.of),
      old_size_(size_of(of_.old)),
      by_size_(size_of(of_.by)),
      padded_by_(std::string(of_.by) + std::string(32, 0)) {}

int64_t ReplaceInBlocks::Worker::measure(const StringSpan& in, int64_t first, int64_t last) const {
  constexpr int64_t kEnough = int64_t{1} << 53;  // a block adds 2**44 bytes at most, and there are few tasks
  LiteralMatches matches(of_.old, of_.max_count);
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  int64_t bytes = 0;
  while (bytes < kEnough && reader.next(block)) {
    matches.find(block);
    bytes += block.num_bytes + matches.count() * (by_size_ - old_size_);
  }
  return std::max<int64_t>(bytes, 0);  // an occurrence may go on in a string that has become shorter
}

bool ReplaceInBlocks::Worker::write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                                    int64_t limit) const {
  LiteralMatches matches(of_.old, of_.max_count);
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  OffsetsWriter offsets(out.offsets, first);
  const uint8_t *const by = reinterpret_cast<const uint8_t*>(padded_by_.data()), *const by_end = by + padded_by_.size();
  const uint8_t* const out_end = out.data + limit;
  const int64_t growth = by_size_ - old_size_;
  int64_t skipped = 0;  // of the block: its first bytes, if they belong to an occurrence in the block before
  while (reader.next(block)) {
    matches.find(block);
    const uint8_t *from = block.data + std::min(skipped, block.num_bytes), *const end = block.data + block.num_bytes;
    const int64_t kept_begin = at - (from - block.data);
    skipped -= from - block.data;
    const int64_t beyond = block.num_strings == 0 ? matches.bytes_beyond(block) : 0;  // of the last occurrence
    if (end - from + beyond + matches.count() * growth > limit - at) return false;
    uint8_t* to = out.data + at;
    bool fits = true;  // occurrences may overlap if the strings are changed while they are searched
    for_each_bit(matches.begins(), words_for(block.num_bytes), [&](int64_t match) {
      const uint8_t* const found = block.data + match;
      const int64_t kept = found - from;
      fits &= kept >= 0 && kept + by_size_ <= out_end - to;
      if (!fits) return;
      copy_short(to, out_end, from, end, kept);
      to += kept;
      copy_short(to, out_end, by, by_end, by_size_);
      to += by_size_;
      from = found + old_size_;
    });
    skipped = block.num_strings == 0 ? skipped + beyond : 0;
    from = std::min(from, end);
    if (!fits || end - from > out_end - to) return false;
    copy_short(to, out_end, from, end, end - from);
    to += end - from;
    at = to - out.data;
    if (block.num_strings == 0) continue;
    const int32_t* const counts = matches.count_strings(block);
    for (int64_t k = 0; k < block.num_strings; ++k) {
      offsets.push(kept_begin + block.string_ends[k] + counts[k] * growth);
    }
  }
  return at == limit;
}

}  // namespace stringops::kernels
