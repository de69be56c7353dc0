// The least that reading rows of strings takes that are not adjacent: each is copied to a buffer in the first-level
// cache, in steps of kCopy bytes, without a check.
#include <cstdint>
#include <cstring>

namespace {

constexpr int64_t kBufferBytes = 16384, kMostBytes = 512;

// One step for each row, or as many as its bytes take.
template <int64_t kCopy, bool kOne>
int64_t copy_rows(const uint8_t* data, const int32_t* offsets, int64_t stride, int64_t cols, int64_t rows) {
  constexpr int64_t kRows = kBufferBytes / kMostBytes;
  alignas(64) static uint8_t buffer[kBufferBytes];
  uint8_t* const out = buffer;
  int64_t num_bytes = 0;
  for (int64_t row = 0; row < rows; row += kRows) {
    const int32_t* const end = offsets + stride * (row + kRows < rows ? kRows : rows - row);
    uint8_t* to = out;
    for (; offsets != end; offsets += stride) {
      // Both are loaded before the bytes are stored, or the processor waits for the stores.
      const int64_t begin = offsets[0], size = offsets[cols] - begin;
      for (int64_t i = 0; i < (kOne ? 1 : size); i += kCopy) std::memcpy(to + i, data + begin + i, kCopy);
      to += size;
    }
    asm volatile("" ::"r"(out) : "memory");  // the buffer is read
    num_bytes += to - out;
  }
  return num_bytes;
}

}  // namespace

// Rows of `cols` strings, of which row r has offsets[r * stride] and the `cols` numbers after it. `size` is that of
// most rows: of longer ones, less is copied. No row has more than 512 bytes; so many may be read after the beginning of
// each. Returns the number of bytes of all rows.
extern "C" int64_t gather(const uint8_t* data, const int32_t* offsets, int64_t stride, int64_t cols, int64_t rows,
                          int64_t size) {
  return size <= 16   ? copy_rows<16, true>(data, offsets, stride, cols, rows)
         : size <= 32 ? copy_rows<32, true>(data, offsets, stride, cols, rows)
                      : copy_rows<64, false>(data, offsets, stride, cols, rows);
}
