#pragma once

#include <Python.h>

namespace stringops::convert {

// An owned reference.
class Ref {
 public:
  explicit Ref(PyObject* object = nullptr) : object_(object) {}
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  PyObject* object_;
};

// Gives other threads the lock of the interpreter (GIL), if `enable`.
class ReleaseLock {
 public:
  explicit ReleaseLock(bool enable) : state_(enable ? PyEval_SaveThread() : nullptr) {}
  ~ReleaseLock() {
    if (state_) PyEval_RestoreThread(state_);
  }
  ReleaseLock(const ReleaseLock&) = delete;
  ReleaseLock& operator=(const ReleaseLock&) = delete;

 private:
  PyThreadState* const state_;
};

}  // namespace stringops::convert
