#include "memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "host/tensor.h"

namespace stringops::fuzz::memory {
namespace {

constexpr size_t kPage = 4096, kPages = size_t{1} << 26;  // 256 GB of addresses, which are not used again
constexpr size_t kAlignment = 16;
constexpr uint8_t kUnused = 0xA5;

thread_local Plan* plan = nullptr;
thread_local bool in_operator = false;
std::atomic<long> live{0};

struct Region {
  uint8_t* const pages;
  uint64_t* const sizes;  // of the block that begins in a page
  std::atomic<size_t> next_page{0};

  Region()
      : pages(map(kPages * kPage, PROT_NONE)),
        sizes(reinterpret_cast<uint64_t*>(map(kPages * 8, PROT_READ | PROT_WRITE))) {}

  static uint8_t* map(size_t bytes, int protection) {
    void* const at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) std::abort();
    return static_cast<uint8_t*>(at);
  }
  size_t page_of(const void* block) const {
    return static_cast<size_t>(static_cast<const uint8_t*>(block) - pages) / kPage;
  }
  bool contains(const void* block) const { return block >= pages && block < pages + kPages * kPage; }

  void* allocate(size_t size, size_t alignment) {
    const size_t count = (size + alignment - 1 + kPage - 1) / kPage;
    const size_t first = next_page.fetch_add(count + 1);
    if (first + count + 1 > kPages) std::abort();
    uint8_t* const begin = pages + first * kPage;
    uint8_t* const end = begin + count * kPage;
    if (count > 0 && mprotect(begin, count * kPage, PROT_READ | PROT_WRITE) != 0) return nullptr;
    auto* const block = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(end - size) & ~(alignment - 1));
    std::memset(block + size, kUnused, static_cast<size_t>(end - block) - size);
    sizes[page_of(block)] = size;
    return block;
  }

  void release(uint8_t* block) {
    const size_t first = page_of(block), size = sizes[first];
    uint8_t* const page = pages + first * kPage;
    auto* const end = page + (static_cast<size_t>(block - page) + size + kPage - 1) / kPage * kPage;
    for (const uint8_t* p = block + size; p < end; ++p) {
      if (*p != kUnused) std::abort();  // a write beyond the block
    }
    if (end == page) return;
    // New pages, so that the memory is given back.
    mmap(page, static_cast<size_t>(end - page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
  }
};

Region* region() {
  static Region* const made =
      std::getenv("STRINGOPS_FUZZ_GUARD") ? new (std::malloc(sizeof(Region))) Region() : nullptr;
  return made;
}

bool must_fail() {
  if (!plan || !plan->fail_from) return false;
  const long n = ++plan->count;
  const bool fails = n == plan->fail_from || (n > plan->fail_from && plan->fail_on);
  plan->failures += fails;
  return fails;
}

void* plain(size_t size, size_t alignment) {
  return alignment > kAlignment ? std::aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1))
                                : std::malloc(size);
}

void* allocate(size_t size, size_t max_size, size_t alignment, bool guards = in_operator) {
  void* block = nullptr;
  if (size <= max_size && !must_fail())
    block = guards && region() ? region()->allocate(size, alignment) : plain(size, alignment);
  if (block) live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* allocate_or_throw(size_t size, size_t max_size, size_t alignment, bool guards = in_operator) {
  if (void* const block = allocate(size, max_size, alignment, guards)) return block;
  throw std::bad_alloc();
}

void release(void* block) {
  if (!block) return;
  live.fetch_sub(1, std::memory_order_relaxed);
  Region* const guarded = region();
  guarded && guarded->contains(block) ? guarded->release(static_cast<uint8_t*>(block)) : std::free(block);
}

// Tensors need no larger alignment than their elements have, whose size divides theirs.
void* allocate_tensor(size_t size) {
  if (Plan* const current = plan; current && current->on_tensor) {
    const Planned none(nullptr);
    current->on_tensor();
  }
  return allocate_or_throw(size, kMaxTensorBytes, 1, true);
}

[[maybe_unused]] const bool is_set = (host::tensor_memory = {allocate_tensor, release}, true);

}  // namespace

Planned::Planned(Plan* next) : outer_(std::exchange(plan, next)), outside_(!std::exchange(in_operator, true)) {}

Planned::~Planned() {
  plan = outer_;
  in_operator = !outside_;
}

long live_blocks() {
  return live;
}

}  // namespace stringops::fuzz::memory

using namespace stringops::fuzz::memory;

void* operator new(size_t size) {
  return allocate_or_throw(size, kMaxBytes, kAlignment);
}
void* operator new[](size_t size) {
  return allocate_or_throw(size, kMaxBytes, kAlignment);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kMaxBytes, kAlignment);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kMaxBytes, kAlignment);
}
void operator delete(void* block) noexcept {
  release(block);
}
void operator delete[](void* block) noexcept {
  release(block);
}
void operator delete(void* block, size_t) noexcept {
  release(block);
}
void operator delete[](void* block, size_t) noexcept {
  release(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  release(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept {
  release(block);
}

void* operator new(size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, kMaxBytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, kMaxBytes, static_cast<size_t>(alignment));
}
void operator delete(void* block, std::align_val_t) noexcept {
  release(block);
}
void operator delete[](void* block, std::align_val_t) noexcept {
  release(block);
}
void operator delete(void* block, size_t, std::align_val_t) noexcept {
  release(block);
}
void operator delete[](void* block, size_t, std::align_val_t) noexcept {
  release(block);
}
