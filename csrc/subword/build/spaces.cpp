#include "subword/build/parts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/codepoint.h"
#include "subword/normalize/sentencepiece.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// Returns the text that the steps write for a space, if later steps treat spaces, or this text, like any other text;
// else nothing.
std::string space_of(const Spec& spec) {
  std::string by;
  for (const Step& step : spec.steps) {
    const auto text = [&](uint16_t i) { return spec.step_texts[i]; };
    const bool replaces = step.kind == Step::kReplace || step.kind == Step::kMetaspace;
    if (replaces && text(step.from) == " " && (by.empty() || text(step.to) == by)) {
      by = text(step.to);
    } else if (by.empty()) {
      continue;
    } else if (step.kind != Step::kPrepend && step.kind != Step::kLiteral) {
      return {};
    }
  }
  return by;
}

// Replaces `by`, a character that stands for spaces, by spaces, in place. Returns the size of the text then, or nothing
// if it has spaces itself.
std::optional<size_t> write_spaces_in(char* text, size_t size, std::string_view by) {
  char* to = text;
  for (const char *at = text, *const end = text + size; at < end;) {
    if (*at == ' ') return std::nullopt;
    const bool is_space =
        *at == by[0] && std::string_view(at, static_cast<size_t>(end - at)).substr(0, by.size()) == by;
    *to++ = is_space ? ' ' : *at;
    at += is_space ? by.size() : 1;
  }
  return static_cast<size_t>(to - text);
}

// Same as above of a copy.
std::optional<std::string> with_spaces(std::string text, std::string_view by) {
  const auto size = write_spaces_in(text.data(), text.size(), by);
  return size ? std::optional(text.substr(0, *size)) : std::nullopt;
}

// Writes the tokens with spaces; returns whether one of them has a space after another character.
bool write_tokens(TokenIds& tokens, const std::string& by) {
  bool crosses = false;
  tokens.clear();
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    std::string_view& text = tokens.texts[id];
    text = text.substr(0, write_spaces_in(tokens.bytes_of(id), text.size(), by).value_or(0));
    if (text.empty()) continue;
    tokens.add(static_cast<uint32_t>(id));
    for (size_t at = 1; at < text.size(); ++at) crosses |= text[at] == ' ' && text[at - 1] != ' ';
  }
  return crosses;
}

bool writes_spaces(const Spec& spec, const Step& step, const std::string& by) {
  return (step.kind == Step::kReplace || step.kind == Step::kMetaspace) && spec.step_texts[step.from] == " " &&
         spec.step_texts[step.to] == by;
}

// Whether an added token that is found in normalized text has one of these flags; with 0, whether there is one.
bool finds_in_normalized(const Spec& spec, int flags) {
  return std::any_of(spec.added.begin(), spec.added.end(), [&](const AddedToken& added) {
    return (added.flags & kNormalized) != 0 && !added.content.empty() && (flags == 0 || (added.flags & flags) != 0);
  });
}

// False if the steps cannot be changed; then some of them may have been.
bool rewrite_steps(Spec& spec, const std::string& by) {
  std::vector<Step> kept;
  size_t first = 0;
  while (!writes_spaces(spec, spec.steps[first], by)) ++first;
  // Added tokens are searched for in the text that normalizers write. They take in spaces, but not `by`; and if
  // Metaspace comes after the search, the text has both.
  const bool is_before_search = spec.steps[first].kind == Step::kReplace;
  if (is_before_search && finds_in_normalized(spec, kLeftStrip | kRightStrip)) return false;
  size_t begin = first;  // of insertions, of which a space or `by` are the same
  const bool keeps_insertions = !is_before_search && finds_in_normalized(spec, 0);
  while (!keeps_insertions && begin > 0 && spec.steps[begin - 1].kind == Step::kPrepend) --begin;
  for (size_t i = 0; i < spec.steps.size(); ++i) {
    const Step step = spec.steps[i];
    std::string &to = spec.step_texts[step.to], &from = spec.step_texts[step.from];
    if (i >= first && step.kind == Step::kLiteral) {
      const auto text = with_spaces(from, by);
      if (!text && step.invert) return false;
      if (!text) continue;  // a text with spaces is nowhere
      from = *text;
    } else if (i >= first && step.kind == Step::kPrepend) {
      const auto text = with_spaces(to, by);
      if (!text) return false;
      to = *text;
    } else if (i >= first) {
      std::swap(from, to);
    } else if (i >= begin) {
      to = with_spaces(to, by).value_or(to);
    }
    kept.push_back(step);
  }
  spec.steps = std::move(kept);
  return true;
}

