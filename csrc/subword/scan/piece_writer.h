// Steps that write a text before a piece, and replace one inside of it: a space before words, or U+2581 for spaces.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/codepoint.h"
#include "core/find_text.h"
#include "core/narrow.h"
#include "core/string_span.h"
#include "subword/normalize/normalizer_steps.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

class PieceWriter {
 public:
  static bool writes(const subword::Step& step) {
    return step.kind == subword::Step::kPrefixSpace || step.kind == subword::Step::kMetaspace;
  }

  // Keeps pieces as they are.
  PieceWriter() = default;
  PieceWriter(const subword::Step& step, const std::vector<std::string>& texts) {
    if (step.kind == subword::Step::kPrefixSpace) {
      by_ = " ";
      prefixes_ = subword::Step::kAlways;
    } else {
      from_ = texts[step.from];
      by_ = texts[step.to];
      prefixes_ = step.option & (subword::Step::kAlways | subword::Step::kFirst);
    }
  }

  // Appends a piece, and to `map`, if it is not null, the bytes of the piece that each byte comes from. `is_first`:
  // whether its text begins with it.
  void append(StringView piece, bool is_first, std::vector<uint8_t>& out, std::vector<PackedRange>* map) const {
    if (piece.size() == 0) return;
    const bool wanted = prefixes_ == subword::Step::kAlways || (prefixes_ == subword::Step::kFirst && is_first);
    if (wanted && !begins_with(piece, from_) && !begins_with(piece, by_)) {
      out.insert(out.end(), by_.begin(), by_.end());
      if (map)
        map->resize(map->size() + by_.size(), {0, narrow<int32_t>(read_codepoint(piece.begin, piece.end).length)});
    }
    const auto place = [&](const uint8_t* p) { return narrow<int32_t>(p - piece.begin); };
    for (const uint8_t* p = piece.begin; p < piece.end;) {
      const uint8_t* const found = from_.empty() ? piece.end : find_short_text({p, piece.end}, from_);
      out.insert(out.end(), p, found);
      for (; map && p < found; ++p) map->push_back({place(p), place(p) + 1});
      if (found == piece.end) break;
      p = found + from_.size();
      out.insert(out.end(), by_.begin(), by_.end());
      if (map) map->resize(map->size() + by_.size(), {place(p - read_codepoint_before(found, p).length), place(p)});
    }
    check_text_size(out.size());
  }

 private:
  static bool begins_with(StringView piece, const std::string& text) {
    return !text.empty() && piece.size() >= static_cast<int64_t>(text.size()) &&
           std::memcmp(piece.begin, text.data(), text.size()) == 0;
  }

  std::string from_, by_;
  int prefixes_ = 0;  // Step::kAlways or kFirst
};

}  // namespace stringops::kernels
