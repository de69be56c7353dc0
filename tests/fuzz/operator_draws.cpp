#include "operator_draws.h"

#include <cmath>
#include <limits>

namespace stringops::fuzz {
namespace {

using host::Argument;
using host::Kind;
using torch::headeronly::ScalarType;

constexpr int64_t kMaxStrings = 200;
constexpr size_t kMaxBytes = 1 << 16;

bool one_in(Input& in, int64_t n) {
  return in.below(n) == 1;
}

template <class T>
TensorValue tensor_of(ScalarType type, std::vector<int64_t> sizes, const T* items) {
  TensorValue value{host::find_dtype(type), std::move(sizes), {}};
  value.bytes.assign(reinterpret_cast<const char*>(items), static_cast<size_t>(value.numel()) * sizeof(T));
  return value;
}

// A call whose arguments are drawn one after the other.
class Draw {
 public:
  Draw(Input& in, const Operator& op)
      : in_(in), op_(op), samples_(samples_of(op)), values_(sample().values), arguments_(op.schema.arguments) {}

  Values values() {
    // The bytes at the end of an input choose. Without bytes, nothing changes.
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const bool strings = op_.has_strings_at(i);
      if (in_.flag()) strings ? change_strings(i) : change(i);
      if (strings) note_shape(values_[++i].tensors);
    }
    return std::move(values_);
  }

 private:
  // One that gives a result, mostly.
  const Sample& sample() {
    auto at = static_cast<size_t>(in_.below(static_cast<int64_t>(samples_.size())));
    if (in_.below(8) == 7) return samples_[at];
    while (samples_[at].is_error) at = (at + 1) % samples_.size();
    return samples_[at];
  }

  const Value& value_of_another(size_t i) { return sample().values[i]; }

  void note_shape(const std::vector<TensorValue>& offsets) {
    if (!offsets.empty() && !offsets[0].sizes.empty()) shape_ = offsets[0].sizes;
    if (!shape_.empty()) --shape_.back();
  }

  void change(size_t i) {
    const Argument& argument = arguments_[i];
    Value& value = values_[i];
    if (in_.below(4) == 1) {
      value = value_of_another(i);
    } else if (argument.is_optional && one_in(in_, 8)) {
      value = Value{true, {}, {}};
    } else if (argument.kind == Kind::kTensor) {
      if (argument.name == "table") return change_table(&value);
      if (argument.is_list && one_in(in_, 4)) return change_number_of(&value.tensors);
      for (TensorValue& tensor : value.tensors) change_tensor(argument, &tensor);
    } else if (value.is_none) {
      value = value_of_another(i);
    } else if (argument.kind == Kind::kString) {
      change_texts(argument, i, &value.constant.strings);
    } else if (argument.kind == Kind::kFloat) {
      for (double& number : value.constant.floats) number = draw_float();
    } else {
      change_ints(argument, &value.constant.ints);
    }
  }

  // A list of string tensors has two tensors for each.
  void change_number_of(std::vector<TensorValue>* tensors) {
    const size_t size = tensors->size();
    if (size >= 2 && one_in(in_, 2)) {
      tensors->resize(size - 2 + static_cast<size_t>(in_.below(8) == 7));
    } else if (size >= 2 && size < 12) {
      tensors->push_back((*tensors)[size - 2]);
      tensors->push_back((*tensors)[size - 1]);
    }
  }

  // --- Strings

  // A text of a sample, of another argument, or of fragments, possibly changed at a byte.
  std::string draw_text() {
    std::string text;
    switch (in_.below(4)) {
      case 0: {
        const std::vector<std::string>& known = texts();
        if (!known.empty()) text = known[static_cast<size_t>(in_.below(static_cast<int64_t>(known.size())))];
        break;
      }
      case 1:
        text = attribute_text();
        break;
      default:
        return take_text(in_, in_.below(20), attribute_text());
    }
    return one_in(in_, 3) ? changed(text) : text;
  }

  // The strings of a sample of the operator.
  const std::vector<std::string>& texts() {
    if (!texts_.empty()) return texts_;
    const Values& values = sample().values;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (!op_.has_strings_at(i) || values[i].tensors.empty()) continue;
      const std::string& data = values[i].tensors[0].bytes;
      const TensorValue& offsets = values[i + 1].tensors[0];
      if (!offsets.dtype || offsets.dtype->torch != ScalarType::Int || offsets.sizes.empty()) continue;
      const auto* const ends = reinterpret_cast<const int32_t*>(offsets.bytes.data());
      for (int64_t k = 1; k < offsets.numel(); ++k) {
        if (0 <= ends[k - 1] && ends[k - 1] <= ends[k] && static_cast<size_t>(ends[k]) <= data.size()) {
          texts_.push_back(data.substr(static_cast<size_t>(ends[k - 1]), static_cast<size_t>(ends[k] - ends[k - 1])));
        }
      }
    }
    return texts_;
  }

