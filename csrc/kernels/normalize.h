// The normalization forms of Unicode, and strings without accents, on driver/run_map.h: most strings stay as they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/normal_form.h"
#include "driver/run_map.h"
#include "simd/primitives.h"

namespace stringops::kernels {

struct Normalize : NormalForm {
  using Driver = RunMap;
  static constexpr Cost kCost{20, 1};
  static constexpr bool kTakesParts = false;
  using NormalForm::NormalForm;

  void write_run(const Run& run, uint8_t* out, RunChanges& changes) const {
    copy_bytes(out, run.data, run.num_bytes);
    if (keeps({run.data, run.data + run.num_bytes})) return;
    std::vector<uint8_t> text;
    std::array<uint64_t, kBlockBytes / kWordBits> words;
    int64_t k = 0, at = 0;  // the next string, and the next byte
    for (int64_t begin = 0; begin < run.num_bytes; begin += kBlockBytes) {
      const int64_t end = std::min(begin + kBlockBytes, run.num_bytes);
      if (at >= end) continue;
      simd::primitives().find_prefixes(run.data + begin, end - begin, end - begin, leads_, words.data());
      while (at < end) {
        const int64_t bit = at - begin;
        const uint64_t found = words[static_cast<size_t>(bit / kWordBits)] >> bit % kWordBits;
        at += found != 0 ? first_bit(found) : kWordBits - bit % kWordBits;
        if (found == 0) continue;
        while (k + 1 < run.count && run.ends[k] <= at) ++k;
        const StringView string = run.part(k);
        at = run.ends[k];
        if (!edit(string, text)) continue;
        changes.add(string.begin - run.data, at, text.data(), static_cast<int64_t>(text.size()));
      }
      at = std::max(at, end);
    }
  }

 private:
  // The first bytes of code points that may change.
  const simd::LeadSet leads_ = [&] {
    simd::LeadSet made;
    for (int lead = first_byte(); lead < 0x100; ++lead) made.add(static_cast<uint8_t>(lead));
    return made;
  }();
};

}  // namespace stringops::kernels
