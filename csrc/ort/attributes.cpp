#include "ort/attributes.h"

#include <memory>
#include <string>

#include "core/fail.h"
#include "ort/custom_op.h"
#include "ort/strings.h"

namespace stringops::ort {
namespace {

// The attributes of a node. The runtime does not tell a missing attribute from one of another type, but it has a
// function for each type.
class Attributes {
 public:
  Attributes(Table api, const KernelInfo* info, const char* name) : api_(api), info_(info), name_(name) {}

  std::optional<int64_t> read_int() const {
    int64_t value = 0;
    return succeeds(KernelInfoGetAttribute_int64(api_, info_, name_, &value)) ? std::optional(value) : std::nullopt;
  }

  std::optional<std::vector<int64_t>> read_ints() const {
    size_t count = 0;
    if (!succeeds(KernelInfoGetAttributeArray_int64(api_, info_, name_, nullptr, &count))) return std::nullopt;
    std::vector<int64_t> values(count);
    if (count > 0) check(api_, KernelInfoGetAttributeArray_int64(api_, info_, name_, values.data(), &count));
    return values;
  }

  std::optional<std::string> read_string() const {
    size_t size = 0;  // with a NUL at the end
    if (!succeeds(KernelInfoGetAttribute_string(api_, info_, name_, nullptr, &size))) return std::nullopt;
    std::string value(size, '\0');
    check(api_, KernelInfoGetAttribute_string(api_, info_, name_, value.data(), &size));
    value.resize(size - 1);
    return value;
  }

  // Calls read(value, info), and returns true, if there is a tensor.
  template <class Read>
  bool read_tensor(Read&& read) const {
    Allocator* allocator = nullptr;
    check(api_, GetAllocatorWithDefaultOptions(api_, &allocator));
    Value* value = nullptr;
    if (!succeeds(KernelInfoGetAttribute_tensor(api_, info_, name_, allocator, &value))) return false;
    const auto release = [this](Value* v) { ReleaseValue(api_, v); };
    const std::unique_ptr<Value, decltype(release)> owner(value, release);
    read(value, info_of(api_, value));
    return true;
  }

  bool has_any() const {
    float real = 0;
    size_t count = 0;
    return read_int() || read_ints() || read_string() || read_tensor([](const Value*, const TensorInfo&) {}) ||
           succeeds(KernelInfoGetAttribute_float(api_, info_, name_, &real)) ||
           succeeds(KernelInfoGetAttributeArray_float(api_, info_, name_, nullptr, &count));
  }

 private:
  bool succeeds(Status* status) const {
    if (status) ReleaseStatus(api_, status);
    return !status;
  }

  Table api_;
  const KernelInfo* info_;
  const char* name_;
};

bool read_floats(Table api, const Attributes& attributes, Constant* result) {
  bool is_scalar = false;
  attributes.read_tensor([&](const Value* value, const TensorInfo& info) {
    is_scalar = info.type == ElementType::kDouble && info.sizes.empty();
    if (is_scalar) result->floats = {*static_cast<const double*>(data_of(api, value))};
  });
  return is_scalar;
}

bool read_string_list(Table api, const Attributes& attributes, Constant* result) {
  bool is_list = false;
  attributes.read_tensor([&](const Value* value, const TensorInfo& info) {
    is_list = info.type == ElementType::kString && info.sizes.size() == 1;
    if (!is_list) return;
    const auto count = static_cast<size_t>(info.sizes[0]);
    std::string bytes;
    const StringContent content = read_strings(api, value, count, [&](size_t num_bytes) {
      bytes.resize(num_bytes);
      return bytes.data();
    });
    for (size_t i = 0; i < count; ++i) {
      const size_t begin = content.begins[i], end = i + 1 < count ? content.begins[i + 1] : content.num_bytes;
      result->strings.push_back(bytes.substr(begin, end - begin));
    }
  });
  return is_list;
}

bool read_scalar_type(const char* op, const Argument& argument, const std::string& name, Constant* result) {
  const host::DType* const type = host::find_dtype(name);
  STRINGOPS_CHECK(type, op, ": expected attribute `", argument.name, "` to be the name of a dtype, such as int64");
  result->ints = {static_cast<int64_t>(type->torch)};
  return true;
}

// Returns whether the node has the attribute, of the right type.
bool read_value(Table api, const Attributes& attributes, const char* op, const Argument& argument, Constant* result) {
  switch (argument.kind) {
    case Kind::kFloat:
      return read_floats(api, attributes, result);
    case Kind::kScalarType:
      if (const auto name = attributes.read_string()) return read_scalar_type(op, argument, *name, result);
      return false;
    case Kind::kString:
      if (argument.is_list) return read_string_list(api, attributes, result);
      if (auto text = attributes.read_string()) {
        result->strings = {std::move(*text)};
        return true;
      }
      return false;
    default:
      if (argument.is_list) {
        if (auto values = attributes.read_ints()) {
          result->ints = std::move(*values);
          return true;
        }
      } else if (const auto value = attributes.read_int()) {
        result->ints = {*value};
        return true;
      }
      return false;
  }
}

// Returns the type of an attribute in errors.
const char* kind_text(const Argument& argument) {
  switch (argument.kind) {
    case Kind::kFloat:
      return "a TENSOR of one float64, of rank 0";
    case Kind::kString:
      return argument.is_list ? "a TENSOR of strings of rank 1" : "a STRING";
    case Kind::kScalarType:
      return "a STRING";
    default:
      return argument.is_list ? "INTS" : "an INT";
  }
}

}  // namespace

std::optional<Constant> read_attribute(Table api, const KernelInfo* info, const char* op, const Argument& argument) {
  const Attributes attributes(api, info, argument.name.c_str());
  Constant value;
  if (read_value(api, attributes, op, argument, &value)) return value;
  const bool exists = attributes.has_any();
  const bool may_miss = argument.has_default || argument.is_input();
  STRINGOPS_CHECK(may_miss && !exists, op, ": expected attribute `", argument.name, "` to be ", kind_text(argument),
                  exists ? ", got another type" : ", but it is missing");
  return argument.default_value;
}

}  // namespace stringops::ort
