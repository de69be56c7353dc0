#include "subword/spec/spec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

#include "core/fail.h"
#include "subword/spec/spec_line.h"
#include "subword/spec/spec_steps.h"

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
    const bool has_affix = !spec_.continuing_prefix.empty() || !spec_.word_suffix.empty();
    STRINGOPS_CHECK(!has_affix || !(spec_.whole || spec_.byte_fallback || spec_.model != Spec::Model::kBpe), op_,
                    ": expected no `whole`, `byte_fallback` or pieces with a prefix or a suffix of words");
    STRINGOPS_CHECK(are_valid(spec_.steps, spec_.step_texts, spec_.patterns.size()), op_,
                    ": expected steps that make texts at most 64 times as long");
    return std::move(spec_);
  }

 private:
  static std::optional<int64_t> rank_of(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, int64_t>, 26> kRanks = {{
        {"subword", 0},
        {"model", 1},
        {"bytes", 2},
        {"merges", 2},
        {"whole", 2},
        {"byte_fallback", 2},
        {"fuse_unk", 2},
        {"continuing_prefix", 2},
        {"word_suffix", 2},
        {"unk", 2},
        {"unk_score", 2},
        {"byte_ids", 2},
        {"frozen", 2},
        {"unused", 2},
        {"charsmap", 3},
        {"normalize", 3},
        {"split", 4},
        {"prefix_space", 4},
        {"added", 5},
        {"added_match", 5},
        {"template_single", 6},
        {"template_pair", 7},
        {"name", 7},
        {"decode", 8},
        {"text", 9},
        {"warm", 10},
    }};
    for (const auto& [known, rank] : kRanks) {
      if (known == name) return rank;
    }
    return std::nullopt;
  }

  static bool may_repeat(std::string_view name) {
    return name == "added" || name == "name" || name == "split" || name == "prefix_space" || name == "text" ||
           name == "normalize" || name == "decode";
  }

  void parse_line(const Line& line) {
    const std::string_view name = line.name();
    if (name == "subword") {
      line.check_size(1);
      line.number(0, 1, 1);
    } else if (name == "model") {
      parse_model(line);
    } else if (name == "bytes") {
      line.check_size(1);
      spec_.characters = line.number(0, 0, 1) == 0;
    } else if (name == "byte_fallback") {
      line.check_size(1);
      spec_.byte_fallback = line.number(0, 0, 1) == 1;
    } else if (name == "fuse_unk") {
      line.check_size(1);
      spec_.fuses_unknown = line.number(0, 0, 1) == 1;
    } else if (name == "continuing_prefix" || name == "word_suffix") {
      line.check_size(1);
      std::string& text = name == "word_suffix" ? spec_.word_suffix : spec_.continuing_prefix;
      text = line.bytes(0);
      if (text.size() > kMaxStepText) line.fail("at most " + std::to_string(kMaxStepText) + " bytes of text");
    } else if (name == "merges") {
      line.check_size(1);
      spec_.ranks = line.choice(line.word(0), {"listed", "ranks"}) == 1;
    } else if (name == "whole") {
      line.check_size(1);
      spec_.whole = line.number(0, 0, 1) == 1;
    } else if (name == "unk") {
      line.check_size(1);
      spec_.unknown_id = line.number(0, -1, kMaxIds - 1);
    } else if (name == "unk_score") {
      line.check_size(1);
      spec_.unknown_score = parse_score(line);
    } else if (name == "byte_ids") {
      line.check_size(256);
      for (size_t byte = 0; byte < 256; ++byte) {
        spec_.byte_ids.push_back(static_cast<uint32_t>(line.number(byte, -1, kMaxIds - 1)));
      }
    } else if (name == "frozen" || name == "unused") {
      for (size_t i = 0; i < line.size(); ++i) {
        (name == "frozen" ? spec_.frozen : spec_.unused)
            .push_back(static_cast<uint32_t>(line.number(i, 0, kMaxIds - 1)));
      }
    } else if (name == "charsmap") {
      line.check_size(1);
      spec_.charsmap = line.bytes(0);
    } else if (name == "normalize") {
      parse_normalizer(line, spec_);
    } else if (name == "split") {
      parse_split(line, spec_);
    } else if (name == "prefix_space") {
      line.check_size(1);
      if (line.number(0, 0, 1) == 1) spec_.steps.push_back(Step::of(Step::kPrefixSpace));
    } else if (name == "added") {
      line.check_size(3);
      spec_.added.push_back({static_cast<uint32_t>(line.number(0, 0, kMaxIds - 1)),
                             static_cast<uint32_t>(line.number(1, 0, 31)), line.bytes(2)});
    } else if (name == "added_match") {
      line.check_size(1);
      spec_.first_match = line.choice(line.word(0), {"longest", "first"}) == 1;
    } else if (name == "template_single") {
      parse_template(line);
    } else if (name == "template_pair") {
      parse_pair_template(line);
    } else if (name == "text") {
      line.check_size(2);
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
