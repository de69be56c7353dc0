#include "regex/set_dfa.h"

#include <algorithm>

#include "core/bits.h"
#include "core/hash.h"
#include "core/testing.h"

namespace stringops {
namespace {

constexpr size_t kMaxBytes = 4 << 20;
constexpr size_t kMinStates = 8;

}  // namespace

SetDfa::SetDfa(const Program& program, const SetSteps& steps, bool begins_anywhere)
    : program_(program),
      steps_(steps),
      begins_anywhere_(begins_anywhere),
      forward_(steps.origin() == program.start()),
      num_words_(steps.num_words()),
      stride_(program.num_classes()),
      first_ordinary_(4 * stride_),
      current_(num_words_),
      after_(num_words_) {
  clear();
}

void SetDfa::clear() {
  // Row 0 is the dead state, which leads to itself; row 1 stands for unknown ones.
  table_.assign(2 * stride_, 0);
  sets_.clear();
  set_ends_.assign(2, 0);
  hashes_.assign(2, 0);
  kinds_.assign(2, 0);
  slots_.assign(64, 0);
  starts_.assign(256, 0);
}

SetDfa::Transition SetDfa::start(uint8_t kind) {
  if (starts_[kind] == 0) {
    std::fill(current_.begin(), current_.end(), 0);
    current_[steps_.origin() / kWordBits] |= uint64_t{1} << steps_.origin() % kWordBits;
    const Transition t = find(current_.data(), kind);
    starts_[kind] = t;
  }
  return starts_[kind];
}

void SetDfa::copy_nodes(Transition t, uint64_t* out) const {
  const uint64_t* at = sets_.data() + set_ends_[row(t) - 1];
  const uint64_t* const end = sets_.data() + set_ends_[row(t)];
  if (!is_compact()) {
    std::copy(at, end, out);
    return;
  }
  std::fill(out, out + num_words_, 0);
  for (; at < end; at += 2) out[at[0]] = at[1];
}

bool SetDfa::has_some(Transition t, const uint64_t* others) const {
  const uint64_t* at = sets_.data() + set_ends_[row(t) - 1];
  const uint64_t* const end = sets_.data() + set_ends_[row(t)];
  uint64_t both = 0;
  if (is_compact()) {
    for (; at < end; at += 2) both |= others[at[0]] & at[1];
  } else {
    for (; at < end; ++at) both |= *others++ & *at;
  }
  return both != 0;
}

SetDfa::Transition SetDfa::find(const uint64_t* nodes, uint8_t kind) {
  key_.clear();
  uint64_t any = 0;
  for (size_t w = 0; w < num_words_; ++w) {
    any |= nodes[w];
    if (is_compact() && nodes[w] != 0) {
      key_.push_back(w);
      key_.push_back(nodes[w]);
    }
  }
  if (any == 0) return 0;
  if (!is_compact()) key_.assign(nodes, nodes + num_words_);
  const auto bytes = static_cast<int64_t>(key_.size() * sizeof(uint64_t));
  const uint64_t hash = stable_hash(reinterpret_cast<const uint8_t*>(key_.data()), bytes, kind);
  size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const size_t row = slots_[slot];
    const auto set = sets_.begin() + static_cast<int64_t>(set_ends_[row - 1]);
    if (hashes_[row] == hash && kinds_[row] == kind && set_ends_[row] - set_ends_[row - 1] == key_.size() &&
        std::equal(key_.begin(), key_.end(), set)) {
      return of_row(row);
    }
  }
  const size_t used = (table_.size() + stride_) * sizeof(Transition) +
                      (sets_.size() + key_.size() + 4 * num_states()) * sizeof(uint64_t);
  if (num_states() >= kMinStates && (kFuzzing || used > kMaxBytes)) {
    const std::vector<uint64_t> kept(nodes, nodes + num_words_);
    clear();
    return find(kept.data(), kind);
  }
  const size_t row = num_states();
  sets_.insert(sets_.end(), key_.begin(), key_.end());
  set_ends_.push_back(sets_.size());
  hashes_.push_back(hash);
  kinds_.push_back(kind);
  table_.resize(table_.size() + stride_, 2 * stride_);
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

bool SetDfa::build_all(int64_t max_work) {
  for (uint32_t c = 0; c <= program_.end_class(); ++c) {
    start(forward_ ? program_.kind_before(c) : program_.kind_after(c));
  }
  size_t states = 0;
  for (size_t row = 2; row < num_states(); ++row) {
    for (uint32_t c = 0; c <= program_.end_class(); ++c) {
      max_work -= static_cast<int64_t>(num_words_ / 4 + 16 * (set_ends_[row] - set_ends_[row - 1]));
      if (max_work < 0) return false;
      next(of_row(row), c);
      if (num_states() < states) return false;  // all have been removed
      states = num_states();
    }
  }
  return true;
}

SetDfa::Transition SetDfa::build(Transition t, uint32_t c) {
  const uint8_t kind = kinds_[row(t)];
  const uint32_t context =
      forward_ ? program_.context(kind, program_.kind_after(c)) : program_.context(program_.kind_before(c), kind);
  copy_nodes(t, current_.data());
  const bool matches = steps_.step(current_.data(), context, c, after_.data());
  if (begins_anywhere_ && c != program_.end_class()) {
    after_[steps_.origin() / kWordBits] |= uint64_t{1} << steps_.origin() % kWordBits;
  }
  const size_t before = num_states();
  const Transition after =
      find(after_.data(), forward_ ? program_.kind_before(c) : program_.kind_after(c)) | Transition{matches};
  if (num_states() >= before) table_[(t >> 1) + c] = after;  // unless all states have been removed
  return after;
}

}  // namespace stringops
