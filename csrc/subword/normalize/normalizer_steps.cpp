#include "subword/normalize/normalizer_steps.h"

#include <algorithm>
#include <array>

#include "core/codepoint.h"
#include "core/find_text.h"
#include "core/narrow.h"
#include "core/utf8.h"
#include "subword/normalize/bert_tables.h"
#include "subword/normalize/decomposition.h"
#include "subword/normalize/nfc.h"
#include "subword/normalize/precompiled.h"
#include "subword/normalize/sentencepiece.h"
#include "subword/scan/classes.h"

namespace stringops::kernels {

using namespace subword;

namespace {

// A text that is written from the beginning, and where its bytes come from.
class Edit {
 public:
  Edit(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) : text_(text), out_(out), map_(map) {
    out.clear();
    if (map) map->clear();
  }

  // The text between two places, byte by byte.
  void keep(const uint8_t* begin, const uint8_t* end) {
    out_.insert(out_.end(), begin, end);
    check_text_size(out_.size());
    if (!map_) return;
    for (auto at = narrow<int32_t>(begin - text_.begin); begin < end; ++begin, ++at) map_->push_back({at, at + 1});
  }

  // Bytes that come from those between two places.
  void add(const uint8_t* bytes, size_t size, const uint8_t* begin, const uint8_t* end) {
    out_.insert(out_.end(), bytes, bytes + size);
    check_text_size(out_.size());
    if (map_) map_->resize(out_.size(), {narrow<int32_t>(begin - text_.begin), narrow<int32_t>(end - text_.begin)});
  }
  void add(uint32_t codepoint, const uint8_t* begin, const uint8_t* end) {
    uint8_t bytes[kMaxCodepointBytes];
    add(bytes, static_cast<size_t>(write_codepoint(codepoint, bytes) - bytes), begin, end);
  }
  void add(const std::string& bytes, const uint8_t* begin, const uint8_t* end) {
    add(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), begin, end);
  }

 private:
  const StringView text_;
  std::vector<uint8_t>& out_;
  std::vector<PackedRange>* const map_;
};

// A flag of Filter in addition to those of bert::Flag: Chinese characters, as Hugging Face's normalizer of BERT defines
// them. Google's code also has U+2B820 to U+2B91F.
constexpr uint16_t kChinese = 1 << 8;
bool is_chinese(uint32_t c) {
  const auto within = [&](uint32_t first, uint32_t last) { return c - first <= last - first; };
  return within(0x4E00, 0x9FFF) || within(0x3400, 0x4DBF) || within(0xF900, 0xFAFF) || within(0x20000, 0x2A6DF) ||
         within(0x2A700, 0x2B81F) || within(0x2B920, 0x2CEAF) || within(0x2F800, 0x2FA1F);
}

const uint8_t* after_character(const uint8_t* p, const uint8_t* end) {
  return p + read_codepoint(p, end).length;
}

class Nfc final : public NormalizerStep {
 public:
  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    return nfc_.normalize(text, text.begin, out, map);
  }

 private:
  SubwordNfc nfc_;
};

// NFD or NFKD. A byte that is not part of a code point is kept; nothing moves across it.
class DecomposeStep final : public NormalizerStep {
 public:
  explicit DecomposeStep(const normalization::ListTable& lists) : decomposition_(lists) {}

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    if (is_ascii(text.begin, text.size())) return false;
    const uint8_t *p = text.begin, *next = find_change(text);
    if (next == text.end) return false;
    Edit edit(text, out, map);
    const auto add = [&](uint32_t c, PackedRange from) { edit.add(c, text.begin + from.begin, text.begin + from.end); };
    for (; p < text.end; next = find_change({p, text.end})) {
      if (next > p) {
        decomposition_.flush(add);
        edit.keep(p, next);
        p = next;
      } else {
        const Codepoint c = read_codepoint(p, text.end);
        const auto begin = narrow<int32_t>(p - text.begin);
        decomposition_.decompose(c.value, {begin, begin + narrow<int32_t>(c.length)}, add);
        p += c.length;
      }
    }
    decomposition_.flush(add);
    return true;
  }

 private:
  // The first character that may change or move.
  const uint8_t* find_change(StringView text) const {
    const uint8_t* p = text.begin;
    while (p < text.end) {
      if (*p < 0x80) {
        ++p;
        continue;
      }
      const Codepoint c = read_codepoint(p, text.end);
      if (c.value != kInvalidByte && !decomposition_.keeps(c.value)) break;
      p += c.length;
    }
    return p;
  }

  Decomposition decomposition_;
};

