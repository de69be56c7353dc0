#include "operator_lines.h"

#include <charconv>
#include <map>

#include "fuzz.h"

namespace stringops::fuzz {
namespace {

using host::Kind;

int hex_digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

// Reads the columns of a line, from the front.
class Reader {
 public:
  explicit Reader(std::string_view line) : rest_(line) {}

  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string until(char end) {
    const size_t size = std::min(rest_.find(end), rest_.size());
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(std::min(size + 1, rest_.size()));
    return text;
  }

  template <class Number>
  Number number() {
    Number value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    REQUIRE(error == std::errc());
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  std::string text() {
    REQUIRE(take('"'));
    std::string text;
    while (!take('"')) {
      char c = rest_[0];
      size_t size = 1;
      if (c == '\\') {
        c = static_cast<char>(hex_digit(rest_[2]) << 4 | hex_digit(rest_[3]));
        size = 4;
      }
      text += c;
      rest_.remove_prefix(size);
    }
    return text;
  }

  TensorValue tensor() {
    TensorValue value;
    value.dtype = host::find_dtype(until('['));
    REQUIRE(value.dtype);
    while (!take(']')) {
      value.sizes.push_back(number<int64_t>());
      take(',');
    }
    if (!rest_.empty() && rest_[0] == '"') {
      value.bytes = text();
      return value;
    }
    for (int64_t i = value.numel(); i > 0; --i) {
      const auto item = number<int64_t>();
      value.bytes.append(reinterpret_cast<const char*>(&item), static_cast<size_t>(value.dtype->num_bytes));
      if (i > 1) REQUIRE(take(','));
    }
    return value;
  }

 private:
  std::string_view rest_;
};

class Lines {
 public:
  std::vector<Sample> read_all(std::string_view text) {
    std::vector<Sample> samples;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      samples.push_back(read_line(Reader(text.substr(at, end - at)), samples));
      at = end + 1;
    }
    return samples;
  }

 private:
  Sample read_line(Reader line, const std::vector<Sample>& before) {
    Sample sample;
    sample.op = find_operator(line.until('\t'));
    REQUIRE(sample.op);
    sample.is_error = line.take('!');
    const std::string hash = line.until('\t');
    std::from_chars(hash.data(), hash.data() + hash.size(), sample.want, 16);
    const auto& arguments = sample.op->schema.arguments;
    for (const host::Argument& argument : arguments) sample.values.push_back(default_of(argument));
    while (!line.at_end()) {
      const std::string name = line.until('=');
      size_t at = 0;
      while (at < arguments.size() && arguments[at].name != name) ++at;
      REQUIRE(at < arguments.size());
      sample.values[at] = read_value(arguments[at], &line, before);
      line.take('\t');
    }
    return sample;
  }

  Value read_value(const host::Argument& argument, Reader* line, const std::vector<Sample>& before) {
    Value value;
    if (line->take_word("None")) {
      value.is_none = argument.kind != Kind::kTensor || argument.is_optional;
      if (!value.is_none) value.tensors.resize(1);
      return value;
    }
    if (line->take_word("[]")) return value;
    do {
      switch (argument.kind) {
        case Kind::kTensor:
          value.tensors.push_back(line->take('@') ? table(line->number<size_t>(), before) : line->tensor());
          break;
        case Kind::kString:
          value.constant.strings.push_back(line->text());
          break;
        case Kind::kFloat:
          value.constant.floats.push_back(line->number<double>());
          break;
        case Kind::kScalarType:
          value.constant.ints.push_back(static_cast<int64_t>(host::find_dtype(line->until('\t'))->torch));
          return value;
        default:
          value.constant.ints.push_back(line->number<int64_t>());
      }
    } while (line->take(','));
    return value;
  }

  const TensorValue& table(size_t number, const std::vector<Sample>& before) {
    if (tables_.count(number) == 0) {
      const Sample& sample = before.at(number);
      const Outcome built = Call(*sample.op, sample.values).run();
      REQUIRE(!built.is_error);
      tables_[number] = built.results.at(0);
    }
    return tables_[number];
  }

  std::map<size_t, TensorValue> tables_;  // by the line that builds them
};

}  // namespace

std::vector<Sample> read_lines(std::string_view text) {
  return Lines().read_all(text);
}

}  // namespace stringops::fuzz
