// Rules that several pre-tokenizers share.
#pragma once

#include <cstdint>

#include "subword/scan/classes.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

inline bool is_newline(uint32_t c) {
  return c == '\n' || c == '\r';
}

// The end of the run from p of characters for which `in` is true.
template <class In>
inline const uint8_t* run_of(const uint8_t* p, const uint8_t* end, In&& in) {
  while (p < end) {
    const Character c = read_character(p, end);
    if (!in(c)) break;
    p += c.length;
  }
  return p;
}

inline bool is_rest(const Character& c) {
  return !c.is(kSpace | kLetter | kNumber);
}

inline const uint8_t* newlines(const uint8_t* p, const uint8_t* end, bool slashes = false) {
  while (p < end && (is_newline(*p) || (slashes && *p == '/'))) ++p;
  return p;
}

// 's, 't, 'm, 'd, 're, 've or 'll at p, or p if there is none.
inline const uint8_t* contraction(const uint8_t* p, const uint8_t* end, uint8_t mode) {
  if (mode == Step::kNone || end - p < 2 || *p != '\'') return p;
  const auto fold = [&](uint8_t c) {
    return mode == Step::kAnyCase && c >= 'A' && c <= 'Z' ? static_cast<uint8_t>(c | 0x20) : c;
  };
  const uint8_t a = fold(p[1]);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return p + 2;
  if (end - p < 3) return p;
  // U+017F, the long s, is an s in any case.
  if (mode == Step::kAnyCase && p[1] == 0xC5 && p[2] == 0xBF) return p + 3;
  const uint8_t b = fold(p[2]);
  return (a == 'l' && b == 'l') || ((a == 'r' || a == 'v') && b == 'e') ? p + 3 : p;
}

// Skips at most `most` numbers from p, any number of them if it is 0.
inline const uint8_t* numbers(const uint8_t* p, const uint8_t* end, int64_t most) {
  int64_t count = 0;
  return run_of(p, end, [&](const Character& c) { return c.is(kNumber) && (most == 0 || count++ < most); });
}

// Whitespace at p: \s*[\r\n]+ if `newline`, then \s+(?!\S)|\s+. With `end_first`, \s+$ before them.
inline const uint8_t* spaces(const uint8_t* p, const uint8_t* end, bool newline, bool end_first) {
  const uint8_t *last = p, *after_newline = p, *stop = p;
  while (stop < end) {
    const Character c = read_character(stop, end);
    if (!c.is(kSpace)) break;
    last = stop;
    stop += c.length;
    if (is_newline(c.codepoint)) after_newline = stop;
  }
  if (end_first && stop == end) return end;
  if (newline && after_newline > p) return after_newline;
  return stop == end || last == p ? stop : last;
}

// " ?", then the run of the rest, then newlines: the end, or p if there is none.
template <class In>
inline const uint8_t* signs(const uint8_t* p, const uint8_t* end, const Step& step, In&& in) {
  const uint8_t* q = p;
  if (*q == ' ') ++q;
  if (q == end) return p;
  const uint8_t* const stop = run_of(q, end, in);
  if (stop == q) return p;
  return step.newline_tail ? newlines(stop, end, step.slash_tail) : stop;
}

// The word of CLIP at p, where no whitespace is: '...|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+
inline const uint8_t* end_of_clip_word(const uint8_t* p, const uint8_t* end) {
  if (const uint8_t* const stop = contraction(p, end, Step::kLowerOnly); stop > p) return stop;
  const Character c = read_character(p, end);
  if (c.is(kNumber)) return p + c.length;
  return run_of(p, end, [&](const Character& x) { return c.is(kLetter) ? x.is(kLetter) : is_rest(x); });
}

const uint8_t* next_gpt2(const uint8_t* p, const uint8_t* end);
const uint8_t* next_llama3(const Step& step, const uint8_t* p, const uint8_t* end);
const uint8_t* next_o200k(const Step& step, const uint8_t* p, const uint8_t* end);
const uint8_t* next_deepseek(const uint8_t* p, const uint8_t* end);

}  // namespace stringops::subword
