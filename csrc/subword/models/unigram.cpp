#include "subword/models/unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/codepoint.h"
#include "subword/array.h"

namespace stringops::subword {

namespace {
constexpr double kOnlyOne = std::numeric_limits<double>::infinity();  // the margin of one way over no other
}  // namespace

// Finds the first position after the begin of a text that no piece spans; the best path to it is final. `score` is that
// of the path to the text, then that to the result. Sets nodes[k] of the scratch to the best piece that ends k bytes
// after the text's beginning.
//
// Both libraries keep the earlier of equal sums. Hugging Face adds in double precision, SentencePiece in single
// precision.
template <Unigram::Rounding kRounding>
const uint8_t* Unigram::find_cut(StringView text, double* score, UnigramScratch& scratch) const {
  std::vector<UnigramNode>& nodes = scratch.nodes;
  int64_t last = 0;  // the farthest end of a piece; nodes up to it are set
  const auto add = [&](int64_t begin, int64_t size, double sum, uint32_t id) {
    if (kRounding == kSingle) sum = static_cast<float>(sum);
    const int64_t end = begin + size;
    if (end > last) {
      if (static_cast<size_t>(end) >= nodes.size()) nodes.resize(2 * static_cast<size_t>(end) + 64);
      if (kRounding == kWithMargins) scratch.margins.resize(nodes.size());
      while (last < end) nodes[static_cast<size_t>(++last)].size = 0;
    }
    UnigramNode& node = nodes[static_cast<size_t>(end)];
    if (kRounding == kWithMargins) {
      double& margin = scratch.margins[static_cast<size_t>(end)];
      const double by = node.size != 0 ? sum - node.score : kOnlyOne;
      margin = by > 0 ? by : std::min(margin, -by);
    }
    if (node.size != 0 && !(sum > node.score)) return;
    if (id == kNone) throw MissingPiece();  // as `tokenizers`: also if the best way has no such character
    node = {sum, static_cast<uint32_t>(size), id};
  };
  constexpr int64_t kStepsOfCharacter = 16;
  const PieceTrie::Unit root = trie_.unit(PieceTrie::kRoot);
  double sum = *score;
  for (int64_t begin = 0;;) {
    scratch.pace.spend(kStepsOfCharacter);
    if (kRounding == kSingle && std::abs(sum) > kMaxSum) {
      for (int64_t end = begin + 1; end <= last; ++end) {
        double& other = nodes[static_cast<size_t>(end)].score;
        other = static_cast<float>(other - sum);
      }
      sum = 0;
    }
    const uint8_t* const p = text.begin + begin;
    const int64_t character = *p < 0x80 ? 1 : read_codepoint(p, text.end).length;
    bool is_known = false;
    PieceTrie::Unit unit = root;
    for (const uint8_t* q = p; q < text.end;) {
      unit = trie_.child_unit(unit, *q++);
      if (unit == 0) break;
      const int32_t id = PieceTrie::id_of(unit);
      if (id < 0) continue;
      add(begin, q - p, sum + this->score(static_cast<uint32_t>(id)), static_cast<uint32_t>(id));
      is_known |= q - p == character;
    }
    if (!is_known) {
      add(begin, character, sum + record_.unknown_score, record_.unknown_id);
    }
    begin += character;
    sum = nodes[static_cast<size_t>(begin)].score;
    if (begin != last) continue;
    *score = sum;
    return text.begin + begin;
  }
}

// Sets the path of the scratch to the ends of the pieces of the best way to a node, the last one first.
void Unigram::find_path(int64_t node, UnigramScratch& scratch) {
  scratch.path.clear();
  for (auto end = static_cast<uint32_t>(node); end > 0; end -= scratch.nodes[end].size) scratch.path.push_back(end);
}

void Unigram::encode_after(double* sum, StringView text, UnigramScratch& scratch, std::vector<uint32_t>& ids,
                           std::vector<StringView>* parts) const {
  const bool is_sentencepiece = record_.is_sentencepiece != 0;
  UnknownRuns runs({record_.unknown_id, byte_ids_, is_sentencepiece ? nullptr : &trie_, is_sentencepiece}, ids, parts);
  for (const uint8_t* p = text.begin; p < text.end;) {
    const StringView rest{p, text.end};
    const uint8_t* const cut =
        record_.is_sentencepiece ? find_cut<kSingle>(rest, sum, scratch) : find_cut<kDouble>(rest, sum, scratch);
    find_path(cut - p, scratch);
    const uint8_t* begin = p;
    for (size_t i = scratch.path.size(); i-- > 0;) {
      const uint8_t* const end = p + scratch.path[i];
      runs.add({begin, end}, scratch.nodes[scratch.path[i]].id);
      begin = end;
    }
    p = cut;
  }
  runs.end_run();
}

// The sum of a way of d pieces is off by at most d roundings, of 2^-24 of the greatest sum on the way each, so that the
// better of two ways, by the margin m, stays the better one if m > 2 d 2^-24 sum. With n characters and scores of at
// most s, d is at most n, and a sum at byte k of the text at most k s: so k < m 2^23 / (n s). A half of that leaves
// room for the rounding of these figures. That all margins on the best way are great enough decides it.
//
// No sum is beyond kMaxSum within the limit: those of 2^17 pieces are greater than exact ones by less than 1 %.
uint32_t Unigram::encode_word(StringView word, UnigramScratch& scratch, std::vector<uint32_t>& ids) const {
  constexpr double kHalf = 1 << 22, kMaxBytes = 1 << 17;
  double sum = 0, margin = kOnlyOne;
  for (const uint8_t* p = word.begin; p < word.end;) {
    const uint8_t* const cut = find_cut<kWithMargins>({p, word.end}, &sum, scratch);
    find_path(cut - p, scratch);
    for (size_t i = scratch.path.size(); i-- > 0;) {
      const uint32_t end = scratch.path[i], id = scratch.nodes[end].id;
      ids.push_back(id);
      // The ids of unknown characters depend on the run of them, and they add scores that ids do not tell.
      if (id == record_.unknown_id) return 0;
      margin = std::min(margin, scratch.margins[end]);
    }
    p = cut;
  }
  const double limit = margin * kHalf / (static_cast<double>(word.size() + 1) * record_.largest_score);
  return static_cast<uint32_t>(std::min({limit, 0.99 * kMaxSum / record_.largest_score, kMaxBytes}));
}

int64_t Unigram::num_bytes(double sum) const {
  const double bytes = std::abs(sum) / record_.largest_score + 1;
  return bytes < INT32_MAX ? static_cast<int64_t>(bytes) : INT32_MAX;
}

}  // namespace stringops::subword
