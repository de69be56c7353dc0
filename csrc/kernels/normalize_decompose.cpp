#include "kernels/normalize_decompose.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/canonical_order.h"
#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/lazy.h"
#include "core/poll.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

using namespace normalization;

// Bytes of ASCII that are tested and copied at once.
constexpr int64_t kWord = 8;

// Code points below are of class 0, and none is a nonspacing mark.
constexpr uint32_t kFirstMark = 0x300;

uint16_t flags_of_part(uint32_t c) {
  return c < kFirstMark ? uint16_t{0} : kNormalizationFlags[c];
}

int8_t size_of(uint32_t c) {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

}  // namespace

// Tells by how many bytes each code point grows, without branches, because the changes are unpredictable.
class Decompose::Growth {
 public:
  Growth(const ListTable& decompositions, uint16_t not_in_form, uint16_t dropped) : entries_(kBlock) {
    const uint32_t num_blocks = kNormalizationFlags.limit / kBlock;
    for (uint32_t block = 0; block < num_blocks; ++block) {
      blocks_.push_back(0);
      if (kNormalizationFlags.blocks[block] == 0) continue;  // nothing changes
      blocks_.back() = static_cast<uint16_t>(entries_.size() / kBlock);
      for (uint32_t c = block * kBlock; c < (block + 1) * kBlock; ++c) {
        int8_t growth = 0;
        if ((kNormalizationFlags[c] & (not_in_form | dropped)) != 0) {
          growth = static_cast<int8_t>(-size_of(c));
          for_each_part(c, decompositions, [&](uint32_t part) {
            if ((kNormalizationFlags[part] & dropped) == 0) growth = static_cast<int8_t>(growth + size_of(part));
          });
        }
        entries_.push_back(growth);
      }
    }
  }

  int64_t operator[](uint32_t c) const {
    return c < kNormalizationFlags.limit ? entries_[size_t{blocks_[c / kBlock]} * kBlock + c % kBlock] : 0;
  }

 private:
  static constexpr uint32_t kBlock = 64;

  std::vector<uint16_t> blocks_;  // which block of entries
  std::vector<int8_t> entries_;
};

Decompose::Decompose(Form form)
    : decompositions_(form == Form::kNfkd ? kCompatibility : kCanonical),
      growth_(growth(form)),
      not_in_form_(form == Form::kNfkd ? kNotNfkd : kNotNfd),
      dropped_(form == Form::kUnaccented ? kNonspacing : 0),
      // The first code points that change: U+00C0 has a canonical decomposition, U+00A0 another one.
      first_byte_(form == Form::kNfkd ? 0xC2 : 0xC3) {}

const Decompose::Growth& Decompose::growth(Form form) {
  if (form == Form::kNfd) return lazy([] { return Growth(kCanonical, kNotNfd, 0); });
  if (form == Form::kNfkd) return lazy([] { return Growth(kCompatibility, kNotNfkd, 0); });
  return lazy([] { return Growth(kCanonical, kNotNfd, kNonspacing); });
}

bool Decompose::keeps(StringView bytes) const {
  uint8_t greatest = 0;  // the loop has no exit, so that it is vectorized
  for (const uint8_t* p = bytes.begin; p < bytes.end; ++p) greatest = std::max(greatest, *p);
  return greatest < first_byte_;
}

std::optional<int64_t> Decompose::find_size(StringView in) const {
  int64_t size = in.size();
  const uint8_t* p = in.begin;
  while (p < in.end) {
    for (const uint8_t* const stop = poll_stop(p, in.end); p < stop;) {
      if (*p < 0x80) {
        p += in.end - p >= kWord && is_ascii(p, kWord) ? kWord : 1;
        continue;
      }
      const Codepoint c = read_codepoint(p, in.end);
      size += growth_[c.value];
      p += c.length;
    }
  }
  return size;
}

// Writes results up to out_end.
struct Decompose::Writer {
  uint8_t* out;
  uint8_t* const out_end;

  void copy(const uint8_t* p, int64_t n) {
    n = std::min<int64_t>(n, out_end - out);
    copy_bytes(out, p, n);
    out += n;
  }

  void put(uint32_t c) {
    if (out_end - out >= kMaxCodepointBytes) {
      out = write_codepoint(c, out);
      return;
    }
    uint8_t bytes[kMaxCodepointBytes];
    copy(bytes, write_codepoint(c, bytes) - bytes);
  }
};

uint8_t* Decompose::write(StringView in, uint8_t* out, uint8_t* out_end) const {
  const auto mask = static_cast<uint16_t>(kClass | not_in_form_ | dropped_);
  Writer writer{out, out_end};
  // Nothing before `segment`, the result of which ends at `segment_out`, moves behind it.
  const uint8_t* segment = in.begin;
  uint8_t* segment_out = out;
  int last_class = 0;
  const uint8_t* p = in.begin;
  while (p < in.end) {
    for (const uint8_t* const stop = poll_stop(p, in.end); p < stop;) {
      const int64_t room = std::min(in.end - p, writer.out_end - writer.out);
      if (*p < 0x80) {
        last_class = 0;
        const int64_t n = room >= kWord && is_ascii(p, kWord) ? kWord : 1;
        if (n == kWord) {
          std::memcpy(writer.out, p, kWord);
          writer.out += kWord;
        } else {
          writer.copy(p, 1);
        }
        p += n;
        continue;
      }
      const Codepoint c = read_codepoint(p, in.end);
      const uint16_t flags = kNormalizationFlags[c.value];
      if ((flags & mask) == 0) {
        last_class = 0;
        if (room >= kMaxCodepointBytes) {
          std::memcpy(writer.out, p, kMaxCodepointBytes);
          writer.out += c.length;
        } else {
          writer.copy(p, c.length);
        }
        p += c.length;
        continue;
      }
      bool is_first = true, in_order = true;
      for_each_part(c.value, decompositions_, [&](uint32_t part) {
        const uint16_t part_flags = flags_of_part(part);
        const int part_class = part_flags & kClass;
        if (is_first && (part_class == 0 || last_class == 0)) {
          segment = p;
          segment_out = writer.out;
        }
        is_first = false;
        in_order &= part_class == 0 || part_class >= last_class;
        last_class = part_class;
        if ((part_flags & dropped_) == 0) writer.put(part);
      });
      p += c.length;
      if (in_order) continue;
      // Marks that are not in order: those from the last code point that does not move are written again.
      Segment items;
      const uint8_t* const seen = p;
      for (p = segment; p < in.end;) {
        if (*p < 0x80) break;
        const Codepoint next = read_codepoint(p, in.end);
        const size_t count = items.items.size();
        if (next.value == kInvalidByte) break;
        items.add_decomposed(next.value, decompositions_);
        if (count > 0 && items.items[count].combining_class() == 0) {
          items.items.resize(count);
          break;
        }
        p += next.length;
      }
      p = std::max(p, seen);
      items.reorder();
      writer.out = segment_out;
      for (const Segment::Item& item : items.items) {
        if ((item.flags & dropped_) == 0) writer.put(item.codepoint);
      }
      last_class = items.items.empty() ? 0 : items.items.back().combining_class();
    }
  }
  return writer.out;
}

}  // namespace stringops::kernels
