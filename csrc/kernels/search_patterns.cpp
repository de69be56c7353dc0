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

constexpr int64_t kCachedSetBytes = 256 << 20;

// The patterns whose first bytes are found by shuffles.
constexpr size_t kFewPrefixes = 32;

// The bits of the filter for each prefix, so that few are set; and the limit of all, so that they stay in cache.
constexpr size_t kBitsPerPrefix = 64;
constexpr int kMinFilterBits = 16, kMaxFilterBits = 19;

struct CachedSet {
  std::shared_ptr<const PatternSet> set;

  int64_t num_bytes() const { return set->num_bytes(); }
};

template <class T>
int64_t memory_of(const std::vector<T>& items) {
  return static_cast<int64_t>(items.size() * sizeof(T));
}

// Returns the bits of a number that is at least `count`, from `bits` on.
int bits_for(size_t count, int bits) {
  while (size_t{1} << bits < count) ++bits;
  return bits;
}

}  // namespace

std::shared_ptr<const PatternSet> PatternSet::of(const char* op, const StringSpan& patterns) {
  auto& cache = lazy([] { return ContentCache<CachedSet>(kCachedSetBytes); });
  const PatternList list(op, patterns);
  return cache.get(list.bytes(), [&] { return CachedSet{std::make_shared<const PatternSet>(op, list.texts())}; })->set;
}

std::shared_ptr<const PatternSet> PatternSet::of(const std::vector<std::string>& texts) {
  std::string bytes;
  std::vector<int32_t> offsets{0};
  for (const std::string& text : texts) {
    bytes += text;
    offsets.push_back(narrow<int32_t>(static_cast<int64_t>(bytes.size())));
  }
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  return of("PatternSet", {data, offsets.back(), offsets.data(), static_cast<int64_t>(texts.size())});
}

PatternSet::PatternSet(const char* op, const std::vector<std::string>& patterns)
    : units_(build_piece_trie(op, patterns)) {
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
  ignored_bits_ = static_cast<int>(32 - 8 * prefix_size_);
  add_prefixes(patterns);
  if (longest_ > kMaxSteps) automaton_.emplace(op, patterns);
}

void PatternSet::add_prefixes(const std::vector<std::string>& patterns) {
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
  if (prefixes.size() <= kFewPrefixes) {
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
  filter_bits_ = std::min(bits_for(kBitsPerPrefix * prefixes.size(), kMinFilterBits), kMaxFilterBits);
  filter_.resize((size_t{1} << filter_bits_) / 32);
  for (const uint32_t word : prefixes) filter_[hashes().hash_of(word) / 32] |= 1U << hashes().hash_of(word) % 32;
}

int64_t PatternSet::num_bytes() const {
  int64_t bytes = memory_of(units_) + memory_of(sizes_) + memory_of(filter_);
  if (automaton_) bytes += memory_of(automaton_->units) + memory_of(automaton_->shorter) + memory_of(automaton_->found);
  return bytes;
}

void CandidateFinder::read(int64_t from) {
  // Bytes are hashed one by one, so that small windows take no longer.
  const bool shuffles = set_.filter_.empty();
  window_ = !shuffles ? kWordBits : from == end_ && from > 0 ? std::min(2 * window_, kBlockBytes) : kWindow;
  begin_ = from;
  end_ = std::min(begin_ + window_, block_->num_bytes);
  const uint8_t* const data = block_->data + begin_;
  const int64_t n = end_ - begin_, readable = block_->readable - begin_;
  if (shuffles) {
    simd_.find_prefixes(data, n, readable, set_.prefixes_, candidates_.data());
  } else {
    find_hashes(data, n, readable);
  }
  candidates_[static_cast<size_t>(words_for(n))] = ~uint64_t{0};
}

void CandidateFinder::find_hashes(const uint8_t* data, int64_t n, int64_t readable) {
  const PrefixHashes hashes = set_.hashes();
  const auto has = [&](int64_t i, size_t size) {
    uint32_t word = 0;
    std::memcpy(&word, data + i, size);
    return uint64_t{hashes.contains(word)};
  };
  const int64_t whole = std::min(n, readable - 3);
  uint64_t word = 0;
  int64_t k = 0;
  for (; k < whole; ++k) word |= has(k, 4) << k;
  for (; k < n; ++k) word |= has(k, static_cast<size_t>(std::min<int64_t>(readable - k, 4))) << k;
  candidates_[0] = word;
}

PatternSet::Automaton::Automaton(const char* op, const std::vector<std::string>& patterns) {
  std::vector<std::string> reversed;
  reversed.reserve(patterns.size());
  for (const std::string& pattern : patterns) reversed.emplace_back(pattern.rbegin(), pattern.rend());
  units = build_piece_trie(op, reversed);
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
