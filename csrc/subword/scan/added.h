// Added tokens: texts that become an id as a whole, found before the rest of a text is split.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/piece_trie.h"
#include "core/string_span.h"
#include "subword/scan/classes.h"
#include "subword/table.h"

namespace stringops::subword {

class AddedTokens {
 public:
  AddedTokens(const Table& table, const std::optional<PieceTrie>& trie);

  // Whether the text has a match of a token, which its flags may rule out.
  bool may_contain(StringView text) const {
    if (none_) return false;
    for (const uint8_t* p = text.begin; p < text.end; ++p) {
      p = find_first(p, text.end);
      if (p < text.end && match_at(p, text.end).token != kNone) return true;
    }
    return false;
  }

  bool none() const { return none_; }

  // Divides a text in order: calls on_token(text, id) for each added token, with the whitespace that it takes in, and
  // on_text(text) for the texts between them, which are not empty.
  template <class OnText, class OnToken>
  void cut(StringView text, OnText&& on_text, OnToken&& on_token) const {
    const uint8_t* done = text.begin;  // everything before is cut
    // Whitespace that a token has taken in may hold further tokens, which do not search it again for its end.
    const uint8_t* known_stop = text.begin;
    for (const uint8_t* p = text.begin; p < text.end;) {
      p = find_first(p, text.end);
      const FoundToken match = match_at(p, text.end);
      if (match.token == kNone) {
        p += p < text.end;
        continue;
      }
      const AddedRecord added = added_[match.token];
      const uint8_t *begin = p, *end = p + match.size;
      p = end;
      if ((added.flags & kSingleWord) != 0 && !is_single_word(text, begin, end)) continue;
      if ((added.flags & kLeftStrip) != 0) begin = std::max(strip_left(done, begin), done);
      if ((added.flags & kRightStrip) != 0) {
        if (end >= known_stop) known_stop = strip_right(end, text.end);
        end = std::max(end, known_stop);
      }
      if (begin >= end) continue;  // all of it is taken in
      if (done < begin) on_text(StringView{done, begin});
      on_token(StringView{begin, end}, added.id);
      done = end;
    }
    if (done < text.end) on_text(StringView{done, text.end});
  }

 private:
  // The first byte with which a token may begin.
  const uint8_t* find_first(const uint8_t* p, const uint8_t* end) const {
    if (only_first_ < 0) return std::find_if(p, end, [&](uint8_t byte) { return begins_[byte]; });
    const void* const found = p < end ? std::memchr(p, only_first_, static_cast<size_t>(end - p)) : nullptr;
    return found ? static_cast<const uint8_t*>(found) : end;
  }

  struct FoundToken {
    uint32_t token;
    int64_t size;
  };

  FoundToken match_at(const uint8_t* p, const uint8_t* end) const;
  static bool is_single_word(StringView text, const uint8_t* begin, const uint8_t* end);
  static const uint8_t* strip_left(const uint8_t* begin, const uint8_t* p);
  static const uint8_t* strip_right(const uint8_t* p, const uint8_t* end);

  const std::optional<PieceTrie> trie_;
  const Array<AddedRecord> added_;
  const bool first_counts_;
  bool none_ = true;
  int only_first_ = -1;             // the byte with which all tokens begin
  std::array<bool, 256> begins_{};  // whether a token begins with the byte
};

}  // namespace stringops::subword
