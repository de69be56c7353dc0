// Strict UTF-8 on masks, 64 bytes a word: what the tiers that have compares share. No intrinsics here.
//
// A byte must be a continuation exactly where a lead byte before it asks for one:
//
//   bytes      41  E6 97 A5  C3 A9
//   lead3       .   1  .  .   .  .
//   lead2       .   .  .  .   1  .
//   wanted      .   .  1  1   .  1     = leads << 1 | (lead3 | lead4) << 2 | lead4 << 3
//   is_cont     .   .  1  1   .  1
//
// and behind E0, ED, F0 and F4 only part of the continuations will do (core/utf8.h has the table).
#pragma once

#include <cstdint>

namespace stringops::simd {

struct Utf8Word {
  uint64_t cont;                 // 80..BF
  uint64_t below_90, below_a0;   // of the continuations, those below 90, below A0
  uint64_t lead2, lead3, lead4;  // C2..DF, E0..EF, F0..F4
  uint64_t never;                // C0, C1, F5..FF
  uint64_t e0, ed, f0, f4;
};

class Utf8Words {
 public:
  void take(const Utf8Word& w) {
    const uint64_t leads = w.lead2 | w.lead3 | w.lead4, long_leads = w.lead3 | w.lead4;
    const uint64_t wanted = shift(leads, leads_, 1) | shift(long_leads, long_leads_, 2) | shift(w.lead4, lead4_, 3);
    const uint64_t too_low = (shift(w.e0, e0_, 1) & w.below_a0) | (shift(w.f0, f0_, 1) & w.below_90);
    const uint64_t too_high = (shift(w.ed, ed_, 1) & ~w.below_a0) | (shift(w.f4, f4_, 1) & ~w.below_90);
    bad_ |= (wanted ^ w.cont) | too_low | too_high | w.never;
    leads_ = leads;
    long_leads_ = long_leads;
    lead4_ = w.lead4;
    e0_ = w.e0;
    ed_ = w.ed;
    f0_ = w.f0;
    f4_ = w.f4;
  }

  // 64 ASCII bytes.
  void take_ascii() {
    bad_ |= pending();
    leads_ = long_leads_ = lead4_ = e0_ = ed_ = f0_ = f4_ = 0;
  }

  // After the last word, whose bits beyond the text are 0 in all masks.
  bool valid() const { return (bad_ | pending()) == 0; }

 private:
  static uint64_t shift(uint64_t word, uint64_t before, int n) { return word << n | before >> (64 - n); }

  // Continuations that the last word wants of the next one.
  uint64_t pending() const { return leads_ >> 63 | long_leads_ >> 62 | lead4_ >> 61; }

  uint64_t bad_ = 0;
  uint64_t leads_ = 0, long_leads_ = 0, lead4_ = 0, e0_ = 0, ed_ = 0, f0_ = 0, f4_ = 0;
};

}  // namespace stringops::simd
