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

// The first bytes of so many patterns are mostly told apart by shuffles.
constexpr size_t kFewPrefixes = 32;

struct CachedSet {
  std::shared_ptr<const PatternSet> set;

  int64_t num_bytes() const { return set->num_bytes(); }
};

template <class T>
int64_t memory_of(const std::vector<T>& items) {
  return static_cast<int64_t>(items.size() * sizeof(T));
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
    : units_(build_piece_trie(op, {patterns.begin(), patterns.end()})) {
  int64_t shortest = kMaxBytes;
  sizes_.reserve(patterns.size());
  for (const std::string& pattern : patterns) {
    const auto size = static_cast<int64_t>(pattern.size());
    if (size == 0 && !first_empty_) first_empty_ = static_cast<int64_t>(sizes_.size());
    sizes_.push_back(narrow<int32_t>(size));
    longest_ = std::max(longest_, size);
    if (size > 0) shortest = std::min(shortest, size);
  }
  if (longest_ == 0) return;
  grams_.num_bytes = std::min(shortest, GramTable::kMaxBytes);
  grams_.factor = GramTable::kFactor << 8 * (GramTable::kMaxBytes - grams_.num_bytes);
  while (grams_.stride < GramTable::kMaxStride && 2 * grams_.stride + grams_.num_bytes - 1 <= shortest) {
    grams_.stride *= 2;
  }
  add_prefixes(patterns);
  if (longest_ > kMaxSteps) texts_ = patterns;
}

void PatternSet::add_prefixes(const std::vector<std::string>& patterns) {
  const auto gram_at = [&](const std::string& pattern, int64_t at) {
    uint32_t gram = 0;
    std::memcpy(&gram, pattern.data() + at, static_cast<size_t>(grams_.num_bytes));
    return gram;
  };
  std::vector<uint32_t> prefixes;
  prefixes.reserve(patterns.size());
  for (const std::string& pattern : patterns) {
    if (!pattern.empty()) prefixes.push_back(gram_at(pattern, 0));
  }
  std::sort(prefixes.begin(), prefixes.end());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  is_few_ = prefixes.size() <= kFewPrefixes;
  // Prefixes that are next to each other in the order of their first bytes are alike, so they share a bit.
  std::sort(prefixes.begin(), prefixes.end(),
            [](uint32_t a, uint32_t b) { return __builtin_bswap32(a) < __builtin_bswap32(b); });
  prefixes_.num_bytes = std::min<int64_t>(grams_.num_bytes, simd::PrefixSet::kMaxBytes);
  for (size_t i = 0; i < prefixes.size(); ++i) {
    uint8_t bytes[sizeof(uint32_t)];
    std::memcpy(bytes, &prefixes[i], sizeof bytes);
    prefixes_.add(bytes, static_cast<int>(i * simd::PrefixSet::kBits / std::max<size_t>(prefixes.size(), 8)));
  }
  grams_.bits.resize(size_t{1} << GramTable::kHashBits);
  for (const std::string& pattern : patterns) {
    for (int64_t k = 0; k < grams_.stride && !pattern.empty(); ++k) {
      uint8_t& places = grams_.places(gram_at(pattern, k));
      places = static_cast<uint8_t>(places | 1 << (grams_.stride - 1 - k));
    }
  }
}

int64_t PatternSet::num_bytes() const {
  constexpr int64_t kAutomaton = 3;  // an automaton takes about as much as so many tries
  return memory_of(units_) * (1 + kAutomaton) + memory_of(sizes_) + memory_of(grams_.bits);
}

void CandidateFinder::read(int64_t from) {
  // Grams are tested one by one, so that small windows take no longer.
  window_ = !shuffles_ ? kWordBits : from == end_ && from > 0 ? std::min(2 * window_, kBlockBytes) : kWindow;
  begin_ = from;
  end_ = std::min(begin_ + window_, block_->num_bytes);
  const uint8_t* const data = block_->data + begin_;
  const int64_t n = end_ - begin_, readable = block_->readable - begin_;
  if (shuffles_) {
    simd_.find_prefixes(data, n, readable, set_.prefixes_, candidates_.data());
  } else {
    static constexpr decltype(&CandidateFinder::find_grams<1>) kFind[] = {
        &CandidateFinder::find_grams<1>, &CandidateFinder::find_grams<2>, &CandidateFinder::find_grams<4>,
        &CandidateFinder::find_grams<8>};
    const auto find = kFind[first_bit(static_cast<uint64_t>(set_.grams_.stride))];
    candidates_[0] = (this->*find)(data, readable) & low_bits(n);
  }
  candidates_[static_cast<size_t>(words_for(n))] = ~uint64_t{0};
  if (__builtin_expect(samples_this_, false)) sample(std::min(words_for(n), kSampleWords));
}

[[gnu::noinline]] void CandidateFinder::sample(int64_t words) {
  for (int64_t w = 0; w < words; ++w) found_ += popcount(candidates_[static_cast<size_t>(w)]);
  words_ += words;
  if (words_ < kSampleWords) return;
  costs_[shuffles_] = base_cost(shuffles_) + kPlaceCost * found_ / words_;
  if (++samples_ % kSamples == 0) costs_[!shuffles_] = base_cost(!shuffles_);  // the text may have changed
  const bool before = std::exchange(shuffles_, costs_[1] <= costs_[0]);
  samples_this_ = before != shuffles_;
  unsampled_ = samples_this_ ? 0 : kUnsampled;
  words_ = found_ = 0;
}

template <int kStride>
uint64_t CandidateFinder::find_grams(const uint8_t* data, int64_t readable) const {
  const GramTable& grams = set_.grams_;
  const uint8_t* const bits = grams.bits.data();
  const uint32_t factor = grams.factor;
  const auto places = [&](const uint8_t* p, size_t size) -> uint64_t {
    uint32_t gram = 0;
    std::memcpy(&gram, p, size);
    return bits[gram * factor >> (32 - GramTable::kHashBits)];
  };
  uint64_t word = 0;
  if (readable >= kWordBits - 1 + GramTable::kMaxBytes) {
    for (int64_t byte = kWordBits - 8; byte >= 0; byte -= 8) {
      for (int k = 8 - 1; k >= 0; k -= kStride) word = word << kStride | places(data + byte + k, sizeof(uint32_t));
    }
    return word;
  }
  // Where fewer bytes than a gram has are left, no pattern fits.
  for (int64_t at = kStride - 1; at <= readable - grams.num_bytes && at < kWordBits; at += kStride) {
    const auto size = static_cast<size_t>(std::min<int64_t>(readable - at, sizeof(uint32_t)));
    word |= places(data + at, size) << (at - kStride + 1);
  }
  return word;
}

PatternSet::Automaton::Automaton(const char* op, const std::vector<std::string>& patterns) {
  std::vector<std::string> reversed;
  reversed.reserve(patterns.size());
  for (const std::string& pattern : patterns) reversed.emplace_back(pattern.rbegin(), pattern.rend());
  units = build_piece_trie(op, {reversed.begin(), reversed.end()});
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
      if (size > 0) {
        Unit unit = states.unit(shorter[parent]);
        shorter[state] = next(shorter[parent], byte, &unit);
      }
      found[state] = states.id(state) >= 0 ? state : found[shorter[state]];
    }
  }
}

const PatternSet::Automaton& PatternSet::automaton() const {
  const Automaton* kept = automaton_.load(std::memory_order_acquire);
  if (kept) return *kept;
  const auto* const made = new Automaton("PatternSet", texts_);
  if (automaton_.compare_exchange_strong(kept, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return *made;
  delete made;
  return *kept;
}

}  // namespace stringops::kernels
