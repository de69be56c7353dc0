// The entry point of libFuzzer, which calls the target that STRINGOPS_FUZZ_OP names.
#include "fuzz.h"

using stringops::fuzz::Target;

static const Target* target = nullptr;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const name = std::getenv("STRINGOPS_FUZZ_OP");
  target = stringops::fuzz::find_target(name ? name : "");
  if (target) return 0;
  std::fprintf(stderr, "STRINGOPS_FUZZ_OP names no target: %s\n", name ? name : "(unset)");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  target->run(bytes, size);
  return 0;
}

// No stack traces of allocations and no quarantine of freed memory, which take longer than the kernels. The replay of a
// finding has both.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=0:quarantine_size_mb=4:detect_stack_use_after_return=0";
}
