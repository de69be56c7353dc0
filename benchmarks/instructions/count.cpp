// Runs the calls of cases.py on csrc/host.
//
//   count                    prints the compiler and the machine, on which counts depend
//   count TIER FILE LINE...  runs the calls on lines of the file, from 0, each in a process of its own, whose number it
//                            prints; under callgrind, with collection toggled by `stringops_counted`
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "operator_lines.h"
#include "simd/primitives.h"

#ifdef __GLIBCXX__
// Makes random seeds, and so the counts of hash tables, the same in every run.
unsigned int std::random_device::_M_getval() {
  return 20261121;
}
#endif

namespace stringops::fuzz::memory {
// Allocations have no plan here (tests/fuzz/memory.h).
Planned::Planned(Plan*) : outer_(nullptr), outside_(true) {}
Planned::~Planned() = default;
}  // namespace stringops::fuzz::memory

static stringops::host::BoxedKernel counted_kernel = nullptr;

// Only instructions executed in this function are counted.
extern "C" __attribute__((noinline)) void stringops_counted(StableIValue* stack, uint64_t arguments, uint64_t results) {
  counted_kernel(stack, arguments, results);
  asm volatile("" ::: "memory");  // no tail call: the function returns when the work is done
}

namespace stringops::fuzz {
namespace {

int run(const Sample& sample) {
  // The first call compiles patterns and makes tables, which are kept.
  if (Call(*sample.op, sample.values).run().is_error) return 1;
  Operator counted = *sample.op;
  counted_kernel = counted.kernel;
  counted.kernel = stringops_counted;
  return Call(counted, sample.values).run().is_error ? 1 : 0;
}

// Runs the call in a copy of this process, so that it does not find the caches of another. Starting valgrind for each
// call would take longer than most calls.
bool run_in_child(const Sample& sample) {
  const pid_t child = fork();
  if (child == 0) std::_Exit(run(sample));
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return false;
  std::printf("%d\n", static_cast<int>(child));
  return true;
}

}  // namespace
}  // namespace stringops::fuzz

int main(int argc, char** argv) {
  using namespace stringops::fuzz;
  if (argc == 1) {
#ifdef __x86_64__
    const char* const machine = "x86-64";
#else
    const char* const machine = "another machine";
#endif
    std::printf("gcc %d, %s\n", __GNUC__, machine);
    return 0;
  }
  if (!stringops_set_simd_tier(argv[1])) return 3;  // this CPU, or valgrind, does not have it
  std::ifstream file(argv[2]);
  const std::vector<Sample> samples = read_lines(std::string(std::istreambuf_iterator<char>(file), {}));
  for (int i = 3; i < argc; ++i) {
    const auto line = static_cast<size_t>(std::atoi(argv[i]));
    if (line >= samples.size() || !run_in_child(samples[line])) {
      std::fprintf(stderr, "line %zu: no such line, or the call failed\n", line);
      return 2;
    }
  }
  return 0;
}
