#include "subword/models/concatenation_bpe.h"

#include <functional>
#include <queue>

#include "core/codepoint.h"
#include "core/poll.h"

namespace stringops::subword {

// The symbols of one text, and the pairs of neighbours that may merge, in a queue. A pair is in it as the rank of its
// piece and the number of its left symbol, so that the least entry is the next to merge. One that is not the pair of
// its left symbol any more is skipped: each merge adds two entries at most, so that it takes n log n.
class ConcatenationBpe::Merging {
 public:
  Merging(const ConcatenationBpe& model, StringView text) : model_(model), text_(text) {
    symbols_.reserve(static_cast<size_t>(text.size()) + 1);  // short texts are many, and allocate once
    for (const uint8_t* p = text.begin; p < text.end;) p = add_symbol(p);
    num_symbols_ = static_cast<uint32_t>(symbols_.size());
    symbols_.push_back({static_cast<uint32_t>(text.size()), num_symbols_ - 1, kNone, kNone, 0, 0});
    for (uint32_t i = 0; i < num_symbols_; ++i) {
      pace_.spend(kStepsOfSearch);
      find_pair(i);
    }
  }

  void merge_all() {
    while (!queue_.empty()) {
      pace_.spend(kStepsOfMerge);
      const Entry entry = queue_.top();
      queue_.pop();
      const auto at = static_cast<uint32_t>(entry);
      if (symbols_[at].rank == static_cast<uint32_t>(entry >> 32)) merge(at);
    }
  }

  void write(UnknownRuns& runs) const {
    for (uint32_t i = 0; i < num_symbols_; i = symbols_[i].next) {
      if (divisions_.empty()) {
        const int32_t id = PieceTrie::id_of(symbols_[i].unit);
        runs.add(text_of(i), id >= 0 ? static_cast<uint32_t>(id) : model_.parts_.unknown_id);
      } else {
        add_text(text_of(i), runs);
      }
    }
  }

 private:
  using Entry = uint64_t;
  static constexpr int64_t kStepsOfSearch = 16, kStepsOfMerge = 64;

  struct Symbol {
    uint32_t begin;  // in the text; it ends where the next one begins
    uint32_t previous, next;
    uint32_t rank;             // of the pair of this symbol and the next one; kNone if they do not merge
    PieceTrie::Unit unit;      // of its text, or 0
    PieceTrie::Unit together;  // of the text of the pair
  };

  StringView text_of(uint32_t i) const {
    return {text_.begin + symbols_[i].begin, text_.begin + symbols_[symbols_[i].next].begin};
  }
  bool is_frozen(uint32_t i) const { return i < frozen_.size() && frozen_[i]; }

  // Returns its end.
  const uint8_t* add_symbol(const uint8_t* p) {
    const uint8_t* end = p + read_codepoint(p, text_.end).length;
    if (model_.frozen_) {
      const PieceTrie::FoundPiece match = model_.frozen_->find_longest(PieceTrie::kRoot, {p, text_.end});
      frozen_.push_back(match.id >= 0);
      if (match.id >= 0) end = match.end;
    }
    const auto index = static_cast<uint32_t>(symbols_.size());
    symbols_.push_back({static_cast<uint32_t>(p - text_.begin), index - 1, index + 1, kNone,
                        model_.walk(model_.trie_.unit(PieceTrie::kRoot), {p, end}), 0});
    return end;
  }

  void merge(uint32_t at) {
    Symbol& left = symbols_[at];
    Symbol& right = symbols_[left.next];
    right.rank = kNone;
    left.unit = left.together;
    left.next = right.next;
    symbols_[left.next].previous = at;
    if (left.previous != kNone) find_pair(left.previous);
    find_pair(at);
  }

  // Sets the pair of a symbol and the next one, which waits if they merge.
  void find_pair(uint32_t at) {
    Symbol& left = symbols_[at];
    left.rank = kNone;
    if (left.next == num_symbols_ || is_frozen(at) || is_frozen(left.next)) return;
    left.together = model_.walk(left.unit, text_of(left.next));
    const int32_t piece = PieceTrie::id_of(left.together);
    if (piece < 0) return;
    const auto id = static_cast<uint32_t>(piece);
    left.rank = model_.rank(id);
    queue_.push(uint64_t{left.rank} << 32 | at);
    if (model_.is_unused(id)) divisions_[id] = symbols_[left.next].begin - left.begin;
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
  const StringView text_;
  std::vector<Symbol> symbols_;  // and one after the last
  uint32_t num_symbols_ = 0;
  std::vector<bool> frozen_;  // symbols that never merge; empty if there are none
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  Pace pace_;
  std::unordered_map<uint32_t, int64_t> divisions_;  // of unused pieces: the bytes of the left part
};

void ConcatenationBpe::encode(StringView text, std::vector<uint32_t>& ids, std::vector<StringView>* parts) const {
  Merging merging(*this, text);
  merging.merge_all();
  UnknownRuns runs({parts_.unknown_id, parts_.byte_ids, nullptr, true}, ids, parts);
  merging.write(runs);
  runs.end_run();
}

// The unit of the text of a unit and another text, or 0.
PieceTrie::Unit ConcatenationBpe::walk(PieceTrie::Unit unit, StringView text) const {
  for (const uint8_t* p = text.begin; unit != 0 && p < text.end; ++p) unit = trie_.child_unit(unit, *p);
  return unit;
}

}  // namespace stringops::subword