// Whether the pieces of the user, which the normalizer keeps as they are, stay so without this: no rule may begin with
// one of their characters, and none is a space. Their parts have the spans of the whole piece, so that those of
// Unigram, which divides them like any other text, need to be single characters. Those of BPE are searched for in text
// that no rule has changed.
bool stay_anyway(const Spec& spec, const TokenIds& tokens) {
  constexpr uint32_t kReplacement = 0xFFFD, kBlank = 0x2581;
  const Charsmap charsmap = charsmap_of(spec);
  const bool is_unigram = spec.model == Spec::Model::kUnigram;
  return std::all_of(spec.frozen.begin(), spec.frozen.end(), [&](uint32_t id) {
    const std::string_view text = id < tokens.texts.size() ? tokens.texts[id] : std::string_view();
    const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* const end = begin + text.size();
    bool stays = begin < end && (is_unigram || !charsmap.has_rules());
    for (const uint8_t* p = begin; stays && p < end;) {
      const Codepoint c = read_codepoint(p, end);
      stays = c.value != kInvalidByte && c.value != kReplacement && c.value != kBlank && c.value != ' ' &&
              !charsmap.may_have_rule(*p);
      p += c.length;
      stays = stays && (!is_unigram || p == end);
    }
    return stays;
  });
}

}  // namespace

void write_spaces(Spec& spec, TokenIds& tokens, const MergeRows& merges) {
  const std::string by = space_of(spec);
  // A character of one byte may be a part of others.
  if (by.empty() || (by[0] & 0xC0) != 0xC0 || tokens.find(by) == kNone) return;
  Spec changed = spec;
  if (!rewrite_steps(changed, by)) return;
  spec = std::move(changed);
  bool splits = false, crosses = write_tokens(tokens, by);
  for (const Step& step : spec.steps) splits |= step.kind == Step::kLiteral && spec.step_texts[step.from] == " ";
  for (int64_t i = 0; i < merges.count; ++i) {
    const auto text = [&](int64_t k) -> std::string_view {
      const auto id = static_cast<uint64_t>(merges.numbers[3 * i + k]);
      return id < tokens.texts.size() ? tokens.texts[id] : std::string_view();
    };
    crosses |= text(1).substr(0, 1) == " " && (text(0).empty() || text(0).back() != ' ');
  }
  // Characters that vanish let others meet. Otherwise, a merge across such a place makes a token that has it inside.
  // The space is a token, so that no unknown token crosses it either.
  bool vanishes = spec.unknown_id < 0;
  if (vanishes && spec.byte_fallback) {
    vanishes = false;
    for (uint32_t byte = 0; byte < 256; ++byte) vanishes |= tokens.find(byte_token(byte)) == kNone;
  }
  // Scores of Unigram are sums from the beginning of a piece, which rounding makes depend on what was added before.
  if (!splits && !crosses && !vanishes && !spec.whole && spec.model == Spec::Model::kBpe)
    spec.steps.push_back(Step::of(Step::kBlankWords));
}

void write_model_spaces(Spec& spec, TokenIds& tokens) {
  if (spec.steps.size() != 1 || spec.steps[0].kind != Step::kSentencePiece) return;
  uint8_t& flags = spec.steps[0].option;
  const std::string by(kWordBegin);
  // Unused pieces may hide others.
  if ((flags & SentencePieceRules::kEscape) == 0 || !spec.unused.empty() || !stay_anyway(spec, tokens)) return;
  if (spec.model == Spec::Model::kUnigram) spec.frozen.clear();  // only the normalizer would regard them
  // A run of unknown characters ends before the space, which is a piece.
  const uint32_t space = tokens.find(by);
  if (space == kNone || int64_t{space} == spec.unknown_id) return;
  if (finds_in_normalized(spec, 0)) return;
  flags = static_cast<uint8_t>((flags & ~SentencePieceRules::kEscape) | SentencePieceRules::kBlanks);
  spec.has_independent_words = !write_tokens(tokens, by);
  const bool adds_scores = spec.model == Spec::Model::kUnigram;  // from the beginning of the text
  if (spec.has_independent_words && !adds_scores) spec.steps.push_back(Step::of(Step::kBlankWords));
}

}  // namespace stringops::kernels
