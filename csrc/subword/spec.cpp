#include "subword/spec.h"

#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>

#include "core/fail.h"

namespace stringops::subword {
namespace {

using Words = std::vector<std::string_view>;

Words split_at(std::string_view text, char separator) {
  Words words;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// One directive: its line number, for errors, and its words.
class Line {
 public:
  Line(const char* op, int64_t number, std::string_view text) : op_(op), number_(number), words_(split_at(text, ' ')) {}

  std::string_view name() const { return words_[0]; }
  size_t size() const { return words_.size() - 1; }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view got = words_[0];
    stringops::fail(op_, ": expected ", expected, " in line ", number_, " of `spec`, got ",
                    quoted(got.data(), got.size()), " with ", size(), size() == 1 ? " argument" : " arguments");
  }

  std::string_view word(size_t i) const {
    if (i >= size()) fail("more arguments");
    return words_[i + 1];
  }

  void check_size(size_t count) const {
    if (size() != count) fail(std::to_string(count) + (count == 1 ? " argument" : " arguments"));
  }

  int64_t number(size_t i, int64_t least, int64_t most) const { return parse_number(word(i), least, most); }
  int64_t parse_number(std::string_view text, int64_t least, int64_t most) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      fail("a number within [" + std::to_string(least) + ", " + std::to_string(most) + "]");
    }
    return value;
  }

  std::string bytes(size_t i) const {
    const std::string_view text = word(i);
    if (text == "-") return {};
    const auto digit = [&](char c) {
      if (c >= '0' && c <= '9') return c - '0';
      if (c >= 'a' && c <= 'f') return c - 'a' + 10;
      fail("bytes in hexadecimal");
    };
    if (text.empty() || text.size() % 2 != 0) fail("bytes in hexadecimal");
    std::string bytes;
    for (size_t at = 0; at < text.size(); at += 2)
      bytes += static_cast<char>(digit(text[at]) * 16 + digit(text[at + 1]));
    return bytes;
  }

  uint8_t choice(std::string_view word, std::initializer_list<std::string_view> choices) const {
    std::string expected = "one of";
    uint8_t index = 0;
    for (const std::string_view choice : choices) {
      if (choice == word) return index;
      expected += std::string(index++ ? ", " : " ") + std::string(choice);
    }
    fail(expected);
  }

 private:
  const char* op_;
  int64_t number_;
  Words words_;
};

// A scanner, and the settings that it has, with the values of settings that the line does not name.
struct Scanner {
  Step step;
  std::string_view keys;  // separated by spaces
};

Step make_step(uint8_t kind) {
  Step step;
  step.kind = kind;
  return step;
}

const std::map<std::string_view, Scanner>& scanners() {
  static const auto* const all = [] {
    auto* const map = new std::map<std::string_view, Scanner>();
    (*map)["gpt2"] = {make_step(Step::kGpt2), ""};
    Step llama = make_step(Step::kLlama3);
    llama.digits = 3;
    llama.newline_tail = 1;
    llama.contractions = Step::kAnyCase;
    (*map)["llama3"] = {llama, "digits marks newline_tail contractions end"};
    Step o200k = llama;
    o200k.kind = Step::kO200k;
    o200k.slash_tail = 1;
    (*map)["o200k"] = {o200k, "digits contractions slash"};
    (*map)["digits"] = {make_step(Step::kDigits), "each"};
    (*map)["bert"] = {make_step(Step::kBertWords), ""};
    (*map)["deepseek"] = {make_step(Step::kDeepseek), ""};
    return map;
  }();
  return *all;
}

void set_key(const Line& line, Step& step, std::string_view key, std::string_view value) {
  if (key == "digits") {
    step.digits = static_cast<uint8_t>(line.parse_number(value, 0, 255));
  } else if (key == "each") {
    step.digits = static_cast<uint8_t>(line.parse_number(value, 0, 1));
  } else if (key == "marks") {
    step.marks = static_cast<uint8_t>(line.parse_number(value, 0, 1));
  } else if (key == "newline_tail") {
    step.newline_tail = static_cast<uint8_t>(line.parse_number(value, 0, 1));
  } else if (key == "slash") {
    step.slash_tail = static_cast<uint8_t>(line.parse_number(value, 0, 1));
  } else if (key == "contractions") {
    const int64_t most = step.kind == Step::kO200k ? 1 : 2;
    const int64_t number = line.parse_number(value, 0, most);
    step.contractions = static_cast<uint8_t>(step.kind == Step::kO200k ? number * Step::kAnyCase : number);
  } else {
    step.end_first = line.choice(value, {"hf", "tiktoken"});
  }
}

void parse_split(const Line& line, std::vector<Step>& steps) {
  const auto found = scanners().find(line.word(0));
  if (found == scanners().end()) line.fail("a scanner that is known");
  Step step = found->second.step;
  const Words keys = split_at(found->second.keys, ' ');
  for (size_t i = 1; i < line.size(); ++i) {
    const std::string_view word = line.word(i);
    const size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    if (equals == word.npos || equals == 0 || std::find(keys.begin(), keys.end(), key) == keys.end()) {
      line.fail("settings of the scanner as key=value");
    }
    set_key(line, step, key, word.substr(equals + 1));
  }
  if (step.kind == Step::kDeepseek) {  // three splits one after the other
    Step digits = make_step(Step::kDigitRuns);
    digits.digits = 3;
    steps.push_back(digits);
    steps.push_back(make_step(Step::kCjk));
  }
  steps.push_back(step);
}

class Parser {
 public:
  explicit Parser(const char* op) : op_(op) {}

