// Comparisons of two strings (driver/zip.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/hash.h"
#include "core/poll.h"
#include "core/testing.h"
#include "core/word_key.h"
#include "driver/broadcast.h"
#include "driver/growing_table.h"
#include "driver/runner.h"
#include "kernels/hash_ngrams.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Tests whether the strings are equal byte for byte.
struct Equal {
  using Value = bool;
  static constexpr Cost kCost{1.5, 0.03};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const {
    // The primitive's second operand is the one that may be broadcast.
    const auto equal_strings = simd::primitives().equal_strings;
    a.is_broadcast ? equal_strings(b, a, count, out) : equal_strings(a, b, count, out);
  }
};

// Whether the order of their bytes, as a number, passes a test against 0: std::less<int8_t> and so on.
template <class Test>
struct Ordered {
  using Value = bool;
  static constexpr Cost kCost{3, 0.02};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const {
    if (count == 0) return;
    int8_t order[kBlock];
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t here = std::min(kBlock, count - i);
      simd::primitives().compare_strings(from(a, i), from(b, i), here, order);
      for (int64_t k = 0; k < here; ++k) out[i + k] = Test()(order[k], 0);
    }
  }

 private:
  static constexpr int64_t kBlock = block_size(1024, 20);

  static simd::StringRun from(simd::StringRun run, int64_t i) {
    run.begins += run.is_broadcast ? 0 : i;
    run.ends += run.is_broadcast ? 0 : i;
    return run;
  }
};

using Less = Ordered<std::less<int8_t>>;
using LessEqual = Ordered<std::less_equal<int8_t>>;
using Greater = Ordered<std::greater<int8_t>>;
using GreaterEqual = Ordered<std::greater_equal<int8_t>>;

// A kernel of driver/zip.h. The seed is random in each call, so that no strings are known that collide.
struct NgramJaccard {
  using Value = float;
  static constexpr Cost kCost{500, 12};
  NgramUnit unit;
  HashSeed seed = random_seed();

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, float* out) const {
    Pace pace;
    for (int64_t i = 0; i < count; ++i) {
      const StringView left = view_at(a, i), right = view_at(b, i);
      pace.spend(16 * (left.size() + right.size()));
      out[i] = similarity(left, right);
    }
  }

 private:
  float similarity(StringView a, StringView b) const {
    GrowingTable table(seed, a.size() + b.size());
    std::vector<StringView> distinct;
    distinct.reserve(static_cast<size_t>(std::min<int64_t>(a.size() + b.size() + 2, 1024)));
    // The slot of an n-gram of a text, with its id, or ~id once the second string is known to have it.
    const auto find = [&](StringView ngram, StringView text) -> WordSlot& {
      const bool can_load = ngram.size() <= kInlineBytes && text.end - ngram.begin >= kKeyBytes;
      const WordKey key = can_load ? load_short_key(ngram.begin, static_cast<uint32_t>(ngram.size()))
                                   : make_key(ngram.begin, ngram.size(), seed);
      table.reserve(static_cast<int64_t>(distinct.size()), 1);
      WordSlot& slot = table.find(key, home_slot(key, seed, table.capacity()), [&](int32_t id) {
        if (!key.is_long()) return true;
        const StringView other = distinct[static_cast<size_t>(std::max(id, ~id))];
        return other.size() == ngram.size() && equal_long(other.begin, ngram.begin, ngram.size());
      });
      if (slot.high == kEmptyMark) {
        table.insert(slot, key);
        distinct.push_back(ngram);
      }
      return slot;
    };
    for_each_ngram(a, unit, [&](StringView ngram) { find(ngram, a); });
    const auto num_first = static_cast<int32_t>(distinct.size());
    int64_t common = 0;
    for_each_ngram(b, unit, [&](StringView ngram) {
      WordSlot& slot = find(ngram, b);
      common += slot.id >= 0 && slot.id < num_first;
      slot.id = std::min(slot.id, ~slot.id);
    });
    return static_cast<float>(static_cast<double>(common) / static_cast<double>(distinct.size()));
  }
};

}  // namespace stringops::kernels
