// Functions of Python. They are found if the process has made them global; the library does not depend on Python.
#pragma once

#include <dlfcn.h>

#include "core/lazy.h"

namespace stringops {

// Functions of Python's stable ABI, except those that the comments name.
struct Python {
  // The state of a thread is null if it has not run Python code, or Python has ended.
  void* (*this_thread_state)();
  int (*ensure)();
  void (*release)(int);
  int (*holds_lock)();  // PyGILState_Check, which all versions export; 1 in processes with subinterpreters
  int (*check_signals)();
  void (*fetch)(void**, void**, void**);
  void (*restore)(void*, void*, void*);
  int (*add_pending_call)(int (*)(void*), void*);
  int (*is_finalizing)();  // Py_IsFinalizing since 3.13, _Py_IsFinalizing before

  static const Python& get() {
    return lazy([] {
      Python p{};
      find(p.this_thread_state, "PyGILState_GetThisThreadState");
      find(p.ensure, "PyGILState_Ensure");
      find(p.release, "PyGILState_Release");
      find(p.holds_lock, "PyGILState_Check");
      find(p.check_signals, "PyErr_CheckSignals");
      find(p.fetch, "PyErr_Fetch");
      find(p.restore, "PyErr_Restore");
      find(p.add_pending_call, "Py_AddPendingCall");
      find(p.is_finalizing, "Py_IsFinalizing");
      if (!p.is_finalizing) find(p.is_finalizing, "_Py_IsFinalizing");
      return p;
    });
  }

  // Whether the calling thread runs Python code.
  bool runs_here() const { return this_thread_state && ensure && release && this_thread_state() != nullptr; }

 private:
  template <class Function>
  static void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

}  // namespace stringops