  Spec parse(std::string_view text) {
    if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    int64_t number = 0;
    for (const std::string_view words : split_at(text, '\n')) {
      const Line line(op_, ++number, words);
      const auto rank = rank_of(line.name());
      if (!rank) line.fail("a directive that is known");
      if (number <= 2 && *rank != number - 1) line.fail(number == 1 ? "subword" : "model");
      if (number > 2 && (*rank < 2 || *rank < last_rank_)) line.fail("directives in order");
      last_rank_ = *rank;
      if (!may_repeat(line.name()) && seen_[line.name()]++ > 0) line.fail("one such directive");
      parse_line(line);
      if (static_cast<int64_t>(spec_.steps.size()) > kMaxSteps) line.fail("fewer splits");
    }
    if (number < 2) stringops::fail(op_, ": expected `spec` of two lines or more, got ", number);
    if (spec_.ranks) spec_.whole = true;
    return std::move(spec_);
  }

 private:
  static std::optional<int64_t> rank_of(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, int64_t>, 15> kRanks = {{
        {"subword", 0},
        {"model", 1},
        {"bytes", 2},
        {"merges", 2},
        {"whole", 2},
        {"unk", 2},
        {"normalize", 3},
        {"split", 4},
        {"prefix_space", 4},
        {"added", 5},
        {"added_match", 5},
        {"template_single", 6},
        {"template_pair", 7},
        {"decode", 8},
        {"text", 9},
    }};
    for (const auto& [known, rank] : kRanks) {
      if (known == name) return rank;
    }
    return std::nullopt;
  }

  static bool may_repeat(std::string_view name) {
    return name == "added" || name == "split" || name == "prefix_space" || name == "text";
  }

  void parse_line(const Line& line) {
    const std::string_view name = line.name();
    if (name == "subword") {
      line.check_size(1);
      line.number(0, 1, 1);
    } else if (name == "model") {
      spec_.is_wordpiece = line.choice(line.word(0), {"bpe", "wordpiece"}) == 1;
      line.check_size(spec_.is_wordpiece ? 3 : 1);
      if (spec_.is_wordpiece) {
        spec_.prefix = line.bytes(1);
        spec_.max_codepoints = line.number(2, 0, INT64_MAX);
      }
    } else if (name == "bytes") {
      line.check_size(1);
      line.number(0, 1, 1);
    } else if (name == "merges") {
      line.check_size(1);
      spec_.ranks = line.choice(line.word(0), {"listed", "ranks"}) == 1;
    } else if (name == "whole") {
      line.check_size(1);
      spec_.whole = line.number(0, 0, 1) == 1;
    } else if (name == "unk") {
      line.check_size(1);
      spec_.unknown_id = line.number(0, -1, kMaxIds - 1);
    } else if (name == "normalize") {
      parse_normalizer(line);
    } else if (name == "split") {
      parse_split(line, spec_.steps);
    } else if (name == "prefix_space") {
      line.check_size(1);
      if (line.number(0, 0, 1) == 1) spec_.steps.push_back(make_step(Step::kPrefixSpace));
    } else if (name == "added") {
      line.check_size(3);
      spec_.added.push_back({static_cast<uint32_t>(line.number(0, 0, kMaxIds - 1)),
                             static_cast<uint32_t>(line.number(1, 0, 31)), line.bytes(2)});
    } else if (name == "added_match") {
      line.check_size(1);
      spec_.first_match = line.choice(line.word(0), {"longest", "first"}) == 1;
    } else if (name == "template_single") {
      parse_template(line);
    } else if (name == "text") {
      line.check_size(2);
      spec_.texts.push_back({static_cast<uint32_t>(line.number(0, 0, kMaxIds - 1)), line.bytes(1)});
    } else if (name == "decode") {
      const bool is_wordpiece = line.choice(line.word(0), {"bytelevel", "wordpiece"}) == 1;
      line.check_size(is_wordpiece ? 3 : 1);
      if (is_wordpiece) {
        spec_.decoder = Spec::Decoder::kWordPiece;
        spec_.decoder_prefix = line.bytes(1);
        spec_.cleans_up = line.number(2, 0, 1) == 1;
      }
    }
  }

  void parse_normalizer(const Line& line) {
    if (line.size() > 0 && line.word(0) == "bert") {
      if (!spec_.steps.empty()) line.fail("no other normalizer before `bert`");
      line.check_size(5);
      Step step = make_step(Step::kBert);
      for (size_t bit = 0; bit < 4; ++bit) {
        step.bert = static_cast<uint8_t>(step.bert | line.number(bit + 1, 0, 1) << bit);
      }
      spec_.steps.push_back(step);
      return;
    }
    if (!spec_.steps.empty() && spec_.steps[0].kind == Step::kBert) line.fail("no normalizer after `bert`");
    for (size_t i = 0; i < line.size(); ++i) {
      line.choice(line.word(i), {"nfc"});
      spec_.steps.push_back(make_step(Step::kNfc));
    }
  }

  void parse_template(const Line& line) {
    bool after = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line.word(i) == "A") {
        if (after) line.fail("one A");
        after = true;
      } else {
        (after ? spec_.after : spec_.before).push_back(static_cast<uint32_t>(line.number(i, 0, kMaxIds - 1)));
      }
    }
    if (!after) line.fail("one A");
    if (static_cast<int64_t>(line.size()) > kMaxTemplate) line.fail("fewer ids");
  }

  const char* op_;
  Spec spec_;
  int64_t last_rank_ = 0;
  std::map<std::string_view, int64_t> seen_;
};

}  // namespace

bool is_valid(const Step& step) {
  return step.kind >= Step::kNfc && step.kind < Step::kLast && step.contractions <= Step::kAnyCase && step.bert < 16;
}

Spec parse_spec(const char* op, std::string_view text) {
  return Parser(op).parse(text);
}

}  // namespace stringops::subword
