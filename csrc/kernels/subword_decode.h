// Rows of ids -> text: the bytes of the tokens, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/bounded_writer.h"
#include "core/codepoint.h"
#include "core/fail.h"
#include "core/find_text.h"
#include "core/row_splits.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "driver/map.h"
#include "driver/two_pass.h"
#include "subword/table.h"

namespace stringops::kernels {

struct SubwordDecode {
  const int64_t* ids;
  RowSplits rows;
  const subword::Table& table;
  bool skip_special;

  bool is_skipped(int64_t id) const { return skip_special && table.has_flag(id, subword::kIsSpecial); }
};

// Calls sink(text, readable_end) for the parts of the texts of the ids of a row, in order. A run of tokens that are
// bytes is U+FFFD for each of them if it is not UTF-8; with SentencePiece, only for each that is not part of a
// character.
class RowDecoder {
 public:
  explicit RowDecoder(const SubwordDecode& in) : in_(in) {}

  template <class Sink>
  void decode(ElementRange range, Sink&& sink) {
    const subword::Table& table = in_.table;
    gave_text_ = false;
    int64_t last = range.end;
    if (table.last_texts.ends.size > 0) {
      while (last > range.begin && in_.is_skipped(in_.ids[last - 1])) --last;
    }
    uint32_t left = table.decode.strip_most;
    const auto give = [&](StringView text, const uint8_t* readable_end) {
      while (left > 0 && text.begin < text.end) {
        const bool is_stripped = *text.begin == table.decode.strip_byte;
        left = is_stripped ? left - 1 : 0;
        text.begin += is_stripped;
      }
      gave_text_ |= text.size() > 0;
      if (text.size() > 0) sink(text, readable_end);
    };
    bytes_.clear();
    bool begins_row = true;
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t id = in_.ids[i];
      if (in_.is_skipped(id)) continue;
      const subword::TokenTexts& texts = table.texts_at(begins_row, i + 1 == last);
      const StringView text = texts[id];
      begins_row = begins_row && stays_first(id, text);
      if (table.has_flag(id, subword::kIsByte)) {
        bytes_.insert(bytes_.end(), text.begin, text.end);
        continue;
      }
      give_bytes(give);
      if (text.size() > 0) give(text, texts.bytes.at + texts.bytes.size);
    }
    give_bytes(give);
  }

 private:
  // Whether the token after this one is the first of a row as well: with SentencePiece, after control tokens, and, if
  // it removes spaces, until there is text.
  bool stays_first(int64_t id, StringView text) const {
    const uint32_t rule = in_.table.decode.sentencepiece;
    if (rule == 0 || text.size() > 0 || gave_text_) return false;
    return rule == 3 || in_.table.has_flag(id, subword::kIsSpecial);
  }

  template <class Give>
  void give_bytes(Give&& give) {
    if (bytes_.empty()) return;
    if (find_invalid_utf8(bytes_.data(), bytes_.data() + bytes_.size())) {
      std::vector<uint8_t> replaced;
      const uint8_t* const end = bytes_.data() + bytes_.size();
      for (const uint8_t* p = bytes_.data(); p < end;) {
        const Codepoint c = in_.table.decode.sentencepiece != 0 ? read_codepoint(p, end) : Codepoint{kInvalidByte, 1};
        if (c.value == kInvalidByte) {
          replaced.insert(replaced.end(), {0xEF, 0xBF, 0xBD});
        } else {
          replaced.insert(replaced.end(), p, p + c.length);
        }
        p += c.length;
      }
      bytes_.swap(replaced);
    }
    if (in_.table.decode.replaced[0] != 0) replace_in_bytes();
    give({bytes_.data(), bytes_.data() + bytes_.size()}, bytes_.data() + bytes_.size());
    bytes_.clear();
  }

  // Replaces a character. In the texts of tokens that are not bytes, it is replaced already.
  void replace_in_bytes() {
    const subword::DecodeRecord& rule = in_.table.decode;
    const int64_t size = std::min<int64_t>(codepoint_length(rule.replaced[0]), subword::kMaxReplaced);
    const std::string_view from(reinterpret_cast<const char*>(rule.replaced.data()), static_cast<size_t>(size));
    const auto by_size = std::min<size_t>(rule.replaced_by_size, subword::kMaxReplaced);
    std::vector<uint8_t> out;
    const uint8_t *p = bytes_.data(), *const end = p + bytes_.size();
    for (const uint8_t* at; (at = find_short_text({p, end}, from)) < end; p = at + size) {
      out.insert(out.end(), p, at);
      out.insert(out.end(), rule.replaced_by.data(), rule.replaced_by.data() + by_size);
    }
    out.insert(out.end(), p, end);
    bytes_.swap(out);
  }

  const SubwordDecode& in_;
  std::vector<uint8_t> bytes_;
  bool gave_text_ = false;
};

// The bytes of rows [first, last), and the position of the first id that is not in the table, or -1.
struct DecodedSize {
  int64_t num_bytes = 0;
  int64_t bad = -1;
};

inline DecodedSize measure_decoded(const SubwordDecode& in, int64_t first, int64_t last) {
  DecodedSize size;
  RowDecoder decoder(in);
  for (int64_t row = first; row < last; ++row) {
    const ElementRange range = in.rows.row(row);
    for (int64_t i = range.begin; i < range.end; ++i) {
      if (in.ids[i] < 0 || in.ids[i] >= in.table.num_ids()) return {0, i};
    }
    decoder.decode(range, [&](StringView text, const uint8_t*) { size.num_bytes += text.size(); });
  }
  return size;
}

inline bool write_decoded(const SubwordDecode& in, int64_t first, int64_t last, const MapOutput& out, int64_t begin,
                          int64_t end) {
  BoundedWriter writer(out.data + begin, out.data + end);
  OffsetsWriter offsets(out.offsets, first);
  RowDecoder decoder(in);
  for (int64_t row = first; row < last; ++row) {
    decoder.decode(in.rows.row(row),
                   [&](StringView text, const uint8_t* readable_end) { writer.append(text, readable_end); });
    offsets.push(writer.at() - out.data);
  }
  return writer.complete();
}

// allocate(num_bytes) -> MapOutput, with offsets of one more than the rows.
template <class Allocate>
void decode_subwords(const char* op, const Runner& runner, const SubwordDecode& in, Allocate&& allocate) {
  constexpr double kNsPerRow = 10, kNsPerId = 4;
  const double ns = kNsPerRow * static_cast<double>(in.rows.rows) + kNsPerId * static_cast<double>(in.rows.num_values);
  const EvenTasks tasks{in.rows.rows, runner.choose_tasks(ns)};
  std::vector<int64_t> bad(static_cast<size_t>(tasks.tasks), -1);
  const auto first_bytes = measure_tasks(
      op, runner, tasks.tasks,
      [&](int64_t t) {
        const DecodedSize size = measure_decoded(in, tasks.begin(t), tasks.begin(t + 1));
        bad[static_cast<size_t>(t)] = size.bad;
        return size.num_bytes;
      },
      [&](size_t t) {
        STRINGOPS_CHECK(bad[t] < 0, op, ": expected `ids` within [0, ", in.table.num_ids(), "), got ",
                        in.ids[std::max<int64_t>(bad[t], 0)], " at position ", bad[t]);
      });
  const MapOutput out = allocate(first_bytes.back());
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t begin, int64_t end) {
    return write_decoded(in, tasks.begin(t), tasks.begin(t + 1), out, begin, end);
  });
}

}  // namespace stringops::kernels
