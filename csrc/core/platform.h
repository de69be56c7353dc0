// What differs between Linux and macOS. Other files call only POSIX and the C++ library, and tools/platforms.py has the
// flags of the build.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stringops {

constexpr size_t kHugePageBytes = size_t{1} << 21;

// Gives the kernel a hint before the buffer is first written. It affects only speed: Linux clears new memory page by
// page, which with pages of 4 KB costs more than the work of most operators (80 MB take 43 ms, and 9 ms with huge
// pages), and random access to tens of MB waits for the page table as long as for the bytes.
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

// Returns the last position of `byte` in begin <= end, or null.
inline const uint8_t* find_last_byte(const uint8_t* begin, const uint8_t* end, uint8_t byte) {
#ifdef __linux__
  return static_cast<const uint8_t*>(memrchr(begin, byte, static_cast<size_t>(end - begin)));
#else
  while (end > begin) {
    if (*--end == byte) return end;
  }
  return nullptr;
#endif
}

// Returns the time, which is exact to a few milliseconds, and takes less long to read than an exact one.
int64_t coarse_time_ns();

bool is_main_thread();

// Returns the number of cores that the process may use, or 0 if it is unknown.
int64_t usable_cores();

// Waits until another thread calls wake(), or about 20 ms. Returns at once if the word has another value.
void wait_while(const std::atomic<int32_t>& word, int32_t value);

void wake(const std::atomic<int32_t>& word);

}  // namespace stringops
