// Runs the cases that are counted (cases.h).
//
//   cases                 prints the compiler and headers, on which counts depend too, then the names of the cases
//   cases TIER NAME...    runs each in a process of its own, whose number it prints; under callgrind, with collection
//                         toggled by `stringops_counted`
#include "cases.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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

const Case* find_case(const char* name) {
  for (const Case& c : cases())
    if (std::strcmp(c.name, name) == 0) return &c;
  return nullptr;
}

// Runs the case in a copy of this process, so that no case finds the caches of another. Starting valgrind for each case
// would take longer than most cases.
bool run_in_child(const Case& c) {
  const pid_t child = fork();
  if (child == 0) {
    c.run();
    std::_Exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return false;
  std::printf("%d\n", static_cast<int>(child));
  return true;
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
  if (!stringops_set_simd_tier(argv[1])) return 3;  // this CPU, or valgrind, does not have it
  for (int i = 2; i < argc; ++i) {
    const Case* c = find_case(argv[i]);
    if (c == nullptr || !run_in_child(*c)) {
      std::fprintf(stderr, "%s: no such case, or it failed\n", argv[i]);
      return 2;
    }
  }
  return 0;
}
