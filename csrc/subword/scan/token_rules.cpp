#include "subword/scan/token_rules.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/lazy.h"
#include "simd/primitives.h"
#include "subword/scan/classes.h"

namespace stringops::subword {
namespace {

using Table = stringops::ClassTable;

uint8_t class_of(uint16_t classes, int letters) {
  if ((classes & letters) != 0) return WordRule::kLetter;
  if ((classes & kNumber) != 0) return WordRule::kNumber;
  return (classes & kSpace) != 0 ? WordRule::kSpace : WordRule::kRest;
}

uint8_t class_with_case(uint16_t classes) {
  if ((classes & kMark) != 0) return WordRule::kMark;
  const int cases = classes & (kUpper | kLower);
  if (cases == (kUpper | kLower)) return WordRule::kOther;
  if (cases != 0) return cases == kUpper ? WordRule::kUpper : WordRule::kLower;
  return class_of(classes, 0);
}

const Table& table_with_cases() {
  return lazy([] { return Table(kClasses, kNumClassSets, class_with_case); });
}

const Table& table_with_marks() {
  return lazy([] {
    return Table(kClasses, kNumClassSets, [](uint16_t classes) { return class_of(classes, kLetter | kMark); });
  });
}

const Table& table_of_letters() {
  return lazy(
      [] { return Table(kClasses, kNumClassSets, [](uint16_t classes) { return class_of(classes, kLetter); }); });
}

uint8_t class_with_gaps(uint16_t classes) {
  if ((classes & (kLetter | kMark)) != 0) return WordRule::kLetter;
  if ((classes & (kPunct | kSymbol)) != 0) return WordRule::kRest;
  return (classes & (kNumber | kSpace)) != 0 ? class_of(classes, 0) : uint8_t{WordRule::kGap};
}

const Table& table_with_gaps() {
  return lazy([] {
    Table table(kClasses, kNumClassSets, class_with_gaps);
    for (const CodepointRange cjk : {CodepointRange{0x3040, 0x30FF}, CodepointRange{0x4E00, 0x9FA5}}) {
      table.change(cjk, [](uint8_t c) {
        return c == WordRule::kLetter ? WordRule::kCjkLetter
               : c == WordRule::kRest ? WordRule::kCjkSign
                                      : WordRule::kCjkGap;
      });
    }
    return table;
  });
}

}  // namespace

std::optional<WordRule> word_rule_of(const Step& step) {
  WordRule rule;
  rule.only_blanks_lead = step.kind == Step::kGpt2;
  rule.has_cases = step.kind == Step::kO200k;
  rule.has_gaps = step.kind == Step::kDeepseek;
  if (!rule.only_blanks_lead && !rule.has_cases && !rule.has_gaps && step.kind != Step::kLlama3) return std::nullopt;
  rule.contractions = static_cast<WordRule::Contractions>(step.contractions);
  if (rule.has_cases && rule.contractions != WordRule::kNone) rule.contractions = WordRule::kSuffixes;
  rule.digits = step.digits;
  rule.has_marks = step.kind == Step::kLlama3 && step.marks != 0;
  rule.newline_tail = step.newline_tail != 0;
  rule.slash_tail = step.slash_tail != 0;
  rule.joins_last = step.kind == Step::kLlama3 && step.end_first != 0;
  rule.has_vertical_tab = true;
  rule.table = rule.has_gaps    ? table_with_gaps
               : rule.has_cases ? table_with_cases
               : rule.has_marks ? table_with_marks
                                : table_of_letters;
  return rule;
}

std::optional<Step> published_step(const std::vector<std::string>& patterns, bool is_onig) {
  std::vector<Syntax> syntaxes;
  for (const std::string& pattern : patterns) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(pattern.data());
    if (!simd::primitives().is_utf8(bytes, static_cast<int64_t>(pattern.size()))) return std::nullopt;
    auto parsed = parse_syntax(pattern);
    auto* const syntax = std::get_if<Syntax>(&parsed);
    // In Oniguruma, {1,3}+ repeats what the possessive range of fancy-regex takes once.
    if (!syntax || (is_onig && pattern.find("3}+") != pattern.npos)) return std::nullopt;
    syntaxes.push_back(std::move(*syntax));
  }
  const auto rule = published_rule(syntaxes);
  if (!rule) return std::nullopt;
  Step step = Step::of(rule->has_gaps           ? Step::kDeepseek
                       : rule->only_blanks_lead ? Step::kGpt2
                       : rule->has_cases        ? Step::kO200k
                                                : Step::kLlama3);
  step.contractions = std::min<uint8_t>(rule->contractions, Step::kAnyCase);
  step.digits = rule->digits;
  step.marks = rule->has_marks;
  step.newline_tail = rule->newline_tail;
  step.slash_tail = rule->slash_tail;
  step.end_first = rule->joins_last;
  return step;
}

}  // namespace stringops::subword
