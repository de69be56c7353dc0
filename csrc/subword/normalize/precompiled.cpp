#include "subword/normalize/precompiled.h"

#include "core/narrow.h"
#include "subword/normalize/graphemes.h"

namespace stringops::kernels {

using namespace subword;

namespace {

constexpr int64_t kShortCluster = 5;  // bytes

// The result so far, and where its characters come from, as Hugging Face counts: each takes the next character of the
// text, those that a rule adds take the last one, and characters that are left out belong to nothing. At the beginning
// of a text they are not counted, so that all others come from earlier ones.
class Output {
 public:
  Output(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map)
      : text_(text), done_(text.begin), source_(text.begin), out_(out), map_(map) {}

  void replace(const uint8_t* begin, const uint8_t* end, StringView by) {
    keep(begin);
    out_.insert(out_.end(), by.begin, by.end);
    if (map_) add_sources(begin, end, by);
    done_ = end;
    is_changed_ = true;
  }

  bool finish() {
    if (is_changed_) keep(text_.end);
    return is_changed_;
  }

 private:
  void keep(const uint8_t* end) {
    if (!is_changed_) {
      out_.clear();
      if (map_) map_->clear();
    }
    is_changed_ = true;
    out_.insert(out_.end(), done_, end);
    if (!map_) return;
    for (const uint8_t* p = done_; p < end;) {
      const int64_t length = read_codepoint(p, text_.end).length;
      take(length);
      p += length;
    }
  }

  void add_sources(const uint8_t* begin, const uint8_t* end, StringView by) {
    int64_t left = 0;  // characters of the text that have no other
    for (const uint8_t* p = begin; p < end; p += read_codepoint(p, end).length) ++left;
    for (const uint8_t* p = by.begin; p < by.end;) {
      const int64_t length = read_codepoint(p, by.end).length;
      if (left > 0) {
        take(length);
        --left;
      } else {
        map_->insert(map_->end(), static_cast<size_t>(length), last_);
        added_ = length;
      }
      p += length;
    }
    if (left == 0 || map_->empty()) return;
    if (added_ > 0) {  // it takes one of them instead
      const auto size = static_cast<size_t>(added_);
      map_->resize(map_->size() - size);
      take(static_cast<int64_t>(size));
      --left;
    }
    for (; left > 0; --left) source_ = next_source();
  }

  // Appends a character of so many bytes that comes from the next one.
  void take(int64_t length) {
    const uint8_t* const next = next_source();
    // Ranges are never empty.
    const uint8_t* const begin = source_ < next ? source_ : next - 1;
    last_ = {narrow<int32_t>(begin - text_.begin), narrow<int32_t>(next - text_.begin)};
    map_->insert(map_->end(), static_cast<size_t>(length), last_);
    source_ = next;
    added_ = 0;
  }

  const uint8_t* next_source() const {
    return source_ < text_.end ? source_ + read_codepoint(source_, text_.end).length : source_;
  }

  const StringView text_;
  const uint8_t* done_;
  const uint8_t* source_;  // the character that the next one takes
  PackedRange last_{};     // what the last one took
  int64_t added_ = 0;      // bytes of the last character, if a rule has added it
  std::vector<uint8_t>& out_;
  std::vector<PackedRange>* const map_;
  bool is_changed_ = false;
};

}  // namespace

SubwordPrecompiled::SubwordPrecompiled(const Charsmap& charsmap) : charsmap_(charsmap) {
  may_change_.fill(true);
  for (uint8_t byte = 0; byte < 0x80; ++byte) {
    // A carriage return may be in a cluster with the next character.
    may_change_[byte] = byte == '\r' || charsmap_.has_rule(byte);
  }
}

// The next cluster that may change, or the end.
const uint8_t* SubwordPrecompiled::next_cluster(const uint8_t* p, const uint8_t* end) const {
  const uint8_t* q = p;
  while (q < end && !may_change_[*q]) ++q;
  // A character that is not ASCII may belong to the one before.
  return q < end && *q >= 0x80 && q > p ? q - 1 : q;
}

bool SubwordPrecompiled::normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) const {
  Output output(text, out, map);
  for (const uint8_t* p = next_cluster(text.begin, text.end); p < text.end; p = next_cluster(p, text.end)) {
    const uint8_t* const end = end_of_cluster(p, text.end);
    if (end - p <= kShortCluster) {
      const Charsmap::Rule rule = charsmap_.find_shortest({p, end});
      if (rule.size >= 0) output.replace(p, end, rule.by);
      if (rule.size >= 0 || read_codepoint(p, end).length == end - p) {
        p = end;
        continue;
      }
    }
    while (p < end) {
      const uint8_t* const next = p + read_codepoint(p, end).length;
      if (const Charsmap::Rule rule = charsmap_.find_shortest({p, next}); rule.size >= 0) {
        output.replace(p, next, rule.by);
      }
      p = next;
    }
  }
  return output.finish();
}

}  // namespace stringops::kernels
