// Schemas of operators, parsed from the text by which they are registered with torch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stringops::host {

enum class Kind : uint8_t { kTensor, kSymInt, kInt, kBool, kFloat, kString, kScalarType };

// The value of an attribute. kBool and kScalarType (torch's number of the type) are in `ints`.
struct Constant {
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
};

struct Argument {
  std::string name;
  Kind kind{};
  bool is_list = false;
  bool is_optional = false;
  bool has_default = false;
  std::optional<Constant> default_value;  // empty if the default is None

  // Inputs of a node; the others are attributes.
  bool is_input() const { return kind == Kind::kTensor || kind == Kind::kSymInt; }
  bool is_tensor_list() const { return kind == Kind::kTensor && is_list; }
};

struct Schema {
  std::string name;  // with the overload
  std::string op;    // without it, as errors begin
  std::vector<Argument> arguments;
  size_t num_results = 0;
  bool returns_list = false;
  bool returns_strings = false;  // whether the first results are the data and the offsets of strings
};

// Throws std::invalid_argument if the text has a type that no operator had when this was written.
Schema parse_schema(std::string_view text);

}  // namespace stringops::host
