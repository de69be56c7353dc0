#include "kernels/subword_build_pairs.h"

#include "core/fail.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// Puts all pairs into lines, of which there are 1 << (64 - shift); false if one overflows.
bool fill_lines(const std::vector<Pair>& pairs, const HashSeed& seed, uint32_t shift, std::vector<uint64_t>& lines) {
  lines.assign(size_t{kPairsPerLine} << (64 - shift), kEmptyPair);
  for (const Pair& pair : pairs) {
    uint64_t* const line = lines.data() + (pair_hash(pair.key, seed) >> shift) * kPairsPerLine;
    int64_t i = 0;
    while (i < kPairsPerLine && line[i] != kEmptyPair && line[i] >> kPairBits != pair.key) ++i;
    if (i == kPairsPerLine) return false;
    line[i] = pair.key << kPairBits | pair.priority;
  }
  return true;
}

}  // namespace

void add_pairs(const char* op, Sections& sections, const std::vector<Pair>& pairs) {
  // Half of the places are empty; more if a line overflows under several seeds.
  uint32_t shift = 63;
  while (shift > 32 && (uint64_t{kPairsPerLine} << (64 - shift)) < 2 * pairs.size()) --shift;
  constexpr int kSeeds = 4, kDoublings = 3;
  const uint32_t last = shift - kDoublings;
  const uint64_t first_seed = sections.header.seed.low;
  std::vector<uint64_t> lines;
  bool fits = false;
  for (; !fits && shift >= last; shift -= !fits) {
    for (uint64_t attempt = 0; !fits && attempt < kSeeds; ++attempt) {
      sections.header.seed = expand_seed(first_seed + attempt);
      fits = fill_lines(pairs, sections.header.seed, shift, lines);
    }
  }
  STRINGOPS_CHECK(fits, op, ": the hashes of ", pairs.size(), " merges collide under every seed tried");
  sections.header.pair_shift = shift;
  sections.add(kPairs, lines);

  uint32_t most = 0;
  for (const Pair& pair : pairs) most = std::max(most, pair.priority + 1);
  std::vector<uint32_t> made(most, 0);
  for (const Pair& pair : pairs) made[pair.priority] = pair.made;
  sections.add(kMade, made);

  Table table;
  table.header = sections.header;
  table.pairs = sections.values<uint64_t>(kPairs);
  const auto ids = sections.values<uint32_t>(kByteIds);
  std::vector<uint32_t> byte_pairs(65536, kNone);
  for (size_t i = 0; i < byte_pairs.size(); ++i) {
    const uint32_t left = ids[i >> 8], right = ids[i & 255];
    if (left != kNone && right != kNone) byte_pairs[i] = table.find_pair(left, right);
  }
  sections.add(kBytePairs, byte_pairs);
}

}  // namespace stringops::kernels
