// Holds the lock of the Python interpreter (GIL), for code that releases many tensors.
//
// torch takes the lock for each tensor whose only remaining owner is a Python object, because the dispatcher released
// the tensor before the call: a fifth of the time of torch.cat of 1000 tensors. While other threads run Python code,
// each time may take the interpreter's switch interval of 5 ms.
#pragma once

namespace stringops {

// Holds the lock if the calling thread runs Python code. Such a thread takes the lock after the operator anyway, so
// waiting for it here adds no deadlock. In a process without Python nothing is locked.
class PythonLock {
 public:
  PythonLock();
  ~PythonLock();
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  [[maybe_unused]] bool is_held_ = false;
  [[maybe_unused]] int state_ = 0;
};

}  // namespace stringops
