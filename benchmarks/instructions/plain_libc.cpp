// Plain versions of memcpy and similar functions. glibc's depend on the CPU and the version, which would change the
// counts; but a pass over memory that a kernel gains or loses must be counted.
//
// They work in blocks of 16 bytes, which takes about as many instructions per byte as glibc's do for short ranges.
#include <cstddef>
#include <cstdint>

// Otherwise the compiler would replace the loop in memcpy by a call of memcpy.
#pragma GCC optimize("no-tree-loop-distribute-patterns")

namespace {
template <class T>
using Unaligned __attribute__((aligned(1), may_alias)) = T;
using Word = Unaligned<uint64_t>;
typedef uint64_t Block __attribute__((vector_size(16), aligned(1), may_alias));
}  // namespace

extern "C" {

void* memcpy(void* __restrict to, const void* __restrict from, size_t n) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) *reinterpret_cast<Block*>(out + i) = *reinterpret_cast<const Block*>(in + i);
  for (; i < n; ++i) out[i] = in[i];
  return to;
}

void* memmove(void* to, const void* from, size_t n) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  if (out <= in) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) *reinterpret_cast<Block*>(out + i) = *reinterpret_cast<const Block*>(in + i);
    for (; i < n; ++i) out[i] = in[i];
  } else {
    for (; n >= 16; n -= 16) *reinterpret_cast<Block*>(out + n - 16) = *reinterpret_cast<const Block*>(in + n - 16);
    for (; n > 0; --n) out[n - 1] = in[n - 1];
  }
  return to;
}

void* memset(void* to, int byte, size_t n) {
  auto* out = static_cast<unsigned char*>(to);
  const uint64_t word = 0x0101010101010101 * static_cast<unsigned char>(byte);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) *reinterpret_cast<Block*>(out + i) = Block{word, word};
  for (; i < n; ++i) out[i] = static_cast<unsigned char>(byte);
  return to;
}

int memcmp(const void* left, const void* right, size_t n) {
  const auto* a = static_cast<const unsigned char*>(left);
  const auto* b = static_cast<const unsigned char*>(right);
  size_t i = 0;
  while (i + 8 <= n && *reinterpret_cast<const Word*>(a + i) == *reinterpret_cast<const Word*>(b + i)) i += 8;
  for (; i < n; ++i) {
    if (a[i] != b[i]) return a[i] - b[i];
  }
  return 0;
}
}
