// An allocator that is preloaded (LD_PRELOAD) in front of glibc's and makes allocations fail: the n-th one made on
// behalf of our libraries while it is armed, alone or with all that follow. tests/stress/allocation.py builds it.
//
// "On behalf of" means: from the innermost frame outwards, a frame of our libraries comes before one of Python's
// interpreter loop or of a library that is named as foreign. So operator new in our code counts, and so do torch's
// tensors that we create; allocations of torch's dispatcher or Python around a call do not.
//
// It requires glibc, as it calls the internal names of glibc's functions.
#include <dlfcn.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* __libc_malloc(size_t);
EXPORTED void* __libc_calloc(size_t, size_t);
EXPORTED void* __libc_realloc(void*, size_t);
EXPORTED void* __libc_memalign(size_t, size_t);

namespace {

struct Code {
  uintptr_t begin, end;
  bool ours;
};

Code codes[64];
int num_codes = 0;
uintptr_t interpreter_loop = 0;

std::atomic<bool> armed{false}, fail_on{false};
std::atomic<long> counted{0}, failed{0}, fail_at{0};

// Unwinding itself may allocate, the first time.
__thread bool inside __attribute__((tls_model("initial-exec"))) = false;

struct Walk {
  int num_frames = 0;
  bool ours = false;
};

// Ends the walk at the first frame with an owner.
_Unwind_Reason_Code step(_Unwind_Context* context, void* pointer) {
  constexpr int kDeepest = 200;
  auto& walk = *static_cast<Walk*>(pointer);
  if (++walk.num_frames > kDeepest || _Unwind_GetRegionStart(context) == interpreter_loop) return _URC_END_OF_STACK;
  const auto address = static_cast<uintptr_t>(_Unwind_GetIP(context));
  for (int i = 0; i < num_codes; ++i) {
    if (address < codes[i].begin || address >= codes[i].end) continue;
    walk.ours = codes[i].ours;
    return _URC_END_OF_STACK;
  }
  return _URC_NO_REASON;
}

bool fails() {
  if (!armed.load(std::memory_order_relaxed) || inside) return false;
  Walk walk;
  inside = true;
  _Unwind_Backtrace(step, &walk);
  inside = false;
  if (!walk.ours) return false;
  const long n = ++counted;
  if (n < fail_at || (n > fail_at && !fail_on)) return false;
  ++failed;
  errno = ENOMEM;
  return true;
}

}  // namespace

EXPORTED void* malloc(size_t size) {
  return fails() ? nullptr : __libc_malloc(size);
}

EXPORTED void* calloc(size_t count, size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}

EXPORTED void* realloc(void* old, size_t size) {
  return fails() ? nullptr : __libc_realloc(old, size);
}

EXPORTED void* memalign(size_t alignment, size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

EXPORTED int posix_memalign(void** result, size_t alignment, size_t size) {
  void* const pointer = memalign(alignment, size);
  if (!pointer) return ENOMEM;
  *result = pointer;
  return 0;
}

// Declares whether code is that of our libraries or of a foreign one.
EXPORTED void allocation_declare(uintptr_t begin, uintptr_t end, int ours) {
  interpreter_loop = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault"));
  if (num_codes < 64) codes[num_codes++] = {begin, end, ours != 0};
}

// From now on allocation `first` fails, and with `on` all after it.
EXPORTED void allocation_arm(long first, int on) {
  counted = failed = 0;
  fail_at = first;
  fail_on = on != 0;
  armed = true;
}

// Returns the number of allocations that have failed.
EXPORTED long allocation_disarm() {
  armed = false;
  return failed;
}