// Characters that have certain flags are left out, become spaces, or get a space on each side, which comes from them.
class Filter final : public NormalizerStep {
 public:
  explicit Filter(uint16_t dropped, uint16_t blanks = 0, uint16_t spaced = 0)
      : dropped_(dropped), blanks_(blanks), spaced_(spaced), flags_(dropped | blanks | spaced) {
    for (uint32_t byte = 0; byte < 0x80; ++byte) keeps_[byte] = (bert::kFlags[byte] & flags_) == 0;
    keeps_ascii_ = std::all_of(keeps_.begin(), keeps_.begin() + 0x80, [](bool keeps) { return keeps; });
  }

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    if (keeps_ascii_ && is_ascii(text.begin, text.size())) return false;
    const uint8_t *kept = text.begin, *p = find(text);
    if (p == text.end) return false;
    Edit edit(text, out, map);
    for (; p < text.end; p = find({kept, text.end})) {
      edit.keep(kept, p);
      kept = after_character(p, text.end);
      const uint16_t flags = flags_at(p, text.end);
      if ((flags & dropped_) != 0) continue;
      edit.add(uint32_t{' '}, p, kept);
      if ((flags & blanks_) != 0) continue;
      edit.add(p, static_cast<size_t>(kept - p), p, kept);
      edit.add(uint32_t{' '}, p, kept);
    }
    edit.keep(kept, text.end);
    return true;
  }

 private:
  static uint16_t flags_at(const uint8_t* p, const uint8_t* end) {
    const Codepoint c = read_codepoint(p, end);
    return c.value == kInvalidByte
               ? 0
               : static_cast<uint16_t>(bert::kFlags[c.value] | (is_chinese(c.value) ? kChinese : 0));
  }

  const uint8_t* find(StringView text) const {
    const uint8_t* p = text.begin;
    for (; p < text.end; p = after_character(p, text.end)) {
      while (p < text.end && keeps_[*p]) ++p;
      if (p == text.end || (flags_at(p, text.end) & flags_) != 0) break;
    }
    return p;
  }

  const uint16_t dropped_, blanks_, spaced_, flags_;
  std::array<bool, 256> keeps_{};  // by the first byte
  bool keeps_ascii_;
};

// Before a text that is not empty. What is inserted comes from the first character.
class Prepend final : public NormalizerStep {
 public:
  explicit Prepend(std::string by) : by_(std::move(by)) {}

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    if (text.size() == 0) return false;
    Edit edit(text, out, map);
    edit.add(by_, text.begin, after_character(text.begin, text.end));
    edit.keep(text.begin, text.end);
    return true;
  }

 private:
  const std::string by_;
};

// The source of a replacement is the last character of the text that it replaces.
class Replace final : public NormalizerStep {
 public:
  Replace(std::string from, std::string by) : from_(std::move(from)), by_(std::move(by)) {}

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    const auto size = static_cast<int64_t>(from_.size());
    const uint8_t* found = size > 0 ? find_short_text(text, from_) : text.end;
    if (found == text.end) return false;
    Edit edit(text, out, map);
    const uint8_t* p = text.begin;
    for (; found < text.end; found = find_short_text({p, text.end}, from_)) {
      edit.keep(p, found);
      p = found + size;
      edit.add(by_, p - read_codepoint_before(found, p).length, p);
    }
    edit.keep(p, text.end);
    return true;
  }

 private:
  const std::string from_, by_;
};

// Runs of U+0020, or of whitespace.
class Runs final : public NormalizerStep {
 public:
  Runs(bool blanks, int64_t least, std::string by) : blanks_(blanks), least_(least), by_(std::move(by)) {}

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    Edit edit(text, out, map);
    bool changed = false;
    const uint8_t* done = text.begin;
    for (const uint8_t* p = next_run(text.begin, text.end); p < text.end; p = next_run(p, text.end)) {
      const uint8_t *begin = p, *last = p;
      int64_t count = 0;
      for (int64_t length; p < text.end && (length = length_at(p, text.end)) > 0; p += length, ++count) last = p;
      if (count == 0) {
        ++p;
      } else if (count >= least_) {
        changed = true;
        edit.keep(done, begin);
        edit.add(by_, last, p);
        done = p;
      }
    }
    edit.keep(done, text.end);
    return changed;
  }

 private:
  // A position from p on before which no run begins that is long enough.
  const uint8_t* next_run(const uint8_t* p, const uint8_t* end) const {
    constexpr int64_t kBlock = 32;
    if (!blanks_ || least_ < 2) return p;
    for (; end - p > kBlock; p += kBlock) {
      uint8_t pairs = 0;
      for (int64_t i = 0; i < kBlock; ++i) pairs |= static_cast<uint8_t>((p[i] == ' ') & (p[i + 1] == ' '));
      if (pairs != 0) break;
    }
    while (end - p > 1 && (p[0] != ' ' || p[1] != ' ')) ++p;
    return end - p > 1 ? p : end;
  }

  // The length of the character of a run at p, or 0. Inside of a character there is none.
  int64_t length_at(const uint8_t* p, const uint8_t* end) const {
    if (blanks_) return *p == ' ';
    const Character c = read_character(p, end);
    return c.is(kSpace) ? c.length : 0;
  }

  const bool blanks_;
  const int64_t least_;
  const std::string by_;
};

