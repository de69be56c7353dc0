// Cases that are counted: each runs an operator's driver on a small fixed input, as the operator does on one thread.
// The files cases_<subject>.cpp register them, with COUNTED.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "driver/testing.h"
#include "inputs.h"
#include "results.h"

// Only instructions executed in this function are counted.
extern "C" void stringops_counted(void (*work)(void*), void* context);

namespace stringops::instructions {

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

#define COUNTED_AT(line, name, call) \
  [[maybe_unused]] const bool registered_##line = (cases().push_back({name, [] { call; }}), true);
#define COUNTED_HERE(line, name, call) COUNTED_AT(line, name, call)

// Registers a case: its name, which begins with the operator's, and the call that is counted.
#define COUNTED(name, call) COUNTED_HERE(__COUNTER__, name, call)

template <class F>
void counted(F&& work) {
  stringops_counted([](void* context) { (*static_cast<F*>(context))(); }, &work);
}

inline void require(bool condition) {
  if (condition) return;
  std::fputs("a kernel rejected its input\n", stderr);
  std::exit(1);
}

}  // namespace stringops::instructions
