#include "subword/scan/scan.h"

#include <algorithm>

#include "subword/scan/scan_rules.h"

namespace stringops::subword {

const uint8_t* next_gpt2(const uint8_t* p, const uint8_t* end) {
  if (const uint8_t* const stop = contraction(p, end, Step::kLowerOnly); stop > p) return stop;
  const uint8_t* q = p;
  Character c = read_character(p, end);
  if (*p == ' ' && p + 1 < end) {
    const Character next = read_character(p + 1, end);
    if (!next.is(kSpace)) {
      ++q;
      c = next;
    }
  }
  if (c.is(kLetter)) return run_of(q, end, [](const Character& x) { return x.is(kLetter); });
  if (c.is(kNumber)) return run_of(q, end, [](const Character& x) { return x.is(kNumber); });
  if (!c.is(kSpace)) return run_of(q, end, is_rest);
  return spaces(p, end, false, false);
}

const uint8_t* next_llama3(const Step& step, const uint8_t* p, const uint8_t* end) {
  if (const uint8_t* const stop = contraction(p, end, step.contractions); stop > p) return stop;
  const int letters = step.marks ? kLetter | kMark : kLetter;
  const auto in_word = [&](const Character& x) { return x.is(letters); };
  const Character c = read_character(p, end);
  if (in_word(c)) return run_of(p, end, in_word);
  if (!is_newline(c.codepoint) && !c.is(kLetter | kNumber)) {
    if (const uint8_t* const stop = run_of(p + c.length, end, in_word); stop > p + c.length) return stop;
  }
  if (c.is(kNumber)) return numbers(p, end, step.digits);
  const auto in_signs = [&](const Character& x) { return !x.is(kSpace | kNumber | letters); };
  if (const uint8_t* const stop = signs(p, end, step, in_signs); stop > p) return stop;
  return spaces(p, end, true, step.end_first);
}

namespace {

const uint8_t* next_digits(const Step& step, const uint8_t* p, const uint8_t* end) {
  const auto is_numeric = [](const Character& x) { return x.is(kNumeric); };
  const Character c = read_character(p, end);
  if (!is_numeric(c)) return run_of(p, end, [&](const Character& x) { return !is_numeric(x); });
  return step.digits ? p + c.length : run_of(p, end, is_numeric);
}

bool is_cjk(const Character& c) {
  return (c.codepoint >= 0x4E00 && c.codepoint <= 0x9FA5) || (c.codepoint >= 0x3040 && c.codepoint <= 0x30FF);
}

// A run of characters for which `in` is true, at most `most` of them if that is not 0; or a run of others.
template <class In>
const uint8_t* run_or_others(const uint8_t* p, const uint8_t* end, int64_t most, In&& in) {
  int64_t count = 0;
  const bool first = in(read_character(p, end));
  return run_of(p, end, [&](const Character& x) { return in(x) == first && (!first || most == 0 || count++ < most); });
}

}  // namespace

const uint8_t* next_piece(const Step& step, const uint8_t* p, const uint8_t* end) {
  switch (step.kind) {
    case Step::kGpt2:
      return next_gpt2(p, end);
    case Step::kLlama3:
      return next_llama3(step, p, end);
    case Step::kO200k:
      return next_o200k(step, p, end);
    case Step::kDigits:
      return next_digits(step, p, end);
    case Step::kDigitRuns:
      return run_or_others(p, end, step.digits, [](const Character& x) { return x.is(kNumber); });
    case Step::kCjk:
      return run_or_others(p, end, 0, is_cjk);
    case Step::kBlankWords:
      return std::find(std::find_if(p, end, [](uint8_t byte) { return byte != ' '; }), end, uint8_t{' '});
    case Step::kFixedLength: {
      int count = 0;
      return run_of(p, end, [&](const Character&) { return count++ < step.least; });
    }
    case Step::kDeepseek:
      return next_deepseek(p, end);
    default:
      return end;
  }
}

const uint8_t* end_of_word(const Step& step, const uint8_t* p, const uint8_t* end) {
  if (step.kind == Step::kClip) return end_of_clip_word(p, end);
  if (step.kind == Step::kWhitespace) return run_of(p, end, [](const Character& c) { return !c.is(kSpace); });
  const int first = read_character(p, end).classes & kWord;
  return run_of(p, end, [&](const Character& c) { return !c.is(kSpace) && (c.classes & kWord) == first; });
}

}  // namespace stringops::subword