  std::string attribute_text() {
    for (const Value& value : values_) {
      if (!value.constant.strings.empty() && value.constant.strings[0].size() < 40) return value.constant.strings[0];
    }
    return ",";
  }

  std::string changed(std::string text) {
    const auto at = static_cast<size_t>(in_.below(static_cast<int64_t>(text.size()) + 1));
    switch (in_.below(5)) {
      case 0:
        return text.substr(0, at);
      case 1:
        return text.substr(at) + text;
      case 2:
        return text.erase(at, 1);
      case 3:
        return text.insert(at, 1, static_cast<char>(in_.byte()));
      default:
        return text.insert(at, kFragments[static_cast<size_t>(in_.below(kNumFragments))]);
    }
  }

  // The sizes of a string tensor: those of the sample, of the strings before, or new ones.
  std::vector<int64_t> draw_shape(const TensorValue& offsets) {
    const int64_t kind = in_.below(4);
    if (kind == 0 && !offsets.sizes.empty()) {
      std::vector<int64_t> shape = offsets.sizes;
      --shape.back();
      return shape;
    }
    if (kind == 1 && !shape_.empty()) return shape_;
    if (kind == 2) return {in_.below(5), in_.below(6)};
    return {one_in(in_, 16) ? in_.below(kMaxStrings) : in_.below(9)};
  }

  void change_strings(size_t i) {
    if (values_[i].tensors.empty() || values_[i + 1].tensors.empty()) return;
    TensorValue &data = values_[i].tensors[0], &offsets = values_[i + 1].tensors[0];
    if (one_in(in_, 16)) return change_tensor(arguments_[i + in_.flag()], in_.flag() ? &offsets : &data);
    std::vector<int64_t> shape = draw_shape(offsets);
    int64_t rows = 1;
    for (size_t d = 0; d + 1 < shape.size(); ++d) rows *= shape[d];
    const int64_t cols = shape.back();
    if (rows < 0 || cols < 0 || rows * (cols + 1) > 4 * kMaxStrings) return;
    ++shape.back();
    if (one_in(in_, 4)) {  // any text, in any layout
      const Bytes text = bytes_of(take_text(in_, 8 + in_.below(40), draw_text()));
      data = tensor_of(ScalarType::Byte, {text.size()}, text.data());
      offsets = tensor_of(ScalarType::Int, shape, take_offsets(in_, text.size(), rows, cols).data());
      return;
    }
    // A few texts, repeated, between gaps.
    const int64_t period = 1 + in_.below(6), gap = one_in(in_, 4) ? in_.below(5) : 0;
    std::vector<std::string> texts;
    for (int64_t k = 0; k < period; ++k) texts.push_back(draw_text());
    std::string all;
    std::vector<int32_t> ends;
    for (int64_t r = 0, k = 0; r < rows; ++r) {
      all.append(static_cast<size_t>(gap), '\xC3');
      ends.push_back(static_cast<int32_t>(all.size()));
      for (int64_t c = 0; c < cols; ++c) {
        if (all.size() < kMaxBytes) all += texts[static_cast<size_t>(k++ % period)];
        ends.push_back(static_cast<int32_t>(all.size()));
      }
    }
    data = tensor_of(ScalarType::Byte, {static_cast<int64_t>(all.size())}, all.data());
    offsets = tensor_of(ScalarType::Int, shape, ends.data());
  }

  // --- Other tensors

  // The number of strings before the argument, or of the elements of the first tensor.
  int64_t num_values() const {
    int64_t count = 1;
    for (const int64_t size : shape_) count *= size;
    if (!shape_.empty()) return count;
    for (const Value& value : values_) {
      if (!value.tensors.empty() && !value.tensors[0].sizes.empty()) return value.tensors[0].sizes[0];
    }
    return 0;
  }

