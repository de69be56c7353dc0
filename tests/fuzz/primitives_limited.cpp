// Strings whose cuts are limited (cut_limited): every tier against the scalar one.
#include "core/bits.h"
#include "fuzz.h"
#include "simd/primitives.h"

namespace stringops::fuzz {

// With exactly the room that their pieces need, more, or less.
FUZZ_TARGET(primitives_limited) {
  const bool at_whitespace = in.flag();
  const auto delimiter = static_cast<uint8_t>(in.flag() ? ',' : in.byte());
  const int64_t max_cuts = in.below(simd::LimitedCuts::kMaxCuts + 1), beyond = in.below(200);
  const int64_t more = in.below(700) * in.below(2), less = in.below(40) * in.below(2), less_ends = in.below(5);
  const auto base = static_cast<int32_t>(in.below(1000));
  std::vector<int64_t> cuts(static_cast<size_t>(in.below(100)));
  for (int64_t& at : cuts) at = in.below(2000);
  const Bytes data = bytes_of(take_text(in, static_cast<int64_t>(in.left()), std::string(3, ' ')));
  const int64_t n = std::max<int64_t>(data.size() - beyond, 0);
  std::sort(cuts.begin(), cuts.end());
  Exact<int32_t> ends(static_cast<int64_t>(cuts.size()) + 1);
  for (int64_t k = 0; k < ends.size(); ++k) {
    ends[k] = static_cast<int32_t>(k + 1 < ends.size() ? std::min(cuts[static_cast<size_t>(k)], n) : n);
  }
  const simd::LimitedCuts limited{data.data(), data.size(),   ends.data(), ends.size(),
                                  max_cuts,    at_whitespace, delimiter};
  const Exact<int32_t> counted(ends.size());
  simd::PieceCounts counts{};
  same_on_every_tier([&] {
    counts = simd::primitives().cut_limited(limited, nullptr, counted.data());
    return std::make_tuple(counts.bytes, counts.pieces, counted.copy());
  });
  const int64_t room = counts.bytes + more - std::min(counts.bytes, less);
  const int64_t max_pieces =
      counts.pieces + (more > 0) * (1 + more) - std::min<int64_t>(counts.pieces, less > 0 ? less_ends : 0);
  same_on_every_tier([&] {
    const Bytes out(room);
    const Exact<int32_t> out_ends(max_pieces), string_pieces(ends.size());
    const simd::PieceRoom places{base, out.data(), out.data() + room, out_ends.data(), out_ends.data() + max_pieces};
    const simd::PieceCounts wrote = simd::primitives().cut_limited(limited, &places, string_pieces.data());
    REQUIRE(wrote.complete == (counts.bytes <= room && counts.pieces <= max_pieces));
    if (!wrote.complete) return std::make_pair(std::vector<uint8_t>(), std::vector<int32_t>());
    REQUIRE(wrote.bytes == counts.bytes && wrote.pieces == counts.pieces);
    REQUIRE(string_pieces.copy() == counted.copy());
    return std::make_pair(std::vector<uint8_t>(out.data(), out.data() + counts.bytes),
                          std::vector<int32_t>(out_ends.data(), out_ends.data() + counts.pieces));
  });
}

}  // namespace stringops::fuzz
