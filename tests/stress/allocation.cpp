// An allocator that is preloaded (LD_PRELOAD) in front of glibc's and makes allocations fail: the n-th one made on
// behalf of our libraries while it is armed, alone or with all that follow. tests/stress/allocation.py builds and runs
// it.
//
// "On behalf of" means: from the innermost frame outwards, a frame of our libraries comes before one of the libraries
// that are named as foreign. So operator new in our code counts, and so do torch's tensors that we create;
// allocations of torch's dispatcher or Python around a call do not.
//
// Everything that is allocated while armed is kept in a table until it is freed: blocks that remain are leaks or
// caches. This file does not allocate. It requires glibc, as it calls the internal names of glibc's functions.
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* __libc_malloc(size_t);
EXPORTED void* __libc_calloc(size_t, size_t);
EXPORTED void* __libc_realloc(void*, size_t);
EXPORTED void* __libc_memalign(size_t, size_t);
EXPORTED void __libc_free(void*);

namespace {

// The owner of the code at an address. The first frame that is not kOther decides whether an allocation may fail.
enum Owner : uint8_t { kOther, kOurs, kForeign };

struct Range {
  uintptr_t begin, end;
  Owner owner;
};

constexpr int kMaxRanges = 64;
Range ranges[kMaxRanges];
int num_ranges = 0;

constexpr int kFrames = 12;

struct Block {
  uintptr_t address;
  size_t size;
  uintptr_t frames[kFrames];
};

// Open addressing, linear probing.
constexpr size_t kSlots = size_t{1} << 17;
Block blocks[kSlots];
size_t num_blocks = 0;
std::atomic_flag table_lock = ATOMIC_FLAG_INIT;
std::atomic<bool> any_blocks{false};

std::atomic<bool> armed{false}, with_stacks{false};
std::atomic<long> counted{0}, failed{0};
std::atomic<long> fail_at{0};
std::atomic<bool> fail_on{false};

// Unwinding itself may allocate, the first time.
__thread bool inside __attribute__((tls_model("initial-exec"))) = false;

struct Lock {
  Lock() {
    while (table_lock.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Lock() { table_lock.clear(std::memory_order_release); }
};

size_t home(uintptr_t address) {
  return (address >> 4) * 0x9E3779B97F4A7C15u >> 47;
}

void insert(const Block& block) {
  const Lock lock;
  if (num_blocks > kSlots / 2) return;  // allocation_live() then reports -1
  size_t i = home(block.address);
  while (blocks[i].address) i = (i + 1) % kSlots;
  blocks[i] = block;
  ++num_blocks;
  any_blocks = true;
}

void remove(void* pointer) {
  if (!pointer || !any_blocks.load(std::memory_order_relaxed)) return;
  const Lock lock;
  size_t i = home(reinterpret_cast<uintptr_t>(pointer));
  for (; blocks[i].address != reinterpret_cast<uintptr_t>(pointer); i = (i + 1) % kSlots) {
    if (!blocks[i].address) return;
  }
  --num_blocks;
  // Later blocks of the chain are moved up, so that searches still find them.
  for (size_t next = (i + 1) % kSlots; blocks[next].address; next = (next + 1) % kSlots) {
    if ((next - home(blocks[next].address)) % kSlots >= (next - i) % kSlots) {
      blocks[i] = blocks[next];
      i = next;
    }
  }
  blocks[i].address = 0;
}

struct Walk {
  Block block{};
  int num_frames = 0;
  Owner owner = kOther;
};

Owner owner_of(uintptr_t address) {
  for (int i = 0; i < num_ranges; ++i) {
    if (address >= ranges[i].begin && address < ranges[i].end) return ranges[i].owner;
  }
  return kOther;
}

_Unwind_Reason_Code step(_Unwind_Context* context, void* pointer) {
  constexpr int kDeepest = 200;
  auto& walk = *static_cast<Walk*>(pointer);
  const auto address = static_cast<uintptr_t>(_Unwind_GetIP(context));
  if (walk.num_frames < kFrames) walk.block.frames[walk.num_frames] = address;
  if (++walk.num_frames > kDeepest) return _URC_END_OF_STACK;
  const Owner owner = owner_of(address);
  if (owner == kOther) return _URC_NO_REASON;
  walk.owner = owner;
  return _URC_END_OF_STACK;
}

// Decides whether an allocation fails. Its result must be passed to done().
struct Request {
  Walk walk;
  bool watched = false;

  bool fails() {
    if (!armed.load(std::memory_order_relaxed) || inside) return false;
    watched = true;
    if (!with_stacks.load(std::memory_order_relaxed)) return false;
    inside = true;
    _Unwind_Backtrace(step, &walk);
    inside = false;
    if (walk.owner != kOurs) return false;
    const long n = ++counted;
    const long first = fail_at.load(std::memory_order_relaxed);
    if (!first || n < first || (n > first && !fail_on.load(std::memory_order_relaxed))) return false;
    ++failed;
    return true;
  }

  void* done(void* pointer, size_t size) {
    if (watched && pointer) {
      walk.block.address = reinterpret_cast<uintptr_t>(pointer);
      walk.block.size = size;
      insert(walk.block);
    }
    return pointer;
  }
};

void* reject() {
  errno = ENOMEM;
  return nullptr;
}

void* aligned(size_t alignment, size_t size) {
  Request request;
  return request.fails() ? reject() : request.done(__libc_memalign(alignment, size), size);
}

struct Names {
  const char* name;
  Owner owner;
};

int add_ranges(dl_phdr_info* info, size_t, void* pointer) {
  const auto& names = *static_cast<const Names*>(pointer);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  if (!std::strstr(slash ? slash : info->dlpi_name, names.name)) return 0;
  for (int i = 0; i < info->dlpi_phnum && num_ranges < kMaxRanges; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    ranges[num_ranges++] = {begin, begin + segment.p_memsz, names.owner};
  }
  return 0;
}

Owner owner_named(char letter) {
  return letter == 'o' ? kOurs : kForeign;
}

}  // namespace

EXPORTED void* malloc(size_t size) {
  Request request;
  return request.fails() ? reject() : request.done(__libc_malloc(size), size);
}

EXPORTED void* calloc(size_t count, size_t size) {
  Request request;
  return request.fails() ? reject() : request.done(__libc_calloc(count, size), count * size);
}

EXPORTED void* realloc(void* old, size_t size) {
  Request request;
  if (request.fails()) return reject();
  remove(old);
  return request.done(__libc_realloc(old, size), size);
}

EXPORTED void* memalign(size_t alignment, size_t size) {
  return aligned(alignment, size);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  return aligned(alignment, size);
}

EXPORTED int posix_memalign(void** result, size_t alignment, size_t size) {
  void* const pointer = aligned(alignment, size);
  if (!pointer) return ENOMEM;
  *result = pointer;
  return 0;
}

EXPORTED void free(void* pointer) {
  remove(pointer);
  __libc_free(pointer);
}

// Declares the owner of the libraries whose file names contain `name`: 'o', ours; 'f', foreign. Returns the
// number of known ranges of code.
EXPORTED int allocation_name(const char* name, char owner) {
  Names names{name, owner_named(owner)};
  dl_iterate_phdr(add_ranges, &names);
  return num_ranges;
}

// The same for one function.
EXPORTED int allocation_name_function(const char* name, char owner) {
  void* const function = dlsym(RTLD_DEFAULT, name);
  Dl_info info{};
  ElfW(Sym)* symbol = nullptr;
  if (function && dladdr1(function, &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) && symbol &&
      num_ranges < kMaxRanges) {
    const auto begin = reinterpret_cast<uintptr_t>(function);
    ranges[num_ranges++] = {begin, begin + symbol->st_size, owner_named(owner)};
  }
  return num_ranges;
}

// From now on allocation `first` fails, and with `on` all after it; 0: none fails. Without `stacks`, which takes most
// of the time, blocks are only tracked.
EXPORTED void allocation_arm(long first, int on, int stacks) {
  counted = failed = 0;
  with_stacks = stacks != 0;
  fail_at = first;
  fail_on = on != 0;
  armed = true;
}

struct Counts {
  long counted, failed;
};

EXPORTED Counts allocation_disarm() {
  armed = false;
  return {counted, failed};
}

// The number of blocks allocated while armed and not freed. -1: too many to track.
EXPORTED long allocation_live() {
  const Lock lock;
  return num_blocks > kSlots / 2 ? -1 : static_cast<long>(num_blocks);
}

// Stops tracking those blocks.
EXPORTED void allocation_forget() {
  const Lock lock;
  std::memset(static_cast<void*>(blocks), 0, sizeof(blocks));
  num_blocks = 0;
  any_blocks = false;
}

// Describes the live blocks, one per line: size, then library and function of the frames, innermost first.
EXPORTED void allocation_describe(char* text, size_t room) {
  const Lock lock;
  size_t used = 0;
  text[0] = 0;
  for (const Block& block : blocks) {
    if (!block.address || room - used < 4000) continue;
    used += static_cast<size_t>(std::snprintf(text + used, room - used, "%zu bytes:", block.size));
    for (const uintptr_t frame : block.frames) {
      Dl_info info{};
      if (!frame || !dladdr(reinterpret_cast<void*>(frame), &info) || !info.dli_fname) continue;
      const char* const slash = std::strrchr(info.dli_fname, '/');
      used += static_cast<size_t>(
          std::snprintf(text + used, room - used, " %.40s:%.120s+%zx", slash ? slash + 1 : info.dli_fname,
                        info.dli_sname ? info.dli_sname : "", frame - reinterpret_cast<uintptr_t>(info.dli_fbase)));
    }
    used += static_cast<size_t>(std::snprintf(text + used, room - used, "\n"));
  }
}
