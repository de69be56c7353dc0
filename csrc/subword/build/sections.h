// The sections of a table while it is built, and its tokens by their bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
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
    bytes_.resize(num_bytes + kShortKeyBytes);
    char* to = bytes_.data();
    for (std::string_view& text : texts) {
      std::copy(text.begin(), text.end(), to);
      text = {to, text.size()};
      to += text.size();
    }
  }
  TokenIds(TokenIds&&) = default;

  std::vector<std::string_view> texts;  // by id; empty: not used by the model

  // The bytes of texts[id], which may be replaced by shorter ones.
  char* bytes_of(size_t id) { return bytes_.data() + (texts[id].data() - bytes_.data()); }

  // Forgets which tokens were added, and makes room for all of them.
  void clear() {
    size_t size = 16;
    while (size < 2 * texts.size()) size *= 2;
    slots_.assign(size, Slot{});
  }

  // Adds texts[id]. Returns its id, or that of an equal token, which stays.
  uint32_t add(uint32_t id) {
    const Found found = find_slot(texts[id]);
    Slot& slot = slots_[found.slot];
    if (slot.id == subword::kNone) slot = {found.hash, id};
    return slot.id;
  }

  // The id of a token that was added, or kNone.
  uint32_t find(std::string_view text) const {
    return slots_.empty() ? subword::kNone : slots_[find_slot(text).slot].id;
  }

 private:
  struct Slot {
    uint32_t hash = 0;  // the upper half
    uint32_t id = subword::kNone;
  };

  // The slot of a text, or the empty one where it would be.
  struct Found {
    size_t slot;
    uint32_t hash;
  };
  Found find_slot(std::string_view text) const {
    if (text.size() > subword::kShortBytes) {
      const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
      const uint64_t hash = seeded_hash(begin, static_cast<int64_t>(text.size()), seed_.low);
      return find_slot(hash, [&](std::string_view found) { return found == text; });
    }
    const subword::ShortKey key = key_of(text);
    return find_slot(subword::word_hash(key.low, key.high, seed_),
                     [&](std::string_view found) { return found.size() == text.size() && key_of(found) == key; });
  }
  template <class IsEqual>
  Found find_slot(uint64_t hash, IsEqual&& is_equal) const {
    const auto upper = static_cast<uint32_t>(hash >> 32);
    for (uint64_t i = hash;; ++i) {
      const size_t slot = i & (slots_.size() - 1);
      const Slot& found = slots_[slot];
      if (found.id == subword::kNone || (found.hash == upper && is_equal(texts[found.id]))) return {slot, upper};
    }
  }

  // Most texts are parts of tokens, after which bytes_ has more.
  subword::ShortKey key_of(std::string_view text) const {
    const auto* begin = reinterpret_cast<const uint8_t*>(text.data());
    const auto* const own = reinterpret_cast<const uint8_t*>(bytes_.data());
    uint8_t copy[kShortKeyBytes] = {};
    if (std::less<>()(begin, own) || std::less<>()(own + bytes_.size() - kShortKeyBytes, begin)) {
      std::copy(text.begin(), text.end(), copy);
      begin = copy;
    }
    return subword::short_key_at(begin, text.size());
  }

  static constexpr size_t kShortKeyBytes = sizeof(subword::ShortKey);

  std::vector<char> bytes_;              // of all tokens, and after them as many as a key has
  std::vector<Slot> slots_;              // a power of two, of which at least half are empty
  const HashSeed seed_ = random_seed();  // so that no file can hold tokens that collide
};

// The token that stands for a byte.
inline std::string byte_token(uint32_t byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

}  // namespace stringops::kernels
