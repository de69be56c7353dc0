#include "subword/spec/spec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "core/fail.h"
#include "subword/spec/spec_line.h"

namespace stringops::subword {
namespace {

class Parser {
 public:
  explicit Parser(const char* op) : op_(op) {}

  Spec parse(std::string_view text) {
    if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    int64_t number = 0;
    for (const std::string_view words : split_at(text, '\n')) {
      const Line line(op_, ++number, words);
      const Directive* const directive = find_directive(line.name());
      if (!directive) line.fail("a directive that is known");
      const int64_t rank = directive->rank;
      if (number <= 2 && rank != number - 1) line.fail(number == 1 ? "subword" : "model");
      if (number > 2 && (rank < 2 || rank < last_rank_)) line.fail("directives in order");
      last_rank_ = rank;
      if (!directive->may_repeat && seen_[line.name()]++ > 0) line.fail("one such directive");
      if (directive->size != kAny) line.check_size(static_cast<size_t>(directive->size));
      parse_line(line);
      if (static_cast<int64_t>(spec_.steps.size()) > kMaxSteps) line.fail("fewer splits");
    }
    if (number < 2) stringops::fail(op_, ": expected `spec` of two lines or more, got ", number);
    if (spec_.ranks) spec_.whole = true;
    const bool has_affix = !spec_.continuing_prefix.empty() || !spec_.word_suffix.empty();
    STRINGOPS_CHECK(!has_affix || !(spec_.whole || spec_.byte_fallback || spec_.model != Spec::Model::kBpe), op_,
                    ": expected no `whole`, `byte_fallback` or pieces with a prefix or a suffix of words");
    STRINGOPS_CHECK(are_valid(spec_.steps, spec_.step_texts, spec_.patterns.size()), op_,
                    ": expected steps that make texts at most 64 times as long");
    return std::move(spec_);
  }

 private:
  struct Directive {
    std::string_view name;
    int64_t rank;  // lines are in this order
    int64_t size;  // its arguments, or kAny
    bool may_repeat = false;
  };
  static constexpr int64_t kAny = -1;

  static const Directive* find_directive(std::string_view name) {
    static constexpr std::array<Directive, 26> kDirectives = {{
        {"subword", 0, 1},
        {"model", 1, kAny},
        {"bytes", 2, 1},
        {"merges", 2, 1},
        {"whole", 2, 1},
        {"byte_fallback", 2, 1},
        {"fuse_unk", 2, 1},
        {"continuing_prefix", 2, 1},
        {"word_suffix", 2, 1},
        {"unk", 2, 1},
        {"unk_score", 2, 1},
        {"byte_ids", 2, 256},
        {"frozen", 2, kAny},
        {"unused", 2, kAny},
        {"charsmap", 3, 1},
        {"normalize", 3, kAny, true},
        {"split", 4, kAny, true},
        {"prefix_space", 4, 1, true},
        {"added", 5, 3, true},
        {"added_match", 5, 1},
        {"template_single", 6, kAny},
        {"template_pair", 7, kAny},
        {"name", 7, kAny, true},
        {"decode", 8, kAny, true},
        {"text", 9, 2, true},
        {"warm", 10, kAny},
    }};
    const auto* const found = std::find_if(kDirectives.begin(), kDirectives.end(),
                                           [&](const Directive& directive) { return directive.name == name; });
    return found == kDirectives.end() ? nullptr : found;
  }

