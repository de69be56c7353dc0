#include "kernels/search_patterns.h"

#include <algorithm>
#include <cstring>

#include "core/content_cache.h"
#include "core/copy_bytes.h"
#include "core/lazy.h"
#include "core/narrow.h"
#include "kernels/pattern_list.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kCachedBytes = 256 << 20;

// The patterns whose first bytes are found by shuffles.
constexpr size_t kFew = 32;

// The bytes of the filter for each prefix, so that few are set; and the limit of all, so that they stay in cache.
constexpr int64_t kBytesPerPrefix = 16;
constexpr int kMinFilterBits = 10, kMaxFilterBits = 16;

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
  prefix_shift_ = static_cast<int>(32 - 8 * prefix_size_);
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
  if (prefixes.size() <= kFew) {
    // Prefixes that are next to each other in the order of their first bytes are alike, so they share a bit.
    std::sort(prefixes.begin(), prefixes.end(),
              [](uint32_t a, uint32_t b) { return __builtin_bswap32(a) < __builtin_bswap32(b); });
    prefixes_.num_bytes = std::min<int64_t>(prefix_size_, simd::PrefixSet::kMaxBytes);
    for (size_t i = 0; i < prefixes.size(); ++i) {
      uint8_t bytes[sizeof(uint32_t)];
      std::memcpy(bytes, &prefixes[i], sizeof bytes);
      prefixes_.add(bytes, static_cast<int>(i * simd::PrefixSet::kBits / std::max<size_t>(prefixes.size(), 8)));
    }
    return;
  }
  int bits = kMinFilterBits;
  while (bits < kMaxFilterBits && int64_t{1} << bits < kBytesPerPrefix * static_cast<int64_t>(prefixes.size())) ++bits;
  filter_shift_ = 32 - bits;
  filter_.resize(size_t{1} << bits);
  for (const uint32_t word : prefixes) filter_[hash_of(word)] = 1;
}

int64_t PatternSet::num_bytes() const {
  int64_t bytes = bytes_of(units_) + bytes_of(sizes_) + bytes_of(filter_);
  if (automaton_) bytes += bytes_of(automaton_->units) + bytes_of(automaton_->shorter) + bytes_of(automaton_->found);
  return bytes;
}

void CandidateFinder::start(const Block& block) {
  data_ = block.data;
  num_bytes_ = block.num_bytes;
  readable_ = block.data_end - block.data;
  if (set_.filter_.empty()) {
    simd_.find_prefixes(data_, num_bytes_, block.readable, set_.prefixes_, candidates_.data());
  }
}

uint64_t CandidateFinder::hashed_word(int64_t i) const {
  constexpr int64_t kBeyond = sizeof(uint32_t) - 1;  // bytes that the last place reads after it
  const int64_t begin = i * kWordBits, count = std::min(num_bytes_ - begin, kWordBits);
  const uint8_t* data = data_ + begin;
  std::array<uint8_t, kWordBits + kBeyond> copy;
  if (readable_ - begin < kWordBits + kBeyond) {
    copy.fill(0);
    copy_bytes(copy.data(), data, std::min(readable_ - begin, kWordBits + kBeyond));
    data = copy.data();
  }
  const uint8_t* const filter = set_.filter_.data();
  uint64_t word = 0;
  for (int64_t at = 0; at < count; at += 8) {
    const auto found = [&](int k) {
      uint32_t bytes;
      std::memcpy(&bytes, data + at + k, sizeof bytes);
      return static_cast<uint32_t>(filter[set_.hash_of(bytes)]) << k;
    };
    const uint32_t eight = found(0) | found(1) | found(2) | found(3) | found(4) | found(5) | found(6) | found(7);
    word |= uint64_t{eight} << at;
  }
  return word & low_bits(count);
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
