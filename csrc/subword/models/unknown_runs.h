// The ids of pieces and of characters that are not pieces; adjacent ones of these are one run.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/codepoint.h"
#include "core/piece_trie.h"
#include "core/string_span.h"

namespace stringops::subword {

// The ids of a run of unknown characters, as tables store them. `byte_ids` are uint32 [256], or kNoByte.
struct UnknownRule {
  static constexpr uint32_t kNoByte = ~uint32_t{0};

  uint32_t id;
  const uint8_t* byte_ids;
  const PieceTrie* pieces;  // a run that is one of them becomes it; may be null
  bool is_sentencepiece;    // the last byte of a character stands for all of it, the others for nothing
};

class UnknownRuns {
 public:
  // Appends to `ids`, and to `parts`, if it is not null, the part of the text that each id stands for.
  UnknownRuns(const UnknownRule& rule, std::vector<uint32_t>& ids, std::vector<StringView>* parts)
      : rule_(rule), ids_(ids), parts_(parts) {}

  // The parts of a text in order. An id that is that of unknown characters adds to a run.
  void add(StringView part, uint32_t id) {
    if (id == rule_.id) {
      if (run_.begin == run_.end) run_.begin = part.begin;
      run_.end = part.end;
      return;
    }
    end_run();
    push(id, part);
  }

  void end_run() {
    if (run_.begin == run_.end) return;
    const size_t before = ids_.size();
    const int32_t piece = rule_.pieces ? rule_.pieces->find(run_) : -1;
    if (piece >= 0) {
      ids_.push_back(static_cast<uint32_t>(piece));
    } else if (!add_bytes()) {
      ids_.push_back(rule_.id);
    }
    if (parts_) add_parts(ids_.size() - before);
    run_ = {};
  }

 private:
  void push(uint32_t id, StringView part) {
    ids_.push_back(id);
    if (parts_) parts_->push_back(part);
  }

  // Appends the parts of the run that its ids stand for.
  void add_parts(size_t num_ids) {
    if (!rule_.is_sentencepiece || num_ids != static_cast<size_t>(run_.size())) {
      parts_->insert(parts_->end(), num_ids, run_);
      return;
    }
    for (const uint8_t* p = run_.begin; p < run_.end;) {
      const StringView character{p, p + read_codepoint(p, run_.end).length};
      parts_->insert(parts_->end(), static_cast<size_t>(character.size()) - 1, {p, p});
      parts_->push_back(character);
      p = character.end;
    }
  }

  // Appends the ids of the bytes if each has one.
  bool add_bytes() {
    const size_t before = ids_.size();
    for (const uint8_t* p = run_.begin; p < run_.end; ++p) {
      uint32_t id;
      std::memcpy(&id, rule_.byte_ids + size_t{*p} * sizeof(id), sizeof(id));
      if (id == UnknownRule::kNoByte) {
        ids_.resize(before);
        return false;
      }
      ids_.push_back(id);
    }
    return true;
  }

  const UnknownRule rule_;
  std::vector<uint32_t>& ids_;
  std::vector<StringView>* const parts_;
  StringView run_{};
};

}  // namespace stringops::subword
