// Pre-tokenizers whose words have rules of their own: o200k and DeepSeek-V3.
#include "subword/scan/scan_rules.h"

namespace stringops::subword {
namespace {

bool is_upper(const Character& c) {
  return c.is(kUpper);
}
bool is_lower(const Character& c) {
  return c.is(kLower);
}

// [upper]*[lower]+ from p, or p if there is none. If no lower case follows the run of upper case, it is given back up
// to its last character that is of both classes.
const uint8_t* lower_word(const uint8_t* p, const uint8_t* end) {
  const uint8_t* after_both = p;
  const uint8_t* q = p;
  while (q < end) {
    const Character c = read_character(q, end);
    if (!is_upper(c)) break;
    q += c.length;
    if (is_lower(c)) after_both = q;
  }
  const uint8_t* const stop = run_of(q, end, is_lower);
  return stop > q ? stop : after_both;
}

// [upper]+[lower]* from p, or p if there is none.
const uint8_t* upper_word(const uint8_t* p, const uint8_t* end) {
  const uint8_t* const stop = run_of(p, end, is_upper);
  return stop > p ? run_of(stop, end, is_lower) : p;
}

bool is_ascii_letter(const Character& c) {
  return (c.codepoint | 0x20) - 'a' < 26;
}

bool is_sign(const Character& c) {
  return c.is(kPunct | kSymbol);
}

// Returns the end of the match of the third expression of DeepSeek-V3 at p, or p if it does not match.
const uint8_t* match_deepseek(const uint8_t* p, const uint8_t* end) {
  const auto in_word = [](const Character& x) { return x.is(kLetter | kMark); };
  const Character c = read_character(p, end);
  if (c.codepoint < 0x80 && is_sign(c)) {
    if (const uint8_t* const stop = run_of(p + 1, end, is_ascii_letter); stop > p + 1) return stop;
  }
  if (in_word(c)) return run_of(p, end, in_word);
  if (!is_newline(c.codepoint) && !is_sign(c)) {
    if (const uint8_t* const stop = run_of(p + c.length, end, in_word); stop > p + c.length) return stop;
  }
  Step step;
  step.newline_tail = 1;
  if (const uint8_t* const stop = signs(p, end, step, is_sign); stop > p) return stop;
  return c.is(kSpace) ? spaces(p, end, true, false) : p;
}

}  // namespace

const uint8_t* next_o200k(const Step& step, const uint8_t* p, const uint8_t* end) {
  const Character c = read_character(p, end);
  const bool can_lead = !is_newline(c.codepoint) && !c.is(kLetter | kNumber);
  const uint8_t* const after_lead = p + c.length;
  const uint8_t* stop = can_lead && after_lead < end ? lower_word(after_lead, end) : after_lead;
  if (stop == after_lead) stop = lower_word(p, end);
  if (stop == p) {
    stop = can_lead && after_lead < end ? upper_word(after_lead, end) : after_lead;
    if (stop == after_lead) stop = upper_word(p, end);
  }
  if (stop > p) return contraction(stop, end, step.contractions);
  if (c.is(kNumber)) return numbers(p, end, step.digits);
  if (stop = signs(p, end, step, is_rest); stop > p) return stop;
  return spaces(p, end, true, false);
}

const uint8_t* next_deepseek(const uint8_t* p, const uint8_t* end) {
  const uint8_t* stop = match_deepseek(p, end);
  if (stop > p) return stop;
  // A gap up to the next match.
  while (p < end) {
    p += read_character(p, end).length;
    if (p < end && match_deepseek(p, end) > p) break;
  }
  return p;
}

}  // namespace stringops::subword
