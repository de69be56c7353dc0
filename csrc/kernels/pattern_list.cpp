#include "kernels/pattern_list.h"

#include <cstring>

#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/narrow.h"
#include "core/strings.h"

namespace stringops::kernels {

PatternList::PatternList(const char* op, const StringSpan& patterns) : count_(patterns.size()) {
  STRINGOPS_CHECK(count_ <= kMaxPatterns, op, ": expected at most ", kMaxPatterns, " patterns, got ", count_);
  int64_t num_bytes = 0;
  std::vector<int32_t> sizes{narrow<int32_t>(count_)};
  sizes.reserve(static_cast<size_t>(count_) + 1);
  std::vector<ByteRange> ranges;
  ranges.reserve(static_cast<size_t>(count_));
  for_each_string(patterns, 0, count_, [&](int64_t, ByteRange range) {
    sizes.push_back(narrow<int32_t>(range.size()));
    ranges.push_back(range);
    num_bytes += range.size();
  });
  STRINGOPS_CHECK(num_bytes <= kMaxPatternBytes, op, ": expected patterns of at most ", kMaxPatternBytes,
                  " bytes together, got ", num_bytes);
  const size_t header = sizes.size() * sizeof(int32_t);
  bytes_.resize(header + static_cast<size_t>(num_bytes));
  std::memcpy(bytes_.data(), sizes.data(), header);
  auto* out = reinterpret_cast<uint8_t*>(bytes_.data()) + header;
  for (const ByteRange& range : ranges) {
    copy_bytes(out, patterns.data + range.begin, range.size());
    out += range.size();
  }
}

std::vector<std::string> PatternList::texts() const {
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(count_));
  const char* size_at = bytes_.data() + sizeof(int32_t);
  const char* text = size_at + static_cast<size_t>(count_) * sizeof(int32_t);
  for (int64_t i = 0; i < count_; ++i, size_at += sizeof(int32_t)) {
    int32_t size;
    std::memcpy(&size, size_at, sizeof size);
    texts.emplace_back(text, static_cast<size_t>(size));
    text += size;
  }
  return texts;
}

}  // namespace stringops::kernels
