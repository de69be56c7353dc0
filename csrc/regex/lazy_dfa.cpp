#include "regex/lazy_dfa.h"

#include <algorithm>

#include "core/hash.h"
#include "core/testing.h"

namespace stringops {
namespace {

constexpr size_t kMaxTableBytes = 4 << 20;
constexpr uint32_t kMaxColumns = block_size(1024, 8);  // more classes are sparse
constexpr size_t kMinStored = 64;
constexpr size_t kMaxStored = block_size(1 << 17, 256);
constexpr size_t kMinStates = 8;

}  // namespace

LazyDfa::LazyDfa(const Program& program, bool forward)
    : program_(program),
      forward_(forward),
      is_sparse_(program.num_classes() > kMaxColumns),
      stride_((is_sparse_ ? 0 : (program.num_classes() + 1) & ~1u) + 2),
      first_ordinary_(2 * stride_) {
  for (uint32_t c = 0; c < program.end_class(); ++c) num_beyond_ascii_ += program.classes().is_beyond_ascii(c);
  clear();
}

void LazyDfa::clear() {
  // Row 0 is the dead state, which leads to itself; row 1 stands for unknown ones.
  table_.assign(2 * stride_, 0);
  keys_.clear();
  key_ends_.assign(2, 0);
  hashes_.assign(2, 0);
  kinds_.assign(2, 0);
  slots_.assign(64, 0);
  starts_.assign(forward_ ? program_.num_kinds_before() : program_.num_kinds_after(), 0);
  loops_.assign(1, {});
  num_stored_ = 0;
  if (is_sparse_) stored_.assign(kMinStored, {0, 0, stride_});
}

const LazyDfa::Stored* LazyDfa::stored(Transition t, uint32_t c) const {
  const auto state = static_cast<uint32_t>(begin_of(t));
  const size_t last = stored_.size() - 1;
  size_t at = mix(uint64_t{state} << 32 | c, 0x9e3779b97f4a7c15) & last;
  while (stored_[at].state != 0 && (stored_[at].state != state || stored_[at].c != c)) at = (at + 1) & last;
  return &stored_[at];
}

void LazyDfa::store(Transition t, uint32_t c, Transition after) {
  if (2 * ++num_stored_ > stored_.size()) {
    std::vector<Stored> before(2 * stored_.size(), {0, 0, stride_});
    before.swap(stored_);
    for (const Stored& s : before) {
      if (s.state != 0) stored_[static_cast<size_t>(stored(s.state, s.c) - stored_.data())] = s;
    }
  }
  stored_[static_cast<size_t>(stored(t, c) - stored_.data())] = {static_cast<uint32_t>(begin_of(t)), c, after};
}

LazyDfa::Transition LazyDfa::make_start(uint16_t kind) {
  set_start();
  const Transition t = state_of_key(kind);
  starts_[kind] = t;
  return t;
}

LazyDfa::Transition LazyDfa::state_of_key(uint16_t kind) {
  if (key_.empty()) return 0;
  const auto bytes = static_cast<int64_t>(key_.size() * sizeof(uint64_t));
  const uint64_t hash = stable_hash(reinterpret_cast<const uint8_t*>(key_.data()), bytes, kind);
  size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const size_t row = slots_[slot];
    const auto key = keys_.begin() + static_cast<int64_t>(key_ends_[row - 1]);
    if (hashes_[row] == hash && kinds_[row] == kind && key_ends_[row] - key_ends_[row - 1] == key_.size() &&
        std::equal(key_.begin(), key_.end(), key)) {
      return of_row(row);
    }
  }
  const size_t used = (table_.size() + stride_) * sizeof(Transition) +
                      (keys_.size() + key_.size() + 4 * num_states()) * sizeof(uint64_t);
  if (num_states() >= kMinStates && (kFuzzing || used > kMaxTableBytes)) {
    clear();
    return state_of_key(kind);
  }
  const size_t row = num_states();
  keys_.insert(keys_.end(), key_.begin(), key_.end());
  key_ends_.push_back(keys_.size());
  hashes_.push_back(hash);
  kinds_.push_back(kind);
  table_.resize(table_.size() + stride_, stride_);
  table_[table_.size() - 2] = static_cast<Transition>(row);
  table_.back() = 0;
  slots_[slot] = static_cast<uint32_t>(row);
  if (2 * row > slots_.size()) {
    slots_.assign(2 * slots_.size(), 0);
    for (size_t r = 2; r <= row; ++r) {
      size_t at = hashes_[r] & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<uint32_t>(r);
    }
  }
  return of_row(row);
}

LazyDfa::Transition LazyDfa::add(Transition t, uint32_t c, bool matches) {
  if (2 * num_stored_ >= kMaxStored) {
    clear();
    return state_of_key(kind_of(c)) | Transition{matches};
  }
  const size_t before = num_states();
  const Transition after = state_of_key(kind_of(c)) | Transition{matches};
  if (num_states() < before) return after;  // all states have been removed
  if (row(after) == row(t)) add_to_loop(t, c, matches);
  if (is_sparse_) {
    store(t, c, after);
  } else {
    table_[begin_of(t) + c] = after;
  }
  return after;
}

void LazyDfa::add_to_loop(Transition t, uint32_t c, bool matches) {
  uint32_t& number = table_[begin_of(t) + stride_ - 1];
  if (number == 0) {
    number = static_cast<uint32_t>(loops_.size());
    loops_.push_back({});
    loops_.back().matches = matches;
  }
  Loop& loop = loops_[number];
  if (loop.matches != matches || c == program_.end_class()) return;
  for (uint8_t b = 0; b < 0x80; ++b) {
    if (program_.classes().of_ascii(b) == c) loop.chars.add(b);
  }
  loop.num_beyond_ascii += program_.classes().is_beyond_ascii(c);
  loop.chars.beyond_ascii = loop.num_beyond_ascii == num_beyond_ascii_ && num_beyond_ascii_ > 0;
}

}  // namespace stringops
