// The units of strings that distances and similarities count, numbers for them, and masks of where they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/bits.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "simd/primitives.h"

namespace stringops::kernels {

struct UnitRange {
  const uint32_t* begin;
  const uint32_t* end;
  int64_t size() const { return end - begin; }
};

// Removes equal units at both ends of two strings, and returns their number.
inline int64_t trim_equal_ends(UnitRange& a, UnitRange& b) {
  int64_t ends = 0;
  for (; a.size() > 0 && b.size() > 0 && *a.begin == *b.begin; ++ends) ++a.begin, ++b.begin;
  for (; a.size() > 0 && b.size() > 0 && a.end[-1] == b.end[-1]; ++ends) --a.end, --b.end;
  return ends;
}

// The number of units for which a table has a direct entry: the first 256 code points, and bytes.
constexpr uint32_t kDirectUnits = 256;

// The units of strings, one after the other: code points, and bytes that are not part of one as 0xDC80 + byte - 0x80,
// like Python's surrogateescape; or bytes. They are a copy.
class UnitBuffer {
 public:
  void clear() { size_ = 0; }
  int64_t size() const { return size_; }
  UnitRange units(int64_t begin, int64_t end) const { return {room_.get() + begin, room_.get() + end}; }

  // Invalidates ranges of units.
  void append(StringView text, bool codepoints) {
    if (capacity_ - size_ < text.size() + kRoom) grow(text.size() + kRoom);
    uint32_t* const out = room_.get() + size_;
    if (codepoints) {
      size_ += simd::primitives().decode(text.begin, text.size(), out);
    } else {
      std::copy(text.begin, text.end, out);
      size_ += text.size();
    }
  }

 private:
  static constexpr int64_t kRoom = 16;  // of the primitive

  void grow(int64_t num_units) {
    capacity_ = std::max(2 * capacity_, size_ + num_units);
    std::unique_ptr<uint32_t[]> room(new uint32_t[static_cast<size_t>(capacity_)]);
    std::copy_n(room_.get(), size_, room.get());
    room_ = std::move(room);
  }

  std::unique_ptr<uint32_t[]> room_;
  int64_t capacity_ = 0, size_ = 0;
};

// Numbers of units: a direct unit is its own number, kAbsent is that of units that were not added, and the others get
// the numbers after it. The table has pages of units that were added, so it is bounded by the size of Unicode, and its
// time does not depend on which units a string has.
class UnitNumbers {
 public:
  static constexpr uint32_t kAbsent = kDirectUnits;

  // Forgets all units.
  void start() {
    for (const uint32_t page : used_) pages_[page] = 0;
    used_.clear();
    numbers_.assign(kPageUnits, kAbsent);
    count_ = kAbsent + 1;
  }

  // Starts with the units of a string, and sets `numbers` to theirs.
  void start(UnitRange units, std::vector<uint32_t>& numbers) {
    start();
    numbers.clear();
    Pace pace;
    for (const uint32_t* p = units.begin; p < units.end; ++p) {
      numbers.push_back(add(*p));
      pace.spend(1);
    }
  }

  uint32_t add(uint32_t unit) {
    if (unit < kDirectUnits) return unit;
    uint16_t& page = pages_[unit / kPageUnits];
    if (page == 0) {
      used_.push_back(unit / kPageUnits);
      page = static_cast<uint16_t>(used_.size());
      numbers_.resize(numbers_.size() + kPageUnits, kAbsent);
    }
    uint32_t& number = numbers_[page * kPageUnits + unit % kPageUnits];
    if (number == kAbsent) number = count_++;
    return number;
  }

  uint32_t find(uint32_t unit) const {
    if (unit < kDirectUnits) return unit;
    return numbers_[pages_[unit / kPageUnits] * kPageUnits + unit % kPageUnits];
  }

  // Numbers are less than this.
  uint32_t count() const { return count_; }
  bool all_direct() const { return count_ == kAbsent + 1; }

 private:
  static constexpr size_t kPageUnits = 64, kNumPages = 0x110000 / kPageUnits;

