// Runs tasks on torch's threads.
#pragma once

#include <cstdint>

#include "driver/runner.h"

namespace stringops {

class TorchRunner final : public kernels::Runner {
 public:
  // Returns one task if waking a thread could take longer than it saves, else several per thread, so that one slow task
  // does not delay the call.
  int64_t choose_tasks(double ns) const override;
  int64_t choose_parts(double ns) const override;

 protected:
  void run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const override;
};

}  // namespace stringops