  void change_tensor(const Argument& argument, TensorValue* tensor) {
    if (!tensor->dtype) return;
    if (argument.name == "row_splits" && !one_in(in_, 8)) return change_row_splits(tensor);
    if (one_in(in_, 16)) tensor->dtype = host::find_dtype(draw_dtype());
    if (one_in(in_, 4)) tensor->sizes = shape_.empty() ? std::vector<int64_t>{in_.below(6)} : shape_;
    if (one_in(in_, 8)) tensor->sizes.insert(tensor->sizes.begin(), in_.below(4));
    if (!tensor->dtype || tensor->numel() < 0 || tensor->numel() > 4 * kMaxStrings) *tensor = TensorValue();
    if (!tensor->dtype) return;
    const auto num_bytes = static_cast<size_t>(tensor->dtype->num_bytes);
    tensor->bytes.resize(static_cast<size_t>(tensor->numel()) * num_bytes);
    for (int64_t n = in_.below(4); n >= 0 && tensor->numel() > 0; --n) {
      char* const at = &tensor->bytes[static_cast<size_t>(in_.below(tensor->numel())) * num_bytes];
      if (argument.name == "numbers" || argument.name == "input" || in_.flag()) {
        put(tensor->dtype->torch, in_.below(12) - 2, at);
      } else {
        const auto any = in_.any<int64_t>();
        std::memcpy(at, &any, num_bytes);
      }
    }
    if (tensor->dtype->torch == ScalarType::Bool) {
      for (char& byte : tensor->bytes) byte = byte & 1;
    }
  }

  static void put(ScalarType type, int64_t number, char* at) {
    const auto as_double = static_cast<double>(number);
    const auto as_float = static_cast<float>(number);
    if (type == ScalarType::Double)
      std::memcpy(at, &as_double, sizeof as_double);
    else if (type == ScalarType::Float)
      std::memcpy(at, &as_float, sizeof as_float);
    else
      std::memcpy(at, &number, static_cast<size_t>(host::find_dtype(type)->num_bytes));
  }

  void change_row_splits(TensorValue* tensor) {
    const int64_t values = num_values();
    std::vector<int64_t> splits{0};
    for (int64_t r = in_.below(6); r > 0; --r) splits.push_back(std::min(values, splits.back() + in_.below(5)));
    splits.push_back(values);
    *tensor = tensor_of(ScalarType::Long, {static_cast<int64_t>(splits.size())}, splits.data());
  }

  // The table of drawn tokens.
  void change_table(Value* value) {
    const bool subword = op_.schema.op.substr(0, 7) == "subword";
    const Operator& build = *find_operator(subword ? "subword_build" : "vocab_build");
    Outcome built = Call(build, Draw(in_, build).values()).run();
    if (!built.is_error) value->tensors = std::move(built.results);
  }

  ScalarType draw_dtype() {
    static constexpr ScalarType kTypes[] = {ScalarType::Byte,     ScalarType::Int,    ScalarType::Long,
                                            ScalarType::Bool,     ScalarType::Float,  ScalarType::Half,
                                            ScalarType::Char,     ScalarType::Double, ScalarType::Short,
                                            ScalarType::BFloat16, ScalarType::UInt64};
    return kTypes[static_cast<size_t>(in_.below(11))];
  }

  // --- Attributes

  void change_texts(const Argument& argument, size_t i, std::vector<std::string>* texts) {
    if (argument.is_list && one_in(in_, 3)) texts->resize(static_cast<size_t>(in_.below(4)));
    for (std::string& text : *texts) {
      switch (in_.below(4)) {
        case 0:
          text = draw_text();
          break;
        case 1: {
          const std::vector<std::string>& other = value_of_another(i).constant.strings;
          if (!other.empty())
            text.insert(static_cast<size_t>(in_.below(static_cast<int64_t>(text.size()) + 1)), other[0]);
          break;
        }
        default:
          text = changed(text);
      }
    }
  }

  double draw_float() {
    static constexpr double kSpecial[] = {0, -1, 1e300, std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
    return one_in(in_, 3) ? kSpecial[in_.below(5)] : static_cast<double>(in_.below(64)) / 64;
  }

  int64_t draw_int() { return in_.below(8) < 7 ? in_.below(14) - 3 : in_.any<int64_t>(); }

  void change_ints(const Argument& argument, std::vector<int64_t>* ints) {
    if (argument.kind == Kind::kScalarType) {
      *ints = {static_cast<int64_t>(draw_dtype())};
      return;
    }
    if (argument.is_list && one_in(in_, 3)) ints->resize(static_cast<size_t>(in_.below(5)));
    for (int64_t& value : *ints) value = argument.kind == Kind::kBool ? in_.flag() : draw_int();
  }

  Input& in_;
  const Operator& op_;
  const std::vector<Sample>& samples_;
  Values values_;
  const std::vector<Argument>& arguments_;
  std::vector<int64_t> shape_;  // of the strings before the argument
  std::vector<std::string> texts_;
};

}  // namespace

Values draw_values(Input& in, const Operator& op) {
  return Draw(in, op).values();
}

}  // namespace stringops::fuzz
