#include "subword/models/unigram.h"

#include <cmath>

#include "core/codepoint.h"
#include "subword/array.h"

namespace stringops::subword {

// Finds the first position after the begin of a text that no piece spans; the best path to it is final. `score` is that
// of the path to the text, then that to the result. Sets nodes[k] of the scratch to the best piece that ends k bytes
// after the text's beginning.
//
// Both libraries keep the earlier of equal sums. Hugging Face adds in double precision, SentencePiece in single
// precision.
template <bool kSingle>
const uint8_t* Unigram::find_cut(StringView text, double* score, UnigramScratch& scratch) const {
  std::vector<UnigramNode>& nodes = scratch.nodes;
  int64_t last = 0;  // the farthest end of a piece; nodes up to it are set
  const auto add = [&](int64_t begin, int64_t size, double sum, uint32_t id) {
    if (kSingle) sum = static_cast<float>(sum);
    const int64_t end = begin + size;
    if (end > last) {
      if (static_cast<size_t>(end) >= nodes.size()) nodes.resize(2 * static_cast<size_t>(end) + 64);
      while (last < end) nodes[static_cast<size_t>(++last)].size = 0;
    }
    UnigramNode& node = nodes[static_cast<size_t>(end)];
    if (node.size != 0 && !(sum > node.score)) return;
    if (id == kNone) throw MissingPiece();  // as `tokenizers`: also if the best way has no such character
    node = {sum, static_cast<uint32_t>(size), id};
  };
  constexpr int64_t kStepsOfCharacter = 16;
  const PieceTrie::Unit root = trie_.unit(PieceTrie::kRoot);
  double sum = *score;
  for (int64_t begin = 0;;) {
    scratch.pace.spend(kStepsOfCharacter);
    if (kSingle && std::abs(sum) > kMaxSum) {
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

void Unigram::encode(StringView text, UnigramScratch& scratch, std::vector<uint32_t>& ids,
                     std::vector<StringView>* parts) const {
  double sum = 0;
  const bool is_sentencepiece = record_.is_sentencepiece != 0;
  UnknownRuns runs({record_.unknown_id, byte_ids_, is_sentencepiece ? nullptr : &trie_, is_sentencepiece}, ids, parts);
  for (const uint8_t* p = text.begin; p < text.end;) {
    const StringView rest{p, text.end};
    const uint8_t* const cut =
        is_sentencepiece ? find_cut<true>(rest, &sum, scratch) : find_cut<false>(rest, &sum, scratch);
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

}  // namespace stringops::subword
