#include "subword/normalize/sentencepiece.h"

#include <algorithm>
#include <array>

#include "core/codepoint.h"
#include "core/narrow.h"

namespace stringops::kernels {

using namespace subword;

namespace {
constexpr std::array<uint8_t, 3> kEscapedSpace = {0xE2, 0x96, 0x81};  // U+2581
constexpr std::array<uint8_t, 3> kReplacement = {0xEF, 0xBF, 0xBD};   // of a byte that is not part of UTF-8
constexpr std::array<uint8_t, 1> kSpace = {' '};

template <size_t n>
StringView view(const std::array<uint8_t, n>& bytes) {
  return {bytes.data(), bytes.data() + n};
}
}  // namespace

SubwordSentencePiece::SubwordSentencePiece(const Charsmap& charsmap, const std::optional<PieceTrie>& frozen,
                                           uint8_t flags)
    : charsmap_(charsmap), frozen_(frozen), flags_(flags) {}

bool SubwordSentencePiece::is_kept(uint8_t byte) {
  if (byte >= 0x80 || byte == 0 || frozen_) return false;
  Change& change = changes_[byte];
  if (change == kUnknown) {
    const bool escapes = byte == ' ' && has(SentencePieceRules::kEscape);
    change = escapes || charsmap_.may_have_ascii_rule(byte) ? kMayChange : kKept;
  }
  return change == kKept;
}

// The end of the ASCII characters that stay as they are, from one that is there on: none if a space is left out.
const uint8_t* SubwordSentencePiece::end_of_kept(const uint8_t* p, const uint8_t* end, bool after_space) {
  const bool removes = has(SentencePieceRules::kRemoveSpaces);
  const uint8_t* q = p;
  for (; q < end && is_kept(*q) && !(after_space && *q == ' '); ++q) after_space = removes && *q == ' ';
  // A rule may begin with the last character and go on.
  return q > p && q < end && (*q >= 0x80 || *q == 0) ? q - 1 : q;
}

SubwordSentencePiece::Prefix SubwordSentencePiece::next(const uint8_t* p, const uint8_t* end) const {
  if (frozen_) {
    if (const PieceTrie::FoundPiece match = frozen_->find_longest(PieceTrie::kRoot, {p, end}); match.id >= 0) {
      return {{p, match.end}, match.end - p};
    }
  }
  if (const Charsmap::Rule rule = charsmap_.find_longest({p, end}); rule.size > 0) return {rule.by, rule.size};
  const Codepoint c = read_codepoint(p, end);
  if (c.value == kInvalidByte) return {view(kReplacement), 1};
  return {{p, p + c.length}, c.length};
}

void SubwordSentencePiece::add_space(int32_t source, std::vector<uint8_t>& out) {
  const StringView space = has(SentencePieceRules::kEscape) ? view(kEscapedSpace) : view(kSpace);
  out.insert(out.end(), space.begin, space.end);
  if (has_sources_) sources_.resize(out.size(), source);
}

// U+2581 at the end becomes a space.
void SubwordSentencePiece::write_blank(std::vector<uint8_t>& out) {
  if (out.size() < kEscapedSpace.size()) return;
  if (!std::equal(kEscapedSpace.begin(), kEscapedSpace.end(), out.end() - kEscapedSpace.size())) return;
  out.resize(out.size() - kEscapedSpace.size());
  out.push_back(' ');
  if (sources_.size() > out.size()) sources_.resize(out.size());
}

// Sets `end` to the source of the first byte that is removed.
void SubwordSentencePiece::remove_trailing_spaces(std::vector<uint8_t>& out, int32_t* end) {
  const StringView space = has(SentencePieceRules::kEscape) ? view(kEscapedSpace) : view(kSpace);
  const auto size = static_cast<size_t>(space.size());
  while (out.size() >= size && std::equal(space.begin, space.end, out.end() - space.size())) {
    out.resize(out.size() - size);
    if (!has_sources_) continue;
    *end = sources_[out.size()];
    sources_.resize(out.size());
  }
}

void SubwordSentencePiece::normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) {
  const bool removes = has(SentencePieceRules::kRemoveSpaces);
  const auto is_space = [](StringView by) { return by.size() == 1 && *by.begin == ' '; };
  const auto place = [&](const uint8_t* p) { return narrow<int32_t>(p - text.begin); };
  out.clear();
  sources_.clear();
  has_sources_ = map != nullptr;
  const uint8_t* p = text.begin;
  while (removes && p < text.end) {
    const Prefix prefix = next(p, text.end);
    if (!is_space(prefix.by)) break;
    p += prefix.size;
  }
  if (p < text.end) {
    if (has(SentencePieceRules::kDummyPrefix) && !has(SentencePieceRules::kSuffix)) add_space(place(p), out);
    bool after_space = removes;
    while (p < text.end) {
      if (const uint8_t* const kept = end_of_kept(p, text.end, after_space); kept > p) {
        out.insert(out.end(), p, kept);
        for (; map && p < kept; ++p) sources_.push_back(place(p));
        p = kept;
        after_space = removes && kept[-1] == ' ';
        continue;
      }
      const Prefix prefix = next(p, text.end);
      StringView by = prefix.by;
      while (after_space && by.begin < by.end && *by.begin == ' ') ++by.begin;
      for (const uint8_t* q = by.begin; q < by.end; ++q) {
        if (*q == ' ') {
          add_space(place(p), out);
        } else {
          out.push_back(*q);
          if (*q == kEscapedSpace[2] && has(SentencePieceRules::kBlanks)) write_blank(out);
        }
      }
      if (map) sources_.resize(out.size(), place(p));
      if (by.begin < by.end) after_space = removes && by.end[-1] == ' ';
      p += prefix.size;
    }
    int32_t end = place(p);
    if (removes) remove_trailing_spaces(out, &end);
    if (has(SentencePieceRules::kDummyPrefix) && has(SentencePieceRules::kSuffix)) add_space(end, out);
    sources_.push_back(end);
  }
  if (!map) return;
  map->clear();
  for (size_t k = 0; k < out.size(); ++k) map->push_back({sources_[k], sources_[k + 1]});
}

}  // namespace stringops::kernels
