// A copy of the patterns of an argument, and its bytes, by which caches know it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/string_span.h"

namespace stringops::kernels {

class PatternList {
 public:
  // The number of patterns and their bytes together, at most. They bound the memory of what is made of them.
  static constexpr int64_t kMaxPatterns = 1 << 22, kMaxPatternBytes = 1 << 24;

  // Throws std::invalid_argument if there are too many.
  PatternList(const char* op, const StringSpan& patterns);

  // Different lists have different bytes: the number of patterns, their sizes, and their texts.
  const std::string& bytes() const { return bytes_; }

  std::vector<std::string> texts() const;

 private:
  int64_t count_;
  std::string bytes_;
};

}  // namespace stringops::kernels
