// Runs a text model without Python: loads the operators and a model compiled by AOTInductor, reads lines from standard
// input, and prints a row for each: the logits, or the string, if the model returns strings.
//
//   classify _ops.so model.pt2 [num_runners] < lines.txt
#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch_stringops/strings.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<std::string> read_lines(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void print_rows(const at::Tensor& result) {
  const at::Tensor logits = result.to(at::kDouble).contiguous();
  const double* at = logits.const_data_ptr<double>();
  for (int64_t row = 0; row < logits.size(0); ++row) {
    for (int64_t column = 0; column < logits.size(1); ++column) {
      std::printf("%s%.9g", column == 0 ? "" : " ", *at++);
    }
    std::printf("\n");
  }
}

void classify(const char* operators, const char* package, size_t num_runners) {
  // Loading the library registers torch.ops.stringops.*, which the package looks up by name when it is loaded. Load it
  // once: a second copy ends the process.
  if (dlopen(operators, RTLD_NOW) == nullptr) throw std::runtime_error(dlerror());
  // Up to num_runners threads run the model at once; the others wait.
  torch::inductor::AOTIModelPackageLoader model(package, "model", /*run_single_threaded=*/false, num_runners);
  const torch_stringops::Strings lines = torch_stringops::pack(read_lines(std::cin));
  const std::vector<at::Tensor> results = model.run({lines.data, lines.offsets});
  if (results.size() == 1) return print_rows(results[0]);
  for (const std::string& text : torch_stringops::unpack(results.at(0), results.at(1))) {
    std::printf("%s\n", text.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: %s _ops.so model.pt2 [num_runners] < lines.txt\n", argv[0]);
    return 2;
  }
  try {
    classify(argv[1], argv[2], argc == 4 ? std::stoul(argv[3]) : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
