// Borrowed views of the items of a list or tuple.
//
// They stay valid while the GIL is held and no Python code runs, so only functions of the API are called that cannot
// run Python code (no conversion protocol, no error handler, no collection). Without a GIL, other threads may change a
// list at any time, so its items are those of a copy.
#pragma once

#include <Python.h>

#include <cstdint>

#include "convert/failure.h"
#include "convert/layout.h"
#include "convert/ref.h"

namespace stringops::convert {

inline bool is_string(PyObject* o) {
  return PyUnicode_Check(o) || PyBytes_Check(o);
}
inline bool is_list(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o);
}

// The items of a list or tuple, or a single object.
class Items {
 public:
  static Items single(PyObject* const* object) { return Items(object); }
  // `sequence` is a list or tuple.
  static Items of(PyObject* sequence, const Layout& layout) { return Items(sequence, layout); }

  int64_t size() const { return size_; }
  PyObject* operator[](int64_t i) const {
    if (items_) return items_[i];
    return is_tuple_ ? PyTuple_GetItem(sequence_.get(), i) : PyList_GetItem(sequence_.get(), i);
  }
  // Prefetches the first cache lines of a later item: its header, and most of a short string.
  void prefetch(int64_t i) const {
    if (!items_ || i >= size_) return;
    const char* const item = reinterpret_cast<const char*>(items_[i]);
    __builtin_prefetch(item);
    __builtin_prefetch(item + 64);
  }

 private:
  explicit Items(PyObject* const* object) : items_(object), size_(1) {}
  Items(PyObject* sequence, const Layout& layout) : sequence_(unchanging(sequence)) {
    PyObject* const o = sequence_.get();
    is_tuple_ = PyTuple_Check(o);
    size_ = is_tuple_ ? PyTuple_Size(o) : PyList_Size(o);
    if (is_tuple_ && layout.tuple) {
      items_ = reinterpret_cast<PyObject* const*>(reinterpret_cast<char*>(o) + layout.tuple);
    } else if (!is_tuple_ && layout.list) {
      items_ = read_at<PyObject* const*>(o, layout.list);
    }
  }

  // A new reference to the sequence, or to a copy that no other thread knows.
  static PyObject* unchanging(PyObject* sequence) {
#ifdef Py_GIL_DISABLED
    if (PyList_Check(sequence)) return or_throw(PyList_AsTuple(sequence));
#endif
    Py_INCREF(sequence);
    return sequence;
  }

  const Ref sequence_;
  PyObject* const* items_ = nullptr;
  int64_t size_ = 0;
  bool is_tuple_ = false;
};

}  // namespace stringops::convert
