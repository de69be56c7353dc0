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
  explicit TokenIds(const StringSpan& tokens) : texts(static_cast<size_t>(tokens.size())) {
    size_t num_bytes = 0;
    for (size_t id = 0; id < texts.size(); ++id) {
      texts[id] = tokens[static_cast<int64_t>(id)];
      num_bytes += texts[id].size();
    }
    bytes_.reserve(num_bytes + kShortKeyBytes);
    for (std::string_view& text : texts) {
      const size_t begin = bytes_.size();
      bytes_.insert(bytes_.end(), text.begin(), text.end());
      text = {reinterpret_cast<const char*>(bytes_.data()) + begin, text.size()};
    }
    bytes_.resize(num_bytes + kShortKeyBytes);
  }
  TokenIds(TokenIds&&) = default;

  std::vector<std::string_view> texts;  // by id; empty: not used by the model

  // The bytes of texts[id], which may be replaced by shorter ones.
  char* bytes_of(size_t id) { return const_cast<char*>(texts[id].data()); }

  // Forgets which tokens were added, and makes room for all of them.
  void clear() {
    size_t size = 16;
    while (size < 2 * texts.size()) size *= 2;
    slots_.assign(size, Slot{});
  }

  // Adds texts[id]. Returns its id, or that of an equal token, which stays.
  uint32_t add(uint32_t id) {
    const auto [hash, slot] = find_slot(texts[id]);
    if (slots_[slot].id == subword::kNone) slots_[slot] = {hash, id};
    return slots_[slot].id;
  }

  // The id of a token that was added, or kNone.
  uint32_t find(std::string_view text) const {
    return slots_.empty() ? subword::kNone : slots_[find_slot(text).second].id;
  }

 private:
  struct Slot {
    uint32_t hash = 0;  // the upper half
    uint32_t id = subword::kNone;
  };

  // The hash of a text and its slot, or the empty one where it would be. Not inlined, as compilers then warn of reading
  // beyond texts that are not parts of tokens.
  __attribute__((noinline)) std::pair<uint32_t, size_t> find_slot(std::string_view text) const {
    const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
    if (text.size() > subword::kShortBytes) {
      return find_slot(seeded_hash(begin, static_cast<int64_t>(text.size()), seed_.low),
                       [&](std::string_view found) { return found == text; });
    }
    const subword::ShortKey key = key_of(text);
    return find_slot(subword::word_hash(key.low, key.high, seed_),
                     [&](std::string_view found) { return found.size() == text.size() && key_of(found) == key; });
  }
  template <class IsEqual>
  std::pair<uint32_t, size_t> find_slot(uint64_t hash, IsEqual&& is_equal) const {
    const auto upper = static_cast<uint32_t>(hash >> 32);
    for (uint64_t slot = hash;; ++slot) {
      const Slot& found = slots_[slot & (slots_.size() - 1)];
      const bool ends = found.id == subword::kNone || (found.hash == upper && is_equal(texts[found.id]));
      if (ends) return {upper, slot & (slots_.size() - 1)};
    }
  }

  // Most texts are parts of tokens, after which bytes_ has more.
  subword::ShortKey key_of(std::string_view text) const {
    const uintptr_t at = reinterpret_cast<uintptr_t>(text.data()) - reinterpret_cast<uintptr_t>(bytes_.data());
    if (at <= bytes_.size() - kShortKeyBytes) return subword::short_key_at(bytes_.data() + at, text.size());
    return subword::short_key(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }

  static constexpr size_t kShortKeyBytes = sizeof(subword::ShortKey);

  std::vector<uint8_t> bytes_;           // of all tokens, and after them as many as a key has
  std::vector<Slot> slots_;              // a power of two, of which at least half are empty
  const HashSeed seed_ = random_seed();  // so that no file can hold tokens that collide
};

// The token that stands for a byte.
inline std::string byte_token(uint32_t byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

}  // namespace stringops::kernels
