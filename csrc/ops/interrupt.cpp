// Handles signals in long calls: Python's handlers run while an operator works, and their exceptions end the call.
//
// A handler runs on the main thread of Python, with its lock (GIL), which torch releases before it calls an operator.
// So only that thread checks for signals (core/poll.h), every tenth of a second. It waits for the lock; this adds no
// deadlock, because it waits for it after the operator anyway. A thread that holds the lock does not check: torch's
// loader of packages holds its own lock then, and a handler could let another thread run that waits for both.
#include <memory>
#include <new>

#include "core/platform.h"
#include "core/poll.h"
#include "core/python_exception.h"
#include "ops/python.h"

namespace stringops {
namespace {

// The Python error that a signal's handler raised. If it never becomes the error of a call, because C++ code has caught
// the exception, Python raises it when it executes the next instruction of the main thread.
class SignalError {
 public:
  SignalError() { Python::get().fetch(&type_, &value_, &traceback_); }
  ~SignalError() {
    if (!type_) return;
    auto* const left = new (std::nothrow) SignalError(*this);
    if (!left) return;
    const auto raise = [](void* error) {
      const std::unique_ptr<SignalError> owned(static_cast<SignalError*>(error));
      owned->restore();
      return -1;
    };
    if (Python::get().add_pending_call(raise, left) == 0) return;
    left->type_ = nullptr;  // Python has too many calls pending: the error is lost
    delete left;
  }
  SignalError& operator=(const SignalError&) = delete;

  void restore() {
    Python::get().restore(type_, value_, traceback_);
    type_ = nullptr;
  }

 private:
  SignalError(const SignalError&) = default;

  void *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

class PythonInterruption final : public pybind11::builtin_exception, public Interruption {
 public:
  PythonInterruption()
      : builtin_exception("the call was interrupted by a signal"), error_(std::make_shared<SignalError>()) {}

  void set_error() const override { error_->restore(); }

 private:
  std::shared_ptr<SignalError> error_;
};

void look_for_signals() {
  const Python& python = Python::get();
  if (!is_main_thread() || !python.runs_here() || python.holds_lock()) return;
  if (python.is_finalizing && python.is_finalizing()) return;
  const int state = python.ensure();
  const bool raised = python.check_signals() != 0;
  try {
    if (raised) throw PythonInterruption();
  } catch (...) {
    python.release(state);
    throw;
  }
  python.release(state);
}

[[maybe_unused]] const bool polls_for_signals = (set_poll_look(look_for_signals), true);

}  // namespace
}  // namespace stringops
