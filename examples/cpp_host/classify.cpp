// Runs a text model without Python: loads the operators and a model compiled by AOTInductor, reads lines from standard
// input, and prints a row of logits for each.
//
//   classify _ops.so model.pt2 < lines.txt
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// A string tensor: string i is data[offsets[i] : offsets[i + 1]].
struct Strings {
  at::Tensor data;     // uint8 [num_bytes]
  at::Tensor offsets;  // int32 [n + 1]
};

// One string per line, without its line feed.
Strings read_lines(std::istream& in) {
  std::string bytes;
  std::vector<int32_t> offsets{0};
  for (std::string line; std::getline(in, line);) {
    bytes += line;
    if (bytes.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      throw std::length_error("a string tensor holds at most 2147483647 bytes");
    }
    offsets.push_back(static_cast<int32_t>(bytes.size()));
  }
  Strings strings{at::empty({static_cast<int64_t>(bytes.size())}, at::kByte),
                  at::empty({static_cast<int64_t>(offsets.size())}, at::kInt)};
  if (!bytes.empty()) std::memcpy(strings.data.mutable_data_ptr(), bytes.data(), bytes.size());
  std::memcpy(strings.offsets.mutable_data_ptr(), offsets.data(), offsets.size() * sizeof(int32_t));
  return strings;
}

void classify(const char* operators, const char* package) {
  // Loading the library registers torch.ops.stringops.*, which the compiled model calls by name.
  if (dlopen(operators, RTLD_NOW) == nullptr) throw std::runtime_error(dlerror());
  torch::inductor::AOTIModelPackageLoader model(package);
  const Strings lines = read_lines(std::cin);
  const at::Tensor logits = model.run({lines.data, lines.offsets})[0].to(at::kDouble).contiguous();
  const double* at = logits.const_data_ptr<double>();
  for (int64_t row = 0; row < logits.size(0); ++row) {
    for (int64_t column = 0; column < logits.size(1); ++column) {
      std::printf("%s%.9g", column == 0 ? "" : " ", *at++);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s _ops.so model.pt2 < lines.txt\n", argv[0]);
    return 2;
  }
  try {
    classify(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
