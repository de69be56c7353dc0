// The lock of Python is not taken here: no tensor of this library belongs to a Python object.
#include "ops/python_lock.h"

namespace stringops {

PythonLock::PythonLock() = default;
PythonLock::~PythonLock() = default;

}  // namespace stringops
