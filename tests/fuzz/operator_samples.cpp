#include "operator_samples.h"

#include <charconv>
#include <map>

#include "fuzz.h"

// The text of the file, which the assembler includes. It ends with a line feed.
asm(".section .rodata\n"
    ".global stringops_samples\n"
    "stringops_samples: .incbin \"samples.txt\"\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const char stringops_samples[];

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

class File {
 public:
  File() {
    const std::string_view text(stringops_samples);
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      add(Reader(text.substr(at, end - at)));
      at = end + 1;
    }
    for (const Operator& op : operators()) {
      const std::string& name = op.schema.name;
      if (name.substr(0, 10) == "_packaged_") all_[&op] = all_[find_operator(name.substr(10))];
    }
  }

  const std::vector<Sample>& of(const Operator& op) const { return all_.at(&op); }

 private:
  void add(Reader line) {
    const Operator* const op = find_operator(line.until('\t'));
    REQUIRE(op);
    Sample sample;
    sample.is_error = line.take('!');
    const std::string hash = line.until('\t');
    std::from_chars(hash.data(), hash.data() + hash.size(), sample.want, 16);
    for (const host::Argument& argument : op->schema.arguments) sample.values.push_back(default_of(argument));
    while (!line.at_end()) {
      const std::string name = line.until('=');
      const auto& arguments = op->schema.arguments;
      size_t at = 0;
      while (at < arguments.size() && arguments[at].name != name) ++at;
      REQUIRE(at < arguments.size());
      sample.values[at] = read(arguments[at], &line);
      line.take('\t');
    }
    lines_.push_back({op, all_[op].size()});
    all_[op].push_back(std::move(sample));
  }

  Value read(const host::Argument& argument, Reader* line) {
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
          value.tensors.push_back(line->take('@') ? table(line->number<size_t>()) : line->tensor());
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

  const TensorValue& table(size_t number) {
    const auto& [op, index] = lines_.at(number);
    if (tables_.count(number) == 0) {
      const Outcome built = Call(*op, all_[op][index].values).run();
      REQUIRE(!built.is_error);
      tables_[number] = built.results.at(0);
    }
    return tables_[number];
  }

  std::vector<std::pair<const Operator*, size_t>> lines_;
  std::map<const Operator*, std::vector<Sample>> all_;
  std::map<size_t, TensorValue> tables_;
};

}  // namespace

const std::vector<Sample>& samples_of(const Operator& op) {
  static const File file;
  return file.of(op);
}

}  // namespace stringops::fuzz
