// The sections of a table while it is built, and its tokens by their bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "subword/table.h"

namespace stringops::kernels {

class Sections {
 public:
  subword::TableHeader header{};

  Sections() : bytes_(sizeof(header)) { header.magic = subword::TableHeader::kMagic; }

  template <class T>
  void add(subword::SectionId id, const std::vector<T>& values) {
    constexpr size_t kAlign = subword::kTableAlignment;
    bytes_.resize((bytes_.size() + kAlign - 1) / kAlign * kAlign);
    header.sections[id] = {bytes_.size(), values.size() * sizeof(T)};
    const auto* const begin = reinterpret_cast<const uint8_t*>(values.data());
    bytes_.insert(bytes_.end(), begin, begin + values.size() * sizeof(T));
  }

  // The values that were added, as tables are read.
  template <class T>
  subword::Array<T> values(subword::SectionId id) const {
    const subword::Section section = header.sections[id];
    return {bytes_.data() + section.begin, section.num_bytes / sizeof(T)};
  }

  std::vector<uint8_t> take() {
    header.num_bytes = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof(header));
    return std::move(bytes_);
  }

 private:
  std::vector<uint8_t> bytes_;
};

struct TokenIds {
  std::vector<std::string> texts;  // by id; empty: not used by the model
  std::unordered_map<std::string_view, uint32_t> ids;

  uint32_t find(std::string_view text) const {
    const auto at = ids.find(text);
    return at == ids.end() ? subword::kNone : at->second;
  }
};

// The token that stands for a byte.
inline std::string byte_token(uint32_t byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

}  // namespace stringops::kernels
