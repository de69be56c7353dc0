// The ways to divide a token into two others, which are its merges.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/prefetch.h"
#include "subword/build/sections.h"

namespace stringops::kernels {

class Divisions {
 public:
  explicit Divisions(const TokenIds& tokens) : tokens_(tokens) {}

  // Calls use(left, right) for the ids of the two parts at each byte that is_cut returns true of, if both are tokens.
  // The lines of the hash table are in no cache: all parts of a text are hashed first, so that their lines arrive
  // together.
  template <class IsCut, class Use>
  void for_each(std::string_view text, IsCut&& is_cut, Use&& use) {
    cuts_.clear();
    for (size_t at = 1; at < text.size(); ++at) {
      if (!is_cut(text[at])) continue;
      cuts_.push_back({at, tokens_.hash(text.substr(0, at)), tokens_.hash(text.substr(at))});
      tokens_.prefetch(cuts_.back().left);
      tokens_.prefetch(cuts_.back().right);
    }
    for (const Cut& cut : cuts_) {
      const uint32_t left = tokens_.find(text.substr(0, cut.at), cut.left);
      const uint32_t right = left == subword::kNone ? left : tokens_.find(text.substr(cut.at), cut.right);
      if (right != subword::kNone) use(left, right);
    }
  }

 private:
  struct Cut {
    size_t at;
    uint64_t left, right;  // hashes of the parts
  };

  const TokenIds& tokens_;
  std::vector<Cut> cuts_;
};

}  // namespace stringops::kernels
