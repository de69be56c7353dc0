// Requests huge pages. Linux clears new memory page by page, which with pages of 4 KB costs more than the work of most
// operators (80 MB take 43 ms, and 9 ms with huge pages), and random access to tens of MB waits for the page table as
// long as for the bytes.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace stringops {

constexpr size_t kHugePageBytes = size_t{1} << 21;

// Gives the kernel a hint before the buffer is first written. It affects only speed.
inline void advise_huge_pages(void* buffer, size_t num_bytes) {
#ifdef MADV_HUGEPAGE
  if (num_bytes < 2 * kHugePageBytes) return;  // may not contain a whole page
  const auto begin = reinterpret_cast<uintptr_t>(buffer);
  const uintptr_t first = (begin + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
  const uintptr_t last = (begin + num_bytes) & ~(kHugePageBytes - 1);
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  (void)buffer, (void)num_bytes;
#endif
}

}  // namespace stringops
