// Runs the cases that are counted (cases.h).
//
//   cases                 prints the compiler and headers, on which counts depend too, then the names of the cases
//   cases NAME TIER       runs one; under callgrind, with collection toggled by `stringops_counted`
#include "cases.h"

#include <cstdio>
#include <cstring>
#include <random>

#include "simd/primitives.h"

extern "C" __attribute__((noinline)) void stringops_counted(void (*work)(void*), void* context) {
  work(context);
  asm volatile("" ::: "memory");  // no tail call: the function returns when the work is done
}

#ifdef __GLIBCXX__
// Makes random seeds, and so the counts of hash tables, the same in every run.
unsigned int std::random_device::_M_getval() {
  return 20261121;
}
#endif

namespace stringops::instructions {
namespace {

// Counts made by another compiler are not comparable.
void print_made_by() {
#ifdef __x86_64__
  const char* machine = "x86-64";
#else
  const char* machine = "another machine";
#endif
  std::printf("gcc %d, %s\n", __GNUC__, machine);
}

}  // namespace
}  // namespace stringops::instructions

int main(int argc, char** argv) {
  using namespace stringops::instructions;
  if (argc == 1) {
    print_made_by();
    for (const Case& c : cases()) std::puts(c.name);
    return 0;
  }
  for (const Case& c : cases()) {
    if (argc != 3 || std::strcmp(c.name, argv[1]) != 0) continue;
    if (!stringops_set_simd_tier(argv[2])) return 3;  // this CPU, or valgrind, does not have it
    c.run();
    return 0;
  }
  std::fputs("usage: cases [NAME TIER]\n", stderr);
  return 2;
}
