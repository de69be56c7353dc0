#include "kernels/search_patterns.h"

#include <algorithm>

#include "core/content_cache.h"
#include "core/lazy.h"
#include "kernels/pattern_list.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kCachedBytes = 256 << 20;

// The bits of the filter: some for each prefix, of which few are set; and the most that stay in the first-level cache.
constexpr int64_t kBitsPerPrefix = 16;
constexpr int kMinFilterBits = 10, kMaxFilterBits = 17;

struct CachedSet {
  std::shared_ptr<const PatternSet> set;

  int64_t num_bytes() const { return set->num_bytes(); }
};

template <class T>
int64_t bytes_of(const std::vector<T>& items) {
  return static_cast<int64_t>(items.size() * sizeof(T));
}

}  // namespace

std::shared_ptr<const PatternSet> PatternSet::of(const char* op, const StringSpan& patterns) {
  auto& cache = lazy([] { return ContentCache<CachedSet>(kCachedBytes); });
  const PatternList list(op, patterns);
  return cache.get(list.bytes(), [&] { return CachedSet{std::make_shared<const PatternSet>(op, list.texts())}; })->set;
}

PatternSet::PatternSet(const char* op, const std::vector<std::string>& patterns)
    : units_(subword::build_piece_trie(op, patterns)) {
  int64_t shortest = kMaxPrefix;
  sizes_.reserve(patterns.size());
  for (const std::string& pattern : patterns) {
    const auto size = static_cast<int64_t>(pattern.size());
    if (size == 0 && !first_empty_) first_empty_ = static_cast<int64_t>(sizes_.size());
    sizes_.push_back(narrow<int32_t>(size));
    longest_ = std::max(longest_, size);
    if (size > 0) shortest = std::min(shortest, size);
  }
  if (longest_ == 0) return;
  prefix_size_ = shortest;
  prefix_mask_ = static_cast<uint32_t>((uint64_t{1} << 8 * prefix_size_) - 1);
  add_filter(patterns);
  if (longest_ > kMaxSteps) automaton_.emplace(op, patterns);
}

void PatternSet::add_filter(const std::vector<std::string>& patterns) {
  std::vector<uint32_t> prefixes;
  prefixes.reserve(patterns.size());
  for (const std::string& pattern : patterns) {
    if (pattern.empty()) continue;
    uint32_t word = 0;
    std::memcpy(&word, pattern.data(), static_cast<size_t>(prefix_size_));
    prefixes.push_back(word);
  }
  std::sort(prefixes.begin(), prefixes.end());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  int bits = kMinFilterBits;
  while (bits < kMaxFilterBits && int64_t{1} << bits < kBitsPerPrefix * static_cast<int64_t>(prefixes.size())) ++bits;
  filter_shift_ = 32 - bits;
  filter_.resize(size_t{1} << (bits - 6));
  for (const uint32_t word : prefixes) {
    const uint32_t bit = bit_of(word);
    filter_[bit / 64] |= uint64_t{1} << (bit % 64);
  }
}

int64_t PatternSet::num_bytes() const {
  int64_t bytes = bytes_of(units_) + bytes_of(sizes_) + bytes_of(filter_);
  if (automaton_) bytes += bytes_of(automaton_->units) + bytes_of(automaton_->shorter) + bytes_of(automaton_->found);
  return bytes;
}

PatternSet::Automaton::Automaton(const char* op, const std::vector<std::string>& patterns) {
  std::vector<std::string> reversed;
  reversed.reserve(patterns.size());
  for (const std::string& pattern : patterns) reversed.emplace_back(pattern.rbegin(), pattern.rend());
  units = subword::build_piece_trie(op, reversed);
  shorter.assign(units.size(), Trie::kRoot);
  found.assign(units.size(), Trie::kRoot);
  // The states of texts of one size after the other, as those of suffixes must be known.
  const Trie states = trie();
  std::vector<uint32_t> at(patterns.size(), Trie::kRoot);  // of each pattern
  std::vector<size_t> rest(patterns.size());               // the patterns that are longer than this size
  for (size_t i = 0; i < rest.size(); ++i) rest[i] = i;
  std::vector<bool> is_known(units.size());
  Pace pace;
  for (size_t size = 0; !rest.empty(); ++size) {
    rest.erase(std::remove_if(rest.begin(), rest.end(), [&](size_t i) { return reversed[i].size() <= size; }),
               rest.end());
    for (const size_t i : rest) {
      const auto byte = static_cast<uint8_t>(reversed[i][size]);
      const uint32_t parent = at[i], state = states.child(parent, byte);
      at[i] = state;
      pace.spend(1);
      if (is_known[state]) continue;
      is_known[state] = true;
      if (size > 0) shorter[state] = next(shorter[parent], byte);
      found[state] = states.id(state) >= 0 ? state : found[shorter[state]];
    }
  }
}

uint32_t PatternSet::Automaton::next(uint32_t state, uint8_t byte) const {
  const Trie states = trie();
  for (;;) {
    const uint32_t child = states.child(state, byte);
    if (child != Trie::kRoot || state == Trie::kRoot) return child;
    state = shorter[state];
  }
}

}  // namespace stringops::kernels
