#include "subword/scan/word_rules.h"

#include "core/lazy.h"
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

}  // namespace

std::optional<WordRule> word_rule_of(const Step& step) {
  WordRule rule;
  rule.only_blanks_lead = step.kind == Step::kGpt2;
  rule.has_cases = step.kind == Step::kO200k;
  if (!rule.only_blanks_lead && !rule.has_cases && step.kind != Step::kLlama3) return std::nullopt;
  constexpr WordRule::Contractions kContractions[] = {WordRule::kNone, WordRule::kLowerCase, WordRule::kAnyCase};
  if (rule.only_blanks_lead) {
    rule.contractions = WordRule::kLowerCase;
  } else {
    rule.contractions = kContractions[step.contractions];
    if (rule.has_cases && rule.contractions != WordRule::kNone) rule.contractions = WordRule::kSuffixes;
    rule.digits = step.digits;
    rule.has_marks = !rule.has_cases && step.marks != 0;
    rule.newline_tail = step.newline_tail != 0;
    rule.slash_tail = step.slash_tail != 0;
    rule.joins_last = !rule.has_cases && step.end_first != 0;
  }
  rule.has_vertical_tab = true;
  rule.table = rule.has_cases ? table_with_cases : rule.has_marks ? table_with_marks : table_of_letters;
  return rule;
}

}  // namespace stringops::subword
