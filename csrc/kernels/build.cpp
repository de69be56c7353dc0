#include "kernels/build.h"

#include <array>

#include "core/bits.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// Returns the number of bytes of a block's strings.
int64_t count_bytes(const simd::StringRun& run, int64_t count) {
  int64_t bytes = 0;
  if (run.is_broadcast) {
    bytes = (int64_t{run.ends[0]} - run.begins[0]) * count;
  } else if (run.ends == run.begins + 1) {
    bytes = int64_t{run.begins[count]} - run.begins[0];
  } else {
    for (int64_t i = 0; i < count; ++i) bytes += int64_t{run.ends[i]} - run.begins[i];
  }
  return std::max<int64_t>(bytes, 0);
}

// Returns the time of reading the operand for all elements of the result.
double ns_of(const Operand& operand, const Shape& shape, Cost cost) {
  const auto strings = static_cast<double>(std::max<int64_t>(operand.span.size(), 1));
  return Runner::time_of(operand.span, cost) * static_cast<double>(count_elements(shape)) / strings;
}

// Up to this number of times, a string is copied from its source each time.
constexpr int64_t kFewTimes = 8;

// Writes `size` bytes `count` times in a row; they are at `out` already for the first time.
void repeat_bytes(uint8_t* out, int64_t size, int64_t count) {
  const int64_t total = size * count;
  if (size == 1) {
    std::memset(out, out[0], static_cast<size_t>(total));
    return;
  }
  for (int64_t done = size, n; done < total; done += n) {
    n = std::min(done, total - done);
    std::memcpy(out + done, out, static_cast<size_t>(n));
  }
}

}  // namespace

double Concat::ns() const {
  double ns = 0;
  for (const Operand& operand : operands_) ns += ns_of(operand, shape_, {4, 0.1});
  return ns;
}

Concat::Reader::Reader(const Concat& concat) {
  for (const Operand& operand : concat.operands_) readers_.emplace_back(operand, concat.shape_);
  runs_.resize(readers_.size());
}

void Concat::Reader::read(int64_t first, int64_t count) {
  for (size_t i = 0; i < readers_.size(); ++i) runs_[i] = readers_[i].read(first, count);
}

int64_t Concat::Reader::measure(int64_t first, int64_t count) {
  read(first, count);
  int64_t bytes = 0;
  for (const simd::StringRun& run : runs_) bytes = std::min(bytes + count_bytes(run, count), kTooMany);
  return bytes;
}

int64_t Concat::Reader::write(int64_t first, int64_t count, uint8_t* out, OffsetsWriter& offsets, int64_t at,
                              int64_t limit) {
  read(first, count);
  for (int64_t i = 0; i < count; ++i) {
    for (const simd::StringRun& run : runs_) {
      const int64_t k = run.is_broadcast ? 0 : i;
      at = append_range(out, at, limit, run.data, run.num_bytes, run.begins[k], run.ends[k]);
    }
    offsets.push(at);
  }
  return at;
}

double Repeat::ns() const {
  return ns_of(operand_, shape_, {6, 0.1});
}

Repeat::Reader::Reader(const Repeat& repeat)
    : strings_(repeat.operand_, repeat.shape_), counts_(repeat.counts_, repeat.counts_shape_, repeat.shape_) {}

int64_t Repeat::Reader::measure(int64_t first, int64_t count) {
  const simd::StringRun run = strings_.read(first, count);
  const NumbersReader::Run counts = counts_.read(first, count);
  int64_t bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t k = run.is_broadcast ? 0 : i;
    const int64_t size = std::max<int64_t>(int64_t{run.ends[k]} - run.begins[k], 0);
    int64_t repeated;
    if (__builtin_mul_overflow(size, std::max<int64_t>(counts.values[i * counts.step], 0), &repeated)) return kTooMany;
    bytes = std::min(bytes + std::min(repeated, kTooMany), kTooMany);
  }
  return bytes;
}

int64_t Repeat::Reader::write(int64_t first, int64_t count, uint8_t* out, OffsetsWriter& offsets, int64_t at,
                              int64_t limit) {
  const simd::StringRun run = strings_.read(first, count);
  const NumbersReader::Run counts = counts_.read(first, count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = at, k = run.is_broadcast ? 0 : i;
    // They are read once, because they may change.
    const int32_t from = run.begins[k], to = run.ends[k];
    int64_t times = counts.values[i * counts.step];
    if (times > 0) {
      at = append_range(out, at, limit, run.data, run.num_bytes, from, to);
      const int64_t size = at - begin;
      if (times <= kFewTimes) {
        // Copies of the copy would wait until that is written.
        while (--times > 0) at = append_range(out, at, limit, run.data, run.num_bytes, from, to);
      } else if (size > 0) {
        times = std::min(times, (limit - begin) / size);
        repeat_bytes(out + begin, size, times);
        at = begin + size * times;
      }
    }
    offsets.push(at);
  }
  return at;
}

namespace {

// The mean size of strings from which on reading the few code points of a slice is faster than reading all bytes.
constexpr int64_t kLong = 256;

}  // namespace

bool slice_block(const Block& block, const simd::CodepointSlice& slice, bool bytes, simd::ShortPiece* pieces) {
  const simd::Primitives& simd = simd::primitives();
  const int32_t* const ends = block.string_ends.data();
  const auto cut = [&](const uint64_t* codepoint_ends) {
    simd.slice_codepoints(codepoint_ends, ends, block.num_strings, slice, pieces);
    return true;
  };
  if (bytes) return cut(nullptr);
  if (block.num_bytes > kLong * block.num_strings) return false;
  if (is_ascii(block.data, block.num_bytes)) return cut(nullptr);
  if (!are_utf8(simd, block)) return false;
  // Two words after the last one are read for an empty string at the end of the block.
  std::array<uint64_t, words_for(kBlockBytes) + 2> codepoint_ends;
  simd.find_codepoint_ends(block.data, block.num_bytes, codepoint_ends.data());
  const auto words = static_cast<size_t>(words_for(block.num_bytes));
  codepoint_ends[words] = codepoint_ends[words + 1] = 0;
  return cut(codepoint_ends.data());
}

}  // namespace stringops::kernels
