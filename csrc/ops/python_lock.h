// The lock of the Python interpreter (GIL), for code that releases many tensors.
//
// torch takes the lock for each tensor of which a Python object is the only owner left, as the dispatcher released it
// before the call: a fifth of the time of torch.cat of 1000 tensors. While other threads run Python code, each time may
// take the interpreter's switch interval of 5 ms.
#pragma once

#include <dlfcn.h>

#include "core/lazy.h"

namespace stringops {

// Holds the lock if the calling thread runs Python code. Such a thread takes the lock after the operator anyway, so
// waiting for it here adds no deadlock. The library does not depend on Python, whose functions are found only in a
// process that has made them global; otherwise nothing is locked.
class PythonLock {
 public:
  PythonLock() : is_held_(python().is_complete() && python().this_thread_state() != nullptr) {
    if (is_held_) state_ = python().ensure();
  }
  ~PythonLock() {
    if (is_held_) python().release(state_);
  }
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  // Functions of Python's stable ABI. The state of a thread is null if it has not run Python code, or Python has ended.
  struct Python {
    void* (*this_thread_state)();
    int (*ensure)();
    void (*release)(int);

    bool is_complete() const { return this_thread_state && ensure && release; }
  };

  static const Python& python() {
    return lazy([] {
      return Python{find<void* (*)()>("PyGILState_GetThisThreadState"), find<int (*)()>("PyGILState_Ensure"),
                    find<void (*)(int)>("PyGILState_Release")};
    });
  }

  template <class Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }

  const bool is_held_;
  int state_ = 0;
};

}  // namespace stringops
