// The sections of a table while it is built, and its tokens by their bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "core/platform.h"
#include "core/prefetch.h"
#include "subword/build/build_table.h"
#include "subword/table.h"

namespace stringops::kernels {

// Seeds of hashes that are tried. Equal arguments make equal tables. Under the seeds that they lead to, an attacker can
// find keys that collide; later seeds are therefore random.
constexpr uint64_t kSeeds = 16, kFixedSeeds = 4;

class Sections {
 public:
  subword::TableHeader header{};

  Sections() : bytes_(sizeof(header)) { header.magic = subword::TableHeader::kMagic; }

  // Makes room for about so many bytes, so that few are copied while sections are added.
  void reserve(size_t num_bytes) {
    bytes_.reserve(num_bytes);
    advise_huge_pages(bytes_.data(), num_bytes);
  }

  template <class T>
  void add(subword::SectionId id, const std::vector<T>& values) {
    start(id, values.size() * sizeof(T));
    const auto* const begin = reinterpret_cast<const uint8_t*>(values.data());
    bytes_.insert(bytes_.end(), begin, begin + values.size() * sizeof(T));
  }

  // Adds values that are all zeros, which only finish() makes. All other sections are added before.
  template <class T>
  void add_zeros(subword::SectionId id, size_t count) {
    header.sections[id] = {aligned(std::max(header.num_bytes, uint64_t{bytes_.size()})), count * sizeof(T)};
    header.num_bytes = header.sections[id].begin + header.sections[id].num_bytes;
  }

  // The values that were added, as tables are read.
  template <class T>
  subword::Array<T> values(subword::SectionId id) const {
    const subword::Section section = header.sections[id];
    return {bytes_.data() + section.begin, section.num_bytes / sizeof(T)};
  }

  // Writes the table, of sections of zeros at its end, to the bytes that new_table returns. Returns them.
  uint8_t* finish(const NewTable& new_table) {
    std::memcpy(bytes_.data(), &header, sizeof(header));
    uint8_t* const table = new_table(header.num_bytes);
    std::memcpy(table, bytes_.data(), bytes_.size());
    std::memset(table + bytes_.size(), 0, header.num_bytes - bytes_.size());
    return table;
  }

 private:
  static size_t aligned(size_t num_bytes) {
    constexpr size_t kAlign = subword::kTableAlignment;
    return (num_bytes + kAlign - 1) / kAlign * kAlign;
  }
  void start(subword::SectionId id, size_t num_bytes) {
    bytes_.resize(aligned(bytes_.size()));
    header.sections[id] = {bytes_.size(), num_bytes};
  }

  std::vector<uint8_t> bytes_;
};

// Texts, as two sections: where each ends, and their bytes.
class Texts {
 public:
  Texts() = default;
  template <class Text>
  explicit Texts(const std::vector<Text>& texts) {
    for (const Text& text : texts) add({}, text);
  }

  void add(std::string_view before, std::string_view text) {
    for (const std::string_view part : {before, text}) {
      if (!part.empty()) bytes_.insert(bytes_.end(), part.begin(), part.end());
    }
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
  }

  void place(Sections& sections, subword::SectionId ends_id, subword::SectionId bytes_id) const {
    sections.add(ends_id, ends_);
    sections.add(bytes_id, bytes_);
  }

 private:
  std::vector<uint32_t> ends_;
  std::vector<uint8_t> bytes_;
};

// The tokens of a model, and their ids by their bytes.
class TokenIds {
 public:
  std::vector<std::string> texts;  // by id; empty: not used by the model

  // Forgets which tokens were added, and makes room for all of them.
  void clear() {
    size_t size = 16;
    while (size < 2 * texts.size()) size *= 2;
    slots_.assign(size, Slot{});
  }

  // Adds texts[id]. Returns its id, or that of an equal token, which stays.
  uint32_t add(uint32_t id) {
    const uint64_t hashed = hash(texts[id]);
    const size_t slot = find_slot(texts[id], hashed);
    if (slots_[slot].id == subword::kNone) slots_[slot] = {static_cast<uint32_t>(hashed >> 32), id};
    return slots_[slot].id;
  }

  // The id of a token that was added, or kNone.
  uint32_t find(std::string_view text) const { return find(text, hash(text)); }
  uint32_t find(std::string_view text, uint64_t hashed) const {
    return slots_.empty() ? subword::kNone : slots_[find_slot(text, hashed)].id;
  }
  uint64_t hash(std::string_view text) const {
    return seeded_hash(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int64_t>(text.size()), seed_);
  }
  void prefetch(uint64_t hashed) const { stringops::prefetch(&slots_[hashed & (slots_.size() - 1)]); }

 private:
  struct Slot {
    uint32_t hash = 0;  // the upper half
    uint32_t id = subword::kNone;
  };

  // The slot of a text, or the empty one where it would be.
  size_t find_slot(std::string_view text, uint64_t hashed) const {
    for (uint64_t slot = hashed;; ++slot) {
      const Slot& found = slots_[slot & (slots_.size() - 1)];
      const bool ends = found.id == subword::kNone || (found.hash == hashed >> 32 && texts[found.id] == text);
      if (ends) return slot & (slots_.size() - 1);
    }
  }

  std::vector<Slot> slots_;            // a power of two, of which at least half are empty
  uint64_t seed_ = random_seed().low;  // so that no file can hold tokens that collide
};

// The token that stands for a byte.
inline std::string byte_token(uint32_t byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

}  // namespace stringops::kernels
