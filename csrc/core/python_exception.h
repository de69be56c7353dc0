// The exception by which an operator ends with a Python error.
#pragma once

#include <stdexcept>

// The base of exceptions that set a Python error, as pybind11 has declared it (detail/common.h) since version 2.0. A
// function that catches an exception of this name calls set_error() with the lock held, whichever module has thrown it.
// If no function does, as in a C++ program, it is a std::runtime_error.
namespace pybind11 {

class __attribute__((visibility("default"))) builtin_exception : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  virtual void set_error() const = 0;
};

}  // namespace pybind11
