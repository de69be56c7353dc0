// Defines _check_strings, which checks strings that enter an exported program, or a package of AOTInductor.
#include <algorithm>
#include <optional>
#include <string>

#include "ops/packaged.h"

namespace stringops {
namespace {

constexpr const char* kExport = "export";

void check_shape(const std::string& name, const Tensor& t, const Sizes& expected) {
  const auto got = t.sizes();
  STRINGOPS_CHECK(expected.size() == got.size(), kExport, ": expected `", name, "` of rank ", expected.size(),
                  ", as in the example, got shape ", shape_text(t), " (export with an example of this rank)");
  STRINGOPS_CHECK(std::equal(expected.begin(), expected.end(), got.begin()), kExport, ": expected `", name,
                  "` of shape ", shape_text(expected), ", got shape ", shape_text(t));
}

// Returns a tensor of one row, on which the graph can depend.
Tensor _check_strings(const Tensor& data, const Tensor& offsets, const Sizes& sizes, std::optional<int64_t> num_bytes,
                      const std::string& data_name, const std::string& offsets_name) {
  check_strings_metadata(kExport, data, offsets, data_name.c_str(), offsets_name.c_str());
  check_shape(offsets_name, offsets, sizes);
  if (num_bytes) check_shape(data_name, data, {*num_bytes});
  return new_tensor({1, 0}, ScalarType::Byte);
}

// The code of a package reads the offsets by the strides of the example, which is contiguous.
Tensor check_packaged_strings(const Tensor& data, const Tensor& offsets, const Sizes& sizes,
                              std::optional<int64_t> num_bytes, const std::string& data_name,
                              const std::string& offsets_name) {
  Tensor checked = _check_strings(data, offsets, sizes, num_bytes, data_name, offsets_name);
  STRINGOPS_CHECK(offsets.is_contiguous(), kExport, ": expected `", offsets_name,
                  "` to be contiguous in a package, got shape ", shape_text(offsets), " with gaps (use .contiguous())");
  return checked;
}

}  // namespace
}  // namespace stringops

#define STRINGOPS_CHECK_STRINGS                                                                       \
  "(Tensor data, Tensor offsets, SymInt[] sizes, SymInt? num_bytes, str data_name, str offsets_name)" \
  " -> Tensor checked"
STRINGOPS_OPERATOR(_check_strings, STRINGOPS_CHECK_STRINGS, "uint8")
STRINGOPS_PACKAGED(_check_strings, ::stringops::check_packaged_strings, STRINGOPS_CHECK_STRINGS, "uint8")