  std::vector<uint16_t> pages_ = std::vector<uint16_t>(kNumPages);  // the page of each unit; page 0 has no number
  std::vector<uint32_t> used_;                                      // units of the other pages, by kPageUnits
  std::vector<uint32_t> numbers_ = std::vector<uint32_t>(kPageUnits, kAbsent);  // page by page
  uint32_t count_ = kAbsent + 1;
};

// Masks of the units of a pattern of up to 64: bit i of the mask of a unit is set if it is unit i.
class UnitMasks {
 public:
  void add(uint32_t unit, int64_t i) {
    (unit < kDirectUnits ? direct_[unit] : taken_slot(unit).mask) |= uint64_t{1} << i;
  }

  uint64_t operator[](uint32_t unit) const { return unit < kDirectUnits ? direct_[unit] : slots_[find(unit)].mask; }

  void add(UnitRange pattern) {
    for (int64_t i = 0; i < pattern.size(); ++i) add(pattern.begin[i], i);
  }

  // Removes the units, which are those that were added.
  void clear(UnitRange pattern) {
    for (const uint32_t* p = pattern.begin; p < pattern.end; ++p) {
      if (*p < kDirectUnits) direct_[*p] = 0;
    }
    while (num_taken_ > 0) slots_[taken_[--num_taken_]].mask = 0;
  }

 private:
  static constexpr uint32_t kSlots = 128;  // at most half of them are taken
  struct Slot {
    uint64_t mask = 0;  // 0: the slot is empty
    uint32_t unit = 0;
  };

  // The slot of the unit, or the empty one that it would have.
  uint32_t find(uint32_t unit) const {
    uint32_t i = unit * 0x9e3779b1u >> 7 & (kSlots - 1);
    while (slots_[i].mask != 0 && slots_[i].unit != unit) i = (i + 1) & (kSlots - 1);
    return i;
  }

  Slot& taken_slot(uint32_t unit) {
    const uint32_t i = find(unit);
    if (slots_[i].mask == 0) {
      slots_[i].unit = unit;
      taken_[num_taken_++] = static_cast<uint8_t>(i);
    }
    return slots_[i];
  }

  uint64_t direct_[kDirectUnits] = {};
  Slot slots_[kSlots];
  uint8_t taken_[kSlots / 2];
  int64_t num_taken_ = 0;
};

// Masks of up to 512 units of patterns, in rows of eight words: a row for each number that was set.
class MaskRows {
 public:
  static constexpr int64_t kRowWords = 8;

  MaskRows() : room_(std::make_unique<uint64_t[]>(kMaxRows * kRowWords + kRowWords)) {
    void* at = room_.get();
    size_t size = (kMaxRows + 1) * kRowWords * sizeof(uint64_t);
    rows_ = static_cast<uint64_t*>(std::align(64, kMaxRows * kRowWords * sizeof(uint64_t), at, size));
  }

  // Makes all rows empty, for numbers less than `count`.
  void start(uint32_t count) {
    row_of_.assign(count, UnitNumbers::kAbsent);
    for (uint32_t i = 0; i < kDirectUnits; ++i) row_of_[i] = static_cast<uint16_t>(i);
  }

  // Sets a bit of the row of a number.
  void set(uint32_t number, int64_t bit) {
    uint16_t& row = row_of_[number];
    if (row == UnitNumbers::kAbsent) row = num_rows_++;
    set_bit(rows_ + row * kRowWords, bit);
  }

  // Makes the rows empty. The numbers are those that were set.
  template <class Number>
  void clear(const Number* begin, const Number* end) {
    // Many rows are cleared at once.
    if (end - begin > num_rows_ / 4) {
      std::memset(rows_, 0, num_rows_ * kRowWords * sizeof(uint64_t));
    } else {
      for (const Number* p = begin; p < end; ++p) std::fill_n(rows_ + row_of_[*p] * kRowWords, kRowWords, 0);
    }
    if (num_rows_ == kFirstRow) return;
    for (const Number* p = begin; p < end; ++p) {
      if (*p >= kDirectUnits) row_of_[*p] = UnitNumbers::kAbsent;
    }
    num_rows_ = kFirstRow;
  }

  uint16_t row_of(uint32_t number) const { return row_of_[number]; }
  const uint64_t* data() const { return rows_; }

 private:
  static constexpr uint16_t kFirstRow = kDirectUnits + 1;  // the row of kAbsent stays empty
  static constexpr int64_t kMaxRows = kFirstRow + 64 * kRowWords;

  std::unique_ptr<uint64_t[]> room_;
  uint64_t* rows_;
  std::vector<uint16_t> row_of_;
  uint16_t num_rows_ = kFirstRow;
};

}  // namespace stringops::kernels
