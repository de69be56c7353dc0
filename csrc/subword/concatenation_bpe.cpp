#include "subword/concatenation_bpe.h"

#include <algorithm>

#include "core/codepoint.h"

namespace stringops::subword {

// The symbols of one text, and the pairs of them that may merge.
class ConcatenationBpe::Merging {
 public:
  Merging(const ConcatenationBpe& model, StringView text) : model_(model) {
    const auto most = static_cast<size_t>(text.size());  // of symbols; short texts are many, and allocate once
    symbols_.reserve(most);
    pairs_.reserve(most);
    for (const uint8_t* p = text.begin; p < text.end;) add_symbol(p, text.end);
    for (size_t i = 1; i < symbols_.size(); ++i) add_pair(static_cast<int64_t>(i) - 1, static_cast<int64_t>(i));
  }

  void merge_all() {
    while (!pairs_.empty()) {
      std::pop_heap(pairs_.begin(), pairs_.end(), is_later);
      const Pair pair = pairs_.back();
      pairs_.pop_back();
      Symbol &left = symbol(pair.left), &right = symbol(pair.right);
      if (left.text.size() == 0 || right.text.size() == 0 || left.text.size() + right.text.size() != pair.size) {
        continue;
      }
      left.text.end = right.text.end;
      left.node = pair.node;
      left.next = right.next;
      if (right.next >= 0) symbol(right.next).previous = pair.left;
      right.text = {};
      add_pair(left.previous, pair.left);
      add_pair(pair.left, left.next);
    }
  }

  void write(UnknownRuns& runs) const {
    for (int64_t i = symbols_.empty() ? -1 : 0; i >= 0; i = symbols_[static_cast<size_t>(i)].next) {
      const Symbol& symbol = symbols_[static_cast<size_t>(i)];
      if (divisions_.empty()) {
        const int32_t id = model_.trie_.id(symbol.node);
        runs.add(symbol.text, id >= 0 ? static_cast<uint32_t>(id) : model_.parts_.unknown_id);
      } else {
        add_text(symbol.text, runs);
      }
    }
  }

 private:
  Symbol& symbol(int64_t i) { return symbols_[static_cast<size_t>(i)]; }

  static bool is_later(const Pair& a, const Pair& b) {
    return a.score < b.score || (a.score == b.score && a.left > b.left);
  }

  void add_symbol(const uint8_t*& p, const uint8_t* end) {
    const auto index = static_cast<int64_t>(symbols_.size());
    const uint8_t* next = p + read_codepoint(p, end).length;
    bool is_frozen = false;
    if (model_.frozen_) {
      const PieceTrie::Match match = model_.frozen_->find_longest(PieceTrie::kRoot, {p, end});
      is_frozen = match.id >= 0;
      if (is_frozen) next = match.end;
    }
    const StringView text{p, next};
    symbols_.push_back({index - 1, next < end ? index + 1 : -1, text, model_.walk(PieceTrie::kRoot, text), is_frozen});
    p = next;
  }

  void add_pair(int64_t left_index, int64_t right_index) {
    if (left_index < 0 || right_index < 0) return;
    const auto left_32 = static_cast<int32_t>(left_index), right_32 = static_cast<int32_t>(right_index);
    const Symbol &left = symbol(left_index), &right = symbol(right_index);
    if (left.is_frozen || right.is_frozen) return;
    const uint32_t node = model_.walk(left.node, right.text);
    if (node == PieceTrie::kNoNode) return;
    const int32_t found = model_.trie_.id(node);
    if (found < 0) return;
    const auto id = static_cast<uint32_t>(found);
    const auto size = static_cast<int32_t>(left.text.size() + right.text.size());  // texts are below 2**31 bytes
    pairs_.push_back({model_.score(id), left_32, right_32, size, node});
    std::push_heap(pairs_.begin(), pairs_.end(), is_later);
    if (model_.is_unused(id)) divisions_[id] = left.text.size();
  }

  // An unused piece is taken apart as it was formed the last time, and so on.
  void add_text(StringView whole, UnknownRuns& runs) const {
    std::vector<StringView> rest{whole};
    while (!rest.empty()) {
      const StringView text = rest.back();
      rest.pop_back();
      const int32_t id = model_.trie_.find(text);
      const auto division = id >= 0 ? divisions_.find(static_cast<uint32_t>(id)) : divisions_.end();
      if (division != divisions_.end() && division->second < text.size()) {
        rest.push_back({text.begin + division->second, text.end});
        rest.push_back({text.begin, text.begin + division->second});
      } else {
        runs.add(text, id >= 0 ? static_cast<uint32_t>(id) : model_.parts_.unknown_id);
      }
    }
  }

  const ConcatenationBpe& model_;
  std::vector<Symbol> symbols_;
  std::vector<Pair> pairs_;                          // a heap
  std::unordered_map<uint32_t, int64_t> divisions_;  // of unused pieces: the bytes of the left part
};

void ConcatenationBpe::encode(StringView text, std::vector<uint32_t>& ids, std::vector<StringView>* parts) const {
  Merging merging(*this, text);
  merging.merge_all();
  UnknownRuns runs({parts_.unknown_id, parts_.byte_ids, nullptr}, ids, parts);
  merging.write(runs);
  runs.end_run();
}

double ConcatenationBpe::score(uint32_t id) const {
  double score = 0;
  if (id < parts_.num_scores) std::memcpy(&score, parts_.scores + uint64_t{id} * sizeof(score), sizeof(score));
  return score;
}

// The node of the text of a node and another text, or kNoNode.
uint32_t ConcatenationBpe::walk(uint32_t node, StringView text) const {
  if (node == PieceTrie::kNoNode) return node;
  for (const uint8_t* p = text.begin; p < text.end; ++p) {
    node = trie_.child(node, *p);
    if (node == PieceTrie::kRoot) return PieceTrie::kNoNode;
  }
  return node;
}

}  // namespace stringops::subword
