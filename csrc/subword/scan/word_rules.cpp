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
  rule.has_vertical_tab = true;
  if (step.kind == Step::kDeepseek) {
    rule.digits = 3;
    rule.newline_tail = rule.has_gaps = true;
    rule.table = table_with_gaps;
    return rule;
  }
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
  rule.table = rule.has_cases ? table_with_cases : rule.has_marks ? table_with_marks : table_of_letters;
  return rule;
}

}  // namespace stringops::subword
