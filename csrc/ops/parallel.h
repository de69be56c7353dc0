// Runs tasks on torch's threads.
#pragma once

#include <cstdint>

#include "kernels/driver/runner.h"

namespace stringops {

class TorchRunner final : public kernels::Runner {
 public:
  // torch's setting, or 1 in a child of fork(): the thread pool does not survive fork(), so a parallel region would
  // hang.
  int64_t num_threads() const override;

 protected:
  void run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const override;
};

}  // namespace stringops
