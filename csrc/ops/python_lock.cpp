#include "ops/python_lock.h"

#include "ops/python.h"

namespace stringops {

PythonLock::PythonLock() : is_held_(Python::get().runs_here()) {
  if (is_held_) state_ = Python::get().ensure();
}

PythonLock::~PythonLock() {
  if (is_held_) Python::get().release(state_);
}

}  // namespace stringops
