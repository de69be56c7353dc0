// Runs targets on stored inputs without libFuzzer, then on mutations of these, drawn from a fixed seed.
//
//   replay TARGET MUTATIONS FILE...    a file is one input, or, if named *.pack, many, each as its size (uint16) and
//   bytes replay                             lists the targets
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "fuzz.h"

namespace {

using stringops::fuzz::Target;
using Inputs = std::vector<std::vector<uint8_t>>;

const Target* running = nullptr;
std::vector<uint8_t> current;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void read_file(const std::string& path, Inputs* inputs) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.good() && !file.eof()) {
    std::cerr << "replay: cannot read " << path << '\n';
    std::exit(2);
  }
  if (!ends_with(path, ".pack")) {
    inputs->push_back(bytes);
    return;
  }
  for (size_t at = 0; at + 2 <= bytes.size();) {
    const size_t size = std::min<size_t>(bytes[at] | bytes[at + 1] << 8, bytes.size() - at - 2);
    inputs->emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at + 2),
                         bytes.begin() + static_cast<std::ptrdiff_t>(at + 2 + size));
    at += 2 + size;
  }
}

// Keeps the current input, which is stored after a crash.
void run(const std::vector<uint8_t>& bytes) {
  current = bytes;
  // A copy of exactly its size, so that reading past its end is detected.
  const stringops::fuzz::Bytes exact(bytes);
  running->run(exact.data(), bytes.size());
}

extern "C" void on_abort(int) {
  const char* const path = std::getenv("STRINGOPS_FUZZ_CRASH");
  std::ofstream file(path ? path : "crash.bin", std::ios::binary);
  file.write(reinterpret_cast<const char*>(current.data()), static_cast<std::streamsize>(current.size()));
  std::fprintf(stderr, "replay: the input (%zu bytes) is in %s\n", current.size(), path ? path : "crash.bin");
}

void mutate(std::mt19937& random, const Inputs& inputs, std::vector<uint8_t>* bytes) {
  const auto below = [&](size_t n) { return n ? random() % n : 0; };
  for (size_t i = 1 + below(4); i > 0; --i) {
    const auto at = static_cast<std::ptrdiff_t>(below(bytes->size() + 1));
    switch (below(5)) {
      case 0:
        if (!bytes->empty()) (*bytes)[below(bytes->size())] = static_cast<uint8_t>(random());
        break;
      case 1:
        if (!bytes->empty()) (*bytes)[below(bytes->size())] ^= static_cast<uint8_t>(1 << below(8));
        break;
      case 2:
        bytes->insert(bytes->begin() + at, 1 + below(3), static_cast<uint8_t>(random()));
        break;
      case 3:
        if (at < static_cast<std::ptrdiff_t>(bytes->size())) bytes->erase(bytes->begin() + at);
        break;
      default: {  // the front of one input and the back of another
        const std::vector<uint8_t>& other = inputs[below(inputs.size())];
        bytes->resize(static_cast<size_t>(at));
        bytes->insert(bytes->end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size() + 1)), other.end());
      }
    }
  }
  if (bytes->size() > 4096) bytes->resize(4096);
}

}  // namespace

// A finding ends in abort(), whose handler stores the input.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1";
}
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

int main(int argc, char** argv) {
  if (argc < 3) {
    for (const Target& target : stringops::fuzz::targets()) std::cout << target.name << '\n';
    return 0;
  }
  running = stringops::fuzz::find_target(argv[1]);
  if (!running) {
    std::cerr << "replay: no target " << argv[1] << '\n';
    return 2;
  }
  std::signal(SIGABRT, on_abort);
  Inputs inputs{{}};
  for (int i = 3; i < argc; ++i) read_file(argv[i], &inputs);
  for (const auto& input : inputs) run(input);
  std::mt19937 random(20);
  const int64_t mutations = std::atoll(argv[2]);
  for (int64_t i = 0; i < mutations; ++i) {
    std::vector<uint8_t> bytes = inputs[random() % inputs.size()];
    mutate(random, inputs, &bytes);
    run(bytes);
  }
  std::cout << argv[1] << ": " << inputs.size() << " inputs and " << mutations << " mutations on "
            << stringops_simd_tiers() << '\n';
}
