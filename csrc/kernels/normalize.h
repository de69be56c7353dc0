// The normalization forms of Unicode, and strings without accents, on driver/run_map.h: most strings stay as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/copy_bytes.h"
#include "core/normal_form.h"
#include "driver/run_map.h"

namespace stringops::kernels {

struct Normalize : NormalForm {
  using Driver = RunMap;
  static constexpr Cost kCost{20, 1};
  static constexpr bool kTakesParts = false;
  using NormalForm::NormalForm;

  void write_run(const Run& run, uint8_t* out, RunChanges& changes) const {
    copy_bytes(out, run.data, run.num_bytes);
    const uint8_t* const end = run.data + run.num_bytes;
    std::vector<uint8_t> text;
    int64_t k = 0;
    for (const uint8_t* p = run.data; (p = skip_kept(p, end)) < end;) {
      while (run.part(k).end <= p) ++k;
      const StringView string = run.part(k);
      p = string.end;
      if (!edit(string, text)) continue;
      changes.add(string.begin - run.data, string.end - run.data, text.data(), static_cast<int64_t>(text.size()));
    }
  }
};

}  // namespace stringops::kernels
