#include "operator_samples.h"

#include <map>

// The text of the file, which the assembler includes. It ends with a line feed.
asm(".section .rodata\n"
    ".global stringops_samples\n"
    "stringops_samples: .incbin \"samples.txt\"\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const char stringops_samples[];

namespace stringops::fuzz {

const std::vector<Sample>& samples_of(const Operator& op) {
  static const auto all = [] {
    std::map<const Operator*, std::vector<Sample>> found;
    for (Sample& sample : read_lines(stringops_samples)) found[sample.op].push_back(std::move(sample));
    for (const Operator& op : operators()) {
      const std::string& name = op.schema.name;
      if (name.substr(0, 10) == "_packaged_") found[&op] = found[find_operator(name.substr(10))];
    }
    return found;
  }();
  return all.at(&op);
}

}  // namespace stringops::fuzz
