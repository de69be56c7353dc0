// The part of torch's stable ABI that is about threads.
#include "ort/threads.h"

#include <torch/csrc/stable/c/shim.h>

#include <algorithm>

#include "core/platform.h"

namespace stringops::ort {
namespace {

struct Session {
  Table api = nullptr;
  const KernelContext* context = nullptr;
};

thread_local Session session;

struct Loop {
  ParallelFunc body;
  int64_t begin;
  void* context;
};

}  // namespace

RunningNode::RunningNode(Table api, const KernelContext* context) {
  session = {api, context};
}

RunningNode::~RunningNode() {
  session = {};
}

}  // namespace stringops::ort

using namespace stringops::ort;

// The C API does not tell how many threads a session has. If it has fewer than cores, each of them takes more of the
// parts of a loop.
AOTITorchError torch_get_num_threads(uint32_t* result) {
  *result = static_cast<uint32_t>(std::max<int64_t>(stringops::usable_cores(), 1));
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
  if (!session.api) {
    for (size_t part = 0; part < count; ++part) run_part(&loop, part);
    return AOTI_TORCH_SUCCESS;
  }
  Status* const status = KernelContext_ParallelFor(session.api, session.context, run_part, count, 0, &loop);
  if (!status) return AOTI_TORCH_SUCCESS;
  ReleaseStatus(session.api, status);
  return AOTI_TORCH_FAILURE;
}
