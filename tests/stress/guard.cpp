// An allocator that is preloaded (LD_PRELOAD) in front of glibc's, in which each block ends at a page that cannot be
// read: a read or write beyond the block, or after it was freed, is a SIGSEGV. tests/stress/guard.py builds and runs
// it.
//
// It makes torch's tensors, whose last byte is the last one of a page, and while it is armed all that malloc returns.
// These are aligned to 16 bytes, as the compiler expects, so that up to 15 bytes after them can be read; that they were
// not written is checked when the block is freed. Addresses are not used again.
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* __libc_malloc(size_t);
EXPORTED void* __libc_calloc(size_t, size_t);
EXPORTED void* __libc_realloc(void*, size_t);
EXPORTED void* __libc_memalign(size_t, size_t);
EXPORTED void __libc_free(void*);

namespace {

constexpr size_t kPage = 4096, kPages = size_t{1} << 28;  // 1 TB of addresses
constexpr size_t kMaxBytes = size_t{4} << 30;             // more is refused, as a damaged size may ask for it
constexpr size_t kTensorAlignment = 64, kAlignment = 16;
constexpr uint8_t kUnused = 0xA5;

std::atomic<bool> armed{false};
std::atomic<size_t> next_page{0};
std::atomic<long> num_blocks{0};

struct Region {
  uint8_t* pages;
  uint64_t* sizes;  // of the block that begins in a page, and 1

  Region()
      : pages(map(kPages * kPage, PROT_NONE)),
        sizes(reinterpret_cast<uint64_t*>(map(kPages * 8, PROT_READ | PROT_WRITE))) {}

  static uint8_t* map(size_t bytes, int protection) {
    void* const at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) std::abort();
    return static_cast<uint8_t*>(at);
  }
};

Region& region() {
  static Region made;
  return made;
}

size_t pages_for(size_t bytes) {
  return (bytes + kPage - 1) / kPage;
}

bool is_guarded(const void* pointer) {
  const Region& r = region();
  return pointer >= r.pages && pointer < r.pages + kPages * kPage;
}

size_t page_of(const void* pointer) {
  return static_cast<size_t>(static_cast<const uint8_t*>(pointer) - region().pages) / kPage;
}

size_t size_of(const void* pointer) {
  return region().sizes[page_of(pointer)] - 1;
}

void* allocate(size_t size, size_t alignment) {
  const Region& r = region();
  if (size > kMaxBytes) {
    errno = ENOMEM;
    return nullptr;
  }
  const size_t count = pages_for(size + (alignment - 1));
  const size_t first = next_page.fetch_add(count + 1);
  if (first + count + 1 > kPages) std::abort();
  uint8_t* const begin = r.pages + first * kPage;
  uint8_t* const end = begin + count * kPage;
  if (count > 0 && mprotect(begin, count * kPage, PROT_READ | PROT_WRITE) != 0) {
    errno = ENOMEM;
    return nullptr;
  }
  auto* const block = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(end - size) & ~(alignment - 1));
  std::memset(block + size, kUnused, static_cast<size_t>(end - block) - size);
  r.sizes[page_of(block)] = size + 1;
  ++num_blocks;
  return block;
}

void release(void* pointer) {
  const Region& r = region();
  const size_t first = page_of(pointer), size = size_of(pointer);
  auto* const begin = static_cast<uint8_t*>(pointer);
  auto* const end = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(begin) + size + kPage - 1) & ~(kPage - 1));
  for (const uint8_t* p = begin + size; p < end; ++p) {
    if (*p != kUnused) std::abort();  // a write beyond the block
  }
  r.sizes[first] = 0;
  uint8_t* const page = r.pages + first * kPage;
  if (end == page) return;
  // New pages, so that the memory is given back.
  mmap(page, static_cast<size_t>(end - page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
       0);
}

bool guards() {
  return armed.load(std::memory_order_relaxed);
}

}  // namespace

EXPORTED void guard_arm(bool arm) {
  armed = arm;
}
EXPORTED long guard_blocks() {
  return num_blocks;
}

EXPORTED void* malloc(size_t size) {
  return guards() ? allocate(size, kAlignment) : __libc_malloc(size);
}

EXPORTED void free(void* pointer) {
  if (pointer && is_guarded(pointer)) return release(pointer);
  __libc_free(pointer);
}

EXPORTED void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (!guards() || __builtin_mul_overflow(count, size, &bytes)) return __libc_calloc(count, size);
  return allocate(bytes, kAlignment);  // pages are zero
}

EXPORTED void* realloc(void* pointer, size_t size) {
  if (!pointer) return malloc(size);
  if (!is_guarded(pointer)) return __libc_realloc(pointer, size);
  void* const grown = allocate(size, kAlignment);
  if (!grown) return nullptr;
  const size_t before = size_of(pointer);
  std::memcpy(grown, pointer, before < size ? before : size);
  release(pointer);
  return grown;
}

EXPORTED void* memalign(size_t alignment, size_t size) {
  return __libc_memalign(alignment, size);
}
EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  return __libc_memalign(alignment, size);
}

// torch asks for the memory of its tensors by this function.
EXPORTED int posix_memalign(void** out, size_t alignment, size_t size) {
  void* const block = alignment == kTensorAlignment ? allocate(size, 1) : __libc_memalign(alignment, size);
  if (!block) return ENOMEM;
  *out = block;
  return 0;
}

EXPORTED size_t malloc_usable_size(void* pointer) {
  if (!pointer) return 0;
  if (is_guarded(pointer)) return size_of(pointer);
  // glibc keeps the size before the block.
  return (reinterpret_cast<size_t*>(pointer)[-1] & ~size_t{7}) - 8;
}
