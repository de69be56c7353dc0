// The operators pack and unpack, between strings of the runtime and the two tensors that all other operators use.
#include <cstring>
#include <limits>

#include "core/fail.h"
#include "driver/check_utf8.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ort/custom_op.h"
#include "ort/strings.h"

namespace stringops::ort {
namespace {

// Writes the offsets of strings that follow one another, in rows of `cols` strings.
void write_offsets(const StringContent& content, int64_t rows, int64_t cols, int32_t* out) {
  const size_t* begin = content.begins.data();
  const size_t* const end = begin + content.begins.size();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) *out++ = static_cast<int32_t>(*begin++);
    *out++ = static_cast<int32_t>(begin < end ? *begin : content.num_bytes);
  }
}

class PackKernel final : public Kernel {
 public:
  void run(const Node& node) const override {
    constexpr const char* kOp = "pack";
    const Value* const strings = node.input(0);
    STRINGOPS_CHECK(strings, kOp, ": expected one input");
    TensorInfo info = info_of(node.api(), strings);
    STRINGOPS_CHECK(info.type == ElementType::kString, kOp, ": expected strings");
    const int64_t count = count_elements(info.sizes);
    std::vector<int64_t> shape = std::move(info.sizes);
    if (shape.empty()) shape.push_back(1);  // a single string
    const int64_t cols = shape.back()++;
    check_result_offsets(kOp, shape);

    const StringContent content = read_strings(node.api(), strings, static_cast<size_t>(count), [&](size_t num_bytes) {
      check_result_bytes(kOp, static_cast<int64_t>(num_bytes));
      Value* const data = node.output(0, kOp, ElementType::kUint8, {static_cast<int64_t>(num_bytes)});
      STRINGOPS_CHECK(data, kOp, ": expected two outputs");
      return data_of(node.api(), data);
    });
    Value* const offsets = node.output(1, kOp, ElementType::kInt32, shape);
    STRINGOPS_CHECK(offsets, kOp, ": expected two outputs");
    write_offsets(content, count_elements(shape) / (cols + 1), cols,
                  static_cast<int32_t*>(data_of(node.api(), offsets)));
  }
};

class UnpackKernel final : public Kernel {
 public:
  void run(const Node& node) const override {
    constexpr const char* kOp = "unpack";
    constexpr const char* kNames[] = {"data", "offsets"};
    AtenTensorOpaque inputs[2];
    for (size_t i = 0; i < 2; ++i) {
      const Value* const value = node.input(i);
      STRINGOPS_CHECK(value, kOp, ": expected two inputs");
      borrow_input(node, value, kOp, kNames[i], &inputs[i]);
    }
    const Tensor data(&inputs[0]), offsets(&inputs[1]);
    const Strings strings = check_strings(kOp, data, offsets);
    kernels::check_utf8(kOp, TorchRunner(), strings.span);
    Value* const output = node.output(0, kOp, ElementType::kString, strings.shape());
    if (!output) return;
    for (int64_t i = 0; i < strings.span.size(); ++i) {
      const std::string_view text = strings.span[i];
      char* to = nullptr;
      check(node.api(),
            GetResizedStringTensorElementBuffer(node.api(), output, static_cast<size_t>(i), text.size(), &to));
      std::copy(text.begin(), text.end(), to);
    }
  }
};

template <class KernelOfOp>
class SimpleOp final : public CustomOp {
 public:
  using CustomOp::CustomOp;
  std::unique_ptr<Kernel> make_kernel(Table, const KernelInfo*) const override {
    return std::make_unique<KernelOfOp>();
  }
};

std::vector<Parameter> required(std::initializer_list<ElementType> types) {
  std::vector<Parameter> parameters;
  for (const ElementType type : types) parameters.push_back({type, Arity::kRequired, false});
  return parameters;
}

}  // namespace

std::unique_ptr<CustomOp> make_pack_op() {
  return std::make_unique<SimpleOp<PackKernel>>("pack", required({ElementType::kString}),
                                                required({ElementType::kUint8, ElementType::kInt32}));
}

std::unique_ptr<CustomOp> make_unpack_op() {
  return std::make_unique<SimpleOp<UnpackKernel>>("unpack", required({ElementType::kUint8, ElementType::kInt32}),
                                                  required({ElementType::kString}));
}

}  // namespace stringops::ort
