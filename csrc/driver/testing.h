// Runners for tests and tools. The package does not include this file.
#pragma once

#include <cstdint>

#include "driver/runner.h"

namespace stringops::kernels {

// A fixed number of tasks for every call, run one after the other, in order or in reverse order.
class LoopRunner final : public Runner {
 public:
  explicit LoopRunner(int64_t tasks = 1, bool backwards = false) : tasks_(tasks), backwards_(backwards) {}

  int64_t choose_tasks(double) const override { return tasks_; }

 protected:
  void run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const override {
    for (int64_t i = 0; i < count; ++i) task(backwards_ ? count - 1 - i : i, context);
  }

 private:
  const int64_t tasks_;
  const bool backwards_;
};

}  // namespace stringops::kernels