// Without whitespace at the ends.
class StripStep final : public NormalizerStep {
 public:
  explicit StripStep(uint8_t sides) : sides_(sides) {}

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    const uint8_t *begin = text.begin, *end = text.end;
    while ((sides_ & Step::kLeft) != 0 && begin < end) {
      const Character c = read_character(begin, end);
      if (!c.is(kSpace)) break;
      begin += c.length;
    }
    while ((sides_ & Step::kRight) != 0 && begin < end) {
      const Character c = read_character_before(begin, end);
      if (!c.is(kSpace)) break;
      end -= c.length;
    }
    if (begin == text.begin && end == text.end) return false;
    Edit(text, out, map).keep(begin, end);
    return true;
  }

 private:
  const uint8_t sides_;
};

// Each character by itself.
class Lower final : public NormalizerStep {
 public:
  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    Edit edit(text, out, map);
    for (const uint8_t* p = text.begin; p < text.end;) {
      const uint8_t* const ascii = p;
      while (p < text.end && *p < 0x80) ++p;
      edit.keep(ascii, p);
      for (auto it = out.end() - (p - ascii); it < out.end(); ++it)
        *it = static_cast<uint8_t>(*it + (*it >= 'A' && *it <= 'Z' ? 'a' - 'A' : 0));
      if (p == text.end) break;
      const Codepoint c = read_codepoint(p, text.end);
      const uint32_t* const list = bert::kLists + bert::kLower[c.value];
      if (list == bert::kLists) edit.keep(p, p + c.length);
      for (uint32_t i = 1; list != bert::kLists && i <= list[0]; ++i) edit.add(list[i], p, p + c.length);
      p += c.length;
    }
    return true;
  }
};

class Precompiled final : public NormalizerStep {
 public:
  explicit Precompiled(const Charsmap& charsmap) : charsmap_(charsmap) {}

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    return charsmap_.normalize(text, out, map);
  }

 private:
  const SubwordPrecompiled charsmap_;
};

class SentencePiece final : public NormalizerStep {
 public:
  SentencePiece(const NormalizerTables& tables, uint8_t flags) : rules_(tables.charsmap, tables.frozen, flags) {}

  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) override {
    rules_.normalize(text, out, map);
    return true;
  }

 private:
  SubwordSentencePiece rules_;
};

}  // namespace

bool is_normalizer_step(const Step& step) {
  return step.kind == Step::kNfc || step.kind == Step::kBert || step.kind == Step::kPrecompiled ||
         step.kind == Step::kSentencePiece || (step.kind >= Step::kPrepend && step.kind <= Step::kStrip) ||
         (step.kind >= Step::kNfd && step.kind <= Step::kNmt);
}

void add_normalizer_steps(const Step& step, const std::vector<std::string>& texts, const NormalizerTables& tables,
                          NormalizerSteps& steps) {
  const auto text = [&](uint16_t i) { return i < texts.size() ? texts[i] : std::string(); };
  const auto add = [&](auto made) { steps.push_back(std::make_unique<decltype(made)>(std::move(made))); };
  switch (step.kind) {
    case Step::kBert:
      if ((step.bert & Step::kClean) != 0) add(Filter(bert::kDropped, bert::kCleaned));
      if ((step.bert & Step::kSplitChinese) != 0) add(Filter(0, 0, kChinese));
      if ((step.bert & Step::kStripAccents) != 0) {
        add(DecomposeStep(normalization::kCanonical));
        add(Filter(bert::kAccent));
      }
      if ((step.bert & Step::kLowerCase) != 0) add(Lower());
      return;
    case Step::kPrepend:
      return add(Prepend(text(step.to)));
    case Step::kReplace:
      return add(Replace(text(step.from), text(step.to)));
    case Step::kBlankRuns:
    case Step::kSpaceRuns:
      return add(Runs(step.kind == Step::kBlankRuns, step.least, text(step.to)));
    case Step::kPrecompiled:
      return add(Precompiled(tables.charsmap));
    case Step::kSentencePiece:
      return add(SentencePiece(tables, step.option));
    case Step::kLower:
      return add(Lower());
    case Step::kStrip:
      return add(StripStep(step.option));
    case Step::kNfd:
    case Step::kNfkd:
      return add(DecomposeStep(step.kind == Step::kNfd ? normalization::kCanonical : normalization::kCompatibility));
    case Step::kDropMarks:
      return add(Filter(bert::kMark));
    case Step::kNmt:
      return add(Filter(bert::kNmtDropped, bert::kNmtSpace));
    default:
      return add(Nfc());
  }
}

}  // namespace stringops::kernels
