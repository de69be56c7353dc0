#include "subword/spec/spec_line.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/codepoint.h"
#include "core/lazy.h"
#include "regex/pattern.h"
#include "subword/scan/class_patterns.h"
#include "subword/scan/token_rules.h"

namespace stringops::subword {
namespace {

// A scanner, and the settings that it has, with the values of settings that the line does not name.
struct Scanner {
  Step step;
  std::string_view keys;  // separated by spaces
};

const std::map<std::string_view, Scanner>& scanners() {
  return lazy([] {
    std::map<std::string_view, Scanner> map;
    Step gpt2 = Step::of(Step::kGpt2);
    gpt2.contractions = Step::kLowerOnly;
    map["gpt2"] = {gpt2, ""};
    Step llama = Step::of(Step::kLlama3);
    llama.digits = 3;
    llama.newline_tail = 1;
    llama.contractions = Step::kAnyCase;
    map["llama3"] = {llama, "digits marks newline_tail contractions end"};
    Step o200k = llama;
    o200k.kind = Step::kO200k;
    o200k.slash_tail = 1;
    map["o200k"] = {o200k, "digits contractions slash"};
    map["whitespace"] = {Step::of(Step::kWhitespace), ""};
    Step deepseek = Step::of(Step::kDeepseek);
    deepseek.digits = 3;
    deepseek.newline_tail = 1;
    map["deepseek"] = {deepseek, ""};
    return map;
  });
}

void set_key(const Line& line, Step& step, std::string_view key, std::string_view value) {
  if (key == "digits") {
    step.digits = static_cast<uint8_t>(line.parse_number(value, 0, 255));
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

Step parse_scanner(const Line& line) {
  const auto found = scanners().find(line.word(0));
  if (found == scanners().end()) line.fail("a scanner that is known");
  Step step = found->second.step;
  const Fields keys = split_at(found->second.keys, ' ');
  for (size_t i = 1; i < line.size(); ++i) {
    const std::string_view word = line.word(i);
    const size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    if (equals == word.npos || equals == 0 || std::find(keys.begin(), keys.end(), key) == keys.end()) {
      line.fail("settings of the scanner as key=value");
    }
    set_key(line, step, key, word.substr(equals + 1));
  }
  return step;
}

// The position of a text among those of steps.
uint16_t add_text(const Line& line, size_t i, Spec& spec, bool may_be_empty) {
  std::string text = line.bytes(i);
  if (text.size() > kMaxStepText || (text.empty() && !may_be_empty)) {
    line.fail(std::string(may_be_empty ? "0" : "1") + " to " + std::to_string(kMaxStepText) + " bytes of text");
  }
  spec.step_texts.push_back(std::move(text));
  return static_cast<uint16_t>(spec.step_texts.size() - 1);
}

uint8_t flag(const Line& line, size_t i) {
  return static_cast<uint8_t>(line.number(i, 0, 1));
}

Step parse_bert(const Line& line, const Spec& spec) {
  if (!spec.steps.empty()) line.fail("no other normalizer before `bert`");
  line.check_size(5);
  Step step = Step::of(Step::kBert);
  for (size_t bit = 0; bit < 4; ++bit) step.bert = static_cast<uint8_t>(step.bert | flag(line, bit + 1) << bit);
  return step;
}

uint8_t behavior(const Line& line, size_t i) {
  return line.choice(line.word(i), {"removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"});
}

Step add_pattern(std::string pattern, uint8_t behavior, uint8_t invert, Spec& spec) {
  Step step = Step::of(Step::kPattern);
  step.from = static_cast<uint16_t>(spec.patterns.size());
  spec.patterns.push_back(std::move(pattern));
  step.option = behavior;
  step.invert = invert;
  return step;
}

void check_pattern(const Line& line, const std::string& pattern) {
  try {
    Pattern::compile(pattern, MatchRule::kFirst);
  } catch (const PatternError& error) {
    line.fail(std::string("a regular expression that is supported (") + error.what() + ")");
  }
}

// A split at the first text of the line.
Step add_literal(const Line& line, uint8_t behavior, uint8_t invert, Spec& spec) {
  Step step = Step::of(Step::kLiteral);
  step.from = add_text(line, 1, spec, false);
  check_pattern(line, text_pattern(spec.step_texts.back()));
  step.option = behavior;
  step.invert = invert;
  return step;
}

Step parse_pattern(const Line& line, Spec& spec) {
  line.check_size(4);
  std::string pattern = line.bytes(1);
  check_pattern(line, pattern);
  return add_pattern(std::move(pattern), behavior(line, 2), flag(line, 3), spec);
}

Step parse_published(const Line& line) {
  const bool is_onig = line.choice(line.word(1), {"fancy", "onig"}) == 1;
  std::vector<std::string> patterns;
  for (size_t i = 2; i < line.size(); ++i) patterns.push_back(line.bytes(i));
  const auto step = published_step(patterns, is_onig);
  if (!step) line.fail("published patterns");
  return *step;
}

// Parses a split that stands for a pattern. Nothing if it is another one.
std::optional<Step> parse_named_pattern(const Line& line, Spec& spec) {
  const std::string_view name = line.word(0);
  if (name == "clip" || name == "words" || name == "bert") {
    line.check_size(1);
    const auto pattern = name == "clip" ? clip_pattern : name == "words" ? words_pattern : bert_pattern;
    return add_pattern(pattern(), Step::kRemoved, 1, spec);
  }
  if (name != "digits" && name != "punctuation" && name != "fixed") return std::nullopt;
  if (name == "digits" && line.size() == 1) return add_pattern(numbers_pattern(false), Step::kIsolated, 0, spec);
  line.check_size(2);
  if (name == "digits") {
    const bool each = line.choice(line.word(1), {"each=0", "each=1"}) == 1;
    return add_pattern(numbers_pattern(each), Step::kIsolated, 0, spec);
  }
  if (name == "punctuation") return add_pattern(punctuation_pattern(), behavior(line, 1), 0, spec);
  return add_pattern(characters_pattern(static_cast<int>(line.number(1, 1, 255))), Step::kIsolated, 0, spec);
}

void add_metaspace(const Line& line, Spec& spec) {
  line.check_size(4);
  Step step = Step::of(Step::kMetaspace);
  spec.step_texts.emplace_back(" ");
  step.from = static_cast<uint16_t>(spec.step_texts.size() - 1);
  step.to = add_text(line, 1, spec, false);
  step.option = line.choice(line.word(2), {"never", "always", "first"});
  spec.steps.push_back(step);
  if (flag(line, 3) != 0) spec.steps.push_back(add_literal(line, Step::kMergedWithNext, 0, spec));
}

// Whether the text is one character beyond ASCII.
bool is_beyond_ascii(const std::string& text) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = begin + text.size();
  if (text.empty() || *begin < 0x80) return false;
  const Codepoint c = read_codepoint(begin, end);
  return c.value != kInvalidByte && begin + c.length == end;
}

}  // namespace

bool are_valid(const std::vector<Step>& steps, const std::vector<std::string>& texts, size_t num_patterns) {
  constexpr size_t kMaxGrowth = 64;
  size_t growth = 1;
  for (const Step& step : steps) {
    const bool valid = step.kind >= Step::kNfc && step.kind < Step::kLast && step.contractions <= Step::kAnyCase &&
                       step.bert < 16 && step.option < 32 && (step.from == 0 || step.from < texts.size()) &&
                       (step.to == 0 || step.to < texts.size());
    if (step.kind == Step::kPattern) {
      if (step.from >= num_patterns || step.option >= Step::kLastBehavior) return false;
      continue;
    }
    const bool is_replaced = step.kind == Step::kReplace || step.kind == Step::kMetaspace;
    if (!valid || (is_replaced && std::max(step.from, step.to) >= texts.size())) return false;
    if (step.to >= texts.size() || step.kind == Step::kPrepend) continue;
    const size_t from = is_replaced ? texts[step.from].size() : step.least, to = texts[step.to].size();
    if (from > 0 && to > from) growth *= (to + from - 1) / from;
    if (growth > kMaxGrowth) return false;
  }
  return true;
}

void parse_normalizer(const Line& line, Spec& spec) {
  const std::string_view name = line.word(0);
  if (!spec.steps.empty() && spec.steps[0].kind == Step::kBert) line.fail("no normalizer after `bert`");
  Step step;
  if (name == "bert") {
    step = parse_bert(line, spec);
  } else if (name == "prepend") {
    line.check_size(2);
    step = Step::of(Step::kPrepend);
    step.to = add_text(line, 1, spec, false);
  } else if (name == "replace") {
    line.check_size(3);
    step = Step::of(Step::kReplace);
    step.from = add_text(line, 1, spec, false);
    step.to = add_text(line, 2, spec, true);
  } else if (name == "runs") {
    line.check_size(4);
    step = Step::of(line.choice(line.word(1), {"blank", "whitespace"}) == 0 ? Step::kBlankRuns : Step::kSpaceRuns);
    step.least = static_cast<uint8_t>(line.number(2, 1, 255));
    step.to = add_text(line, 3, spec, true);
  } else if (name == "strip") {
    line.check_size(3);
    step = Step::of(Step::kStrip);
    step.option = static_cast<uint8_t>(flag(line, 1) * Step::kLeft + flag(line, 2) * Step::kRight);
  } else if (name == "sentencepiece") {
    line.check_size(5);
    step = Step::of(Step::kSentencePiece);
    for (size_t bit = 0; bit < 4; ++bit) step.option = static_cast<uint8_t>(step.option | flag(line, bit + 1) << bit);
  } else {
    line.check_size(1);
    static constexpr Step::Kind kKinds[] = {Step::kNfc,  Step::kLower,     Step::kPrecompiled, Step::kNfd,
                                            Step::kNfkd, Step::kDropMarks, Step::kNmt,         Step::kNfkd};
    step = Step::of(
        kKinds[line.choice(name, {"nfc", "lower", "precompiled", "nfd", "nfkd", "strip_accents", "nmt", "nfkc"})]);
    if (name == "nfkc") {  // NFC of NFKD
      spec.steps.push_back(step);
      step = Step::of(Step::kNfc);
    }
  }
  spec.steps.push_back(step);
}

void parse_split(const Line& line, Spec& spec) {
  if (line.word(0) == "literal") {
    line.check_size(4);
    spec.steps.push_back(add_literal(line, behavior(line, 2), flag(line, 3), spec));
  } else if (line.word(0) == "metaspace") {
    add_metaspace(line, spec);
  } else if (line.word(0) == "pattern") {
    spec.steps.push_back(parse_pattern(line, spec));
  } else if (line.word(0) == "published") {
    spec.steps.push_back(parse_published(line));
  } else if (const auto step = parse_named_pattern(line, spec)) {
    spec.steps.push_back(*step);
  } else {
    spec.steps.push_back(parse_scanner(line));
  }
}

void parse_decoder(const Line& line, Spec& spec) {
  using Kind = DecodeStep::Kind;
  const std::string_view name = line.word(0);
  const bool is_first = spec.decoder == Spec::Decoder::kByteLevel && !spec.decodes;
  spec.decodes = true;
  if (name == "bytelevel" || name == "wordpiece") {
    if (!is_first) line.fail("one such directive");
    line.check_size(name == "bytelevel" ? 1 : 3);
    if (name == "bytelevel") return;
    spec.decoder = Spec::Decoder::kWordPiece;
    spec.decoder_prefix = line.bytes(1);
    spec.cleans_up = line.number(2, 0, 1) == 1;
    return;
  }
  if (!is_first && spec.decoder != Spec::Decoder::kSteps) line.fail("one such directive");
  spec.decoder = Spec::Decoder::kSteps;
  static constexpr std::pair<std::string_view, size_t> kSizes[] = {
      {"replace", 3}, {"metaspace", 3},    {"suffix", 2},     {"strip", 3},        {"byte_fallback", 1},
      {"join", 2},    {"fuse_replace", 3}, {"fuse_strip", 3}, {"sentencepiece", 2}};
  const uint8_t choice = line.choice(name, {"replace", "metaspace", "suffix", "strip", "byte_fallback", "join",
                                            "fuse_replace", "fuse_strip", "sentencepiece"});
  line.check_size(kSizes[choice].second);
  DecodeStep step{static_cast<Kind>(choice), {}, {}, 0};
  if (step.kind == Kind::kSentencePiece) {
    if (!is_first) line.fail("one such directive");
    step.count = line.number(1, 0, 2);
  } else if (line.size() > 1) {
    step.from = line.bytes(1);
  }
  if (step.kind == Kind::kReplace || step.kind == Kind::kFuseReplace) step.to = line.bytes(2);
  if (step.kind == Kind::kFuseReplace && !(is_beyond_ascii(step.from) && step.to.size() <= kMaxReplaced)) {
    line.fail("one character beyond ASCII, and at most " + std::to_string(kMaxReplaced) + " bytes that replace it");
  }
  if (step.kind == Kind::kMetaspace) step.count = flag(line, 2);
  if (step.kind == Kind::kStrip || step.kind == Kind::kFuseStrip) {
    step.count = line.number(2, 0, INT32_MAX);
    if (step.from.size() != 1 || (step.from[0] & 0x80) != 0) line.fail("one ASCII byte");
  }
  if (step.kind == Kind::kReplace || step.kind == Kind::kMetaspace || step.kind == Kind::kSuffix) {
    if (step.from.empty()) line.fail("a text that is not empty");
  }
  const auto rank = [](Kind kind) { return std::max(kind, Kind::kStrip); };
  if (!spec.decode_steps.empty()) {
    const Kind last = spec.decode_steps.back().kind;
    if (rank(step.kind) < rank(last) || (rank(step.kind) == rank(last) && step.kind > Kind::kStrip)) {
      line.fail("steps of the decoder in order");
    }
  }
  spec.decode_steps.push_back(std::move(step));
}

}  // namespace stringops::subword
