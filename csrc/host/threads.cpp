// The part of torch's stable ABI that is about threads.
#include "host/threads.h"

#include <torch/csrc/stable/c/shim.h>

namespace stringops::host {
namespace {

thread_local const Threads* used = nullptr;

struct Loop {
  ParallelFunc body;
  int64_t begin;
  void* context;
};

}  // namespace

UsedThreads::UsedThreads(const Threads* threads) {
  used = threads;
}

UsedThreads::~UsedThreads() {
  used = nullptr;
}

}  // namespace stringops::host

using namespace stringops::host;

AOTITorchError torch_get_num_threads(uint32_t* result) {
  *result = used ? used->count() : 1;
  return AOTI_TORCH_SUCCESS;
}

// Parts of one element each, which operators ask for (ops/parallel.cpp).
AOTITorchError torch_parallel_for(int64_t begin, int64_t end, int64_t, ParallelFunc body, void* context) {
  if (end <= begin) return AOTI_TORCH_SUCCESS;
  Loop loop{body, begin, context};
  const auto run_part = [](void* pointer, size_t part) {
    const auto& [function, first, argument] = *static_cast<const Loop*>(pointer);
    const int64_t at = first + static_cast<int64_t>(part);
    function(at, at + 1, argument);
  };
  const auto count = static_cast<size_t>(end - begin);
  if (used) return used->run(count, run_part, &loop) ? AOTI_TORCH_SUCCESS : AOTI_TORCH_FAILURE;
  for (size_t part = 0; part < count; ++part) run_part(&loop, part);
  return AOTI_TORCH_SUCCESS;
}