  void parse_line(const Line& line) {
    const std::string_view name = line.name();
    if (name == "subword") {
      line.number(0, 1, 1);
    } else if (name == "model") {
      parse_model(line);
    } else if (name == "bytes") {
      spec_.characters = line.number(0, 0, 1) == 0;
    } else if (name == "byte_fallback") {
      spec_.byte_fallback = line.number(0, 0, 1) == 1;
    } else if (name == "fuse_unk") {
      spec_.fuses_unknown = line.number(0, 0, 1) == 1;
    } else if (name == "continuing_prefix" || name == "word_suffix") {
      std::string& text = name == "word_suffix" ? spec_.word_suffix : spec_.continuing_prefix;
      text = line.bytes(0);
      if (text.size() > kMaxStepText) line.fail("at most " + std::to_string(kMaxStepText) + " bytes of text");
    } else if (name == "merges") {
      spec_.ranks = line.choice(line.word(0), {"listed", "ranks"}) == 1;
    } else if (name == "whole") {
      spec_.whole = line.number(0, 0, 1) == 1;
    } else if (name == "unk") {
      spec_.unknown_id = line.number(0, -1, kMaxIds - 1);
    } else if (name == "unk_score") {
      spec_.unknown_score = parse_score(line);
    } else if (name == "byte_ids") {
      for (size_t byte = 0; byte < 256; ++byte) {
        spec_.byte_ids.push_back(static_cast<uint32_t>(line.number(byte, -1, kMaxIds - 1)));
      }
    } else if (name == "frozen" || name == "unused") {
      for (size_t i = 0; i < line.size(); ++i) {
        (name == "frozen" ? spec_.frozen : spec_.unused)
            .push_back(static_cast<uint32_t>(line.number(i, 0, kMaxIds - 1)));
      }
    } else if (name == "charsmap") {
      spec_.charsmap = line.bytes(0);
    } else if (name == "normalize") {
      parse_normalizer(line, spec_);
    } else if (name == "split") {
      parse_split(line, spec_);
    } else if (name == "prefix_space") {
      if (line.number(0, 0, 1) == 1) spec_.steps.push_back(Step::of(Step::kPrefixSpace));
    } else if (name == "added") {
      spec_.added.push_back({static_cast<uint32_t>(line.number(0, 0, kMaxIds - 1)),
                             static_cast<uint32_t>(line.number(1, 0, 31)), line.bytes(2)});
    } else if (name == "added_match") {
      spec_.first_match = line.choice(line.word(0), {"longest", "first"}) == 1;
    } else if (name == "template_single") {
      parse_template(line);
    } else if (name == "template_pair") {
      parse_pair_template(line);
    } else if (name == "text") {
      spec_.texts.push_back({static_cast<uint32_t>(line.number(0, 0, kMaxIds - 1)), line.bytes(1)});
    } else if (name == "decode") {
      parse_decoder(line, spec_);
    } else if (name == "warm") {
      for (size_t i = 0; i < line.size(); ++i) spec_.warm.push_back(line.bytes(i));
    }
  }

  void parse_model(const Line& line) {
    static constexpr Spec::Model kModels[] = {Spec::Model::kBpe, Spec::Model::kWordPiece, Spec::Model::kUnigram,
                                              Spec::Model::kConcatenationBpe};
    spec_.model = kModels[line.choice(line.word(0), {"bpe", "wordpiece", "unigram", "sentencepiece_bpe"})];
    if (spec_.model == Spec::Model::kWordPiece) {
      line.check_size(3);
      spec_.prefix = line.bytes(1);
      spec_.max_codepoints = line.number(2, 0, INT64_MAX);
    } else if (spec_.model == Spec::Model::kUnigram) {
      line.check_size(2);
      spec_.is_sentencepiece = line.choice(line.word(1), {"huggingface", "sentencepiece"}) == 1;
    } else {
      line.check_size(1);
    }
  }

  static double parse_score(const Line& line) {
    const std::string bytes = line.bytes(0);
    if (bytes.size() != sizeof(double)) line.fail("eight bytes in hexadecimal");
    uint64_t bits = 0;
    for (const char byte : bytes) bits = bits << 8 | static_cast<uint8_t>(byte);
    double score;
    std::memcpy(&score, &bits, sizeof(score));
    return score;
  }

  void parse_template(const Line& line) {
    bool after = false;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string_view word = line.word(i), name = word.substr(0, word.find(':'));
      if (name.size() < word.size()) line.parse_number(word.substr(name.size() + 1), 0, INT32_MAX);
      if (name == "A") {
        if (after) line.fail("one A");
        after = true;
      } else {
        (after ? spec_.after : spec_.before).push_back(static_cast<uint32_t>(line.parse_number(name, 0, kMaxIds - 1)));
      }
    }
    if (!after) line.fail("one A");
    if (static_cast<int64_t>(line.size()) > kMaxTemplate) line.fail("fewer ids");
  }

  void parse_pair_template(const Line& line) {
    spec_.pair.clear();
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string_view word = line.word(i);
      const size_t colon = word.find(':');
      if (colon == word.npos) line.fail("items as id:type");
      const std::string_view name = word.substr(0, colon);
      const uint32_t id = name == "A"   ? PairItem::kFirst
                          : name == "B" ? PairItem::kSecond
                                        : static_cast<uint32_t>(line.parse_number(name, 0, kMaxIds - 1));
      spec_.pair.push_back({id, static_cast<uint32_t>(line.parse_number(word.substr(colon + 1), 0, INT32_MAX))});
    }
    if (static_cast<int64_t>(line.size()) > kMaxTemplate) line.fail("fewer ids");
    if (!has_both(spec_.pair)) line.fail("one A and one B");
  }

  const char* op_;
  Spec spec_;
  int64_t last_rank_ = 0;
  std::map<std::string_view, int64_t> seen_;
};

}  // namespace

bool has_both(const std::vector<PairItem>& items) {
  const auto count = [&](uint32_t id) {
    return std::count_if(items.begin(), items.end(), [&](const PairItem& item) { return item.id == id; });
  };
  return count(PairItem::kFirst) == 1 && count(PairItem::kSecond) == 1;
}

Spec parse_spec(const char* op, std::string_view text) {
  return Parser(op).parse(text);
}

}  // namespace stringops::subword
