#include "subword/build/parts.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <utility>

#include "subword/normalize/normalizer.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// The replacements of Hugging Face's WordPiece decoder, in its order.
void clean_up(std::string& text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kReplacements = {{
      {" .", "."},
      {" ?", "?"},
      {" !", "!"},
      {" ,", ","},
      {" ' ", "'"},
      {" n't", "n't"},
      {" 'm", "'m"},
      {" do not", " don't"},
      {" 's", "'s"},
      {" 've", "'ve"},
      {" 're", "'re"},
  }};
  // Most texts have none of them.
  size_t space = text.find(' ');
  while (space < text.size() && std::string_view(".?!,'nd").find(text.c_str()[space + 1]) == std::string_view::npos) {
    space = text.find(' ', space + 1);
  }
  if (space == text.npos) return;
  for (const auto& [from, to] : kReplacements) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  }
}

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";  // U+2581

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

// Applies the steps of a decoder that change each token by itself.
void decode_token(std::string& text, const Spec& spec, bool begins_row, bool ends_row) {
  using Kind = DecodeStep::Kind;
  for (const DecodeStep& step : spec.decode_steps) {
    std::string_view by = step.to;
    if (step.kind == Kind::kStrip) {
      const auto most = std::min(static_cast<size_t>(step.count), text.size());
      text.erase(0, std::min(text.find_first_not_of(step.from[0]), most));
      continue;
    }
    if (step.kind == Kind::kMetaspace) by = begins_row && step.count != 0 ? "" : " ";
    if (step.kind == Kind::kSuffix) by = ends_row ? "" : " ";
    if (step.kind == Kind::kSentencePiece) {
      if (begins_row && step.count != 0 && text.compare(0, kEscapedSpace.size(), kEscapedSpace) == 0) {
        text.erase(0, kEscapedSpace.size());
      }
      replace_all(text, kEscapedSpace, " ");
    }
    if (step.kind > Kind::kSuffix && step.kind != Kind::kFuseReplace) continue;
    replace_all(text, step.from, by);
  }
}

// The byte of a text <0xHH>, or -1.
int byte_of(const std::string& text) {
  if (text.size() != 6 || text.compare(0, 3, "<0x") != 0 || text[5] != '>') return -1;
  int byte = 0;
  for (size_t i = 3; i < 5; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : i == 3 && c == '+'   ? 0  // as Rust reads numbers
                                             : -1;
    if (digit < 0) return -1;
    byte = byte * 16 + digit;
  }
  return byte;
}

void add_decoded(Sections& sections, const Spec& spec, const std::vector<std::string_view>& texts,
                 std::vector<uint8_t>& flags) {
  using Kind = DecodeStep::Kind;
  bool differs_first = false, differs_last = false, has_bytes = false;
  std::string between;
  DecodeRecord record{};
  for (const DecodeStep& step : spec.decode_steps) {
    differs_first |= (step.kind == Kind::kMetaspace && step.count != 0) || step.kind == Kind::kJoin;
    differs_first |= step.kind == Kind::kSentencePiece;
    if (step.kind == Kind::kSentencePiece) record.sentencepiece = static_cast<uint32_t>(1 + step.count);
    differs_last |= step.kind == Kind::kSuffix;
    has_bytes |= step.kind == Kind::kByteFallback;
    if (step.kind == Kind::kJoin) between = step.from;
    if (step.kind == Kind::kFuseReplace) {
      std::copy_n(step.from.begin(), std::min(step.from.size(), kMaxReplaced), record.replaced.begin());
      std::copy_n(step.to.begin(), std::min(step.to.size(), kMaxReplaced), record.replaced_by.begin());
      record.replaced_by_size = static_cast<uint32_t>(step.to.size());
    }
    if (step.kind == Kind::kFuseStrip) {
      record.strip_byte = static_cast<uint8_t>(step.from[0]);
      record.strip_most = static_cast<uint32_t>(step.count);
    }
  }
  std::vector<int> bytes(texts.size(), -1);  // of the ids of SentencePiece that stand for one
  for (size_t byte = 0; record.sentencepiece != 0 && byte < spec.byte_ids.size(); ++byte) {
    const uint32_t id = spec.byte_ids[byte];
    if (id < bytes.size()) bytes[id] = static_cast<int>(byte);
  }
  const auto add = [&](bool begins_row, bool ends_row, SectionId ends_id, SectionId bytes_id) {
    Texts decoded;
    std::string text;
    for (size_t id = 0; id < texts.size(); ++id) {
      text = texts[id];
      decode_token(text, spec, begins_row, ends_row);
      const int byte = bytes[id] < 0 && has_bytes ? byte_of(text) : bytes[id];
      if (byte >= 0) {
        flags[id] |= kIsByte;
        text = static_cast<char>(byte);
      }
      decoded.add(begins_row ? std::string_view() : between, text);
    }
    decoded.place(sections, ends_id, bytes_id);
  };
  add(false, false, kTokenEnds, kTokenTexts);
  if (differs_first) add(true, false, kFirstEnds, kFirstTexts);
  if (differs_last) add(false, true, kLastEnds, kLastTexts);
  sections.add(kIdFlags, flags);
  sections.add(kDecode, std::vector<DecodeRecord>{record});
}

}  // namespace

Charsmap charsmap_of(const Spec& spec) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(spec.charsmap.data());
  return Charsmap({begin, begin + spec.charsmap.size()});
}

// Adds the text of each token: that of a directive `text`, else the content of an added token, normalized if it is
// found in normalized text, else the token. A decoder of WordPiece puts a space before each one but the first of a row,
// and before those that do not have the prefix.
void add_token_texts(Sections& sections, const TokenIds& tokens, const Spec& spec) {
  size_t num_ids = tokens.texts.size();
  for (const AddedToken& added : spec.added) num_ids = std::max(num_ids, size_t{added.id} + 1);
  for (const TokenText& text : spec.texts) num_ids = std::max(num_ids, size_t{text.id} + 1);
  std::vector<std::string_view> texts(tokens.texts.begin(), tokens.texts.end());
  texts.resize(num_ids);
  std::deque<std::string> contents;
  std::vector<uint8_t> flags(num_ids);
  SubwordNormalizer normalizer(spec.steps, spec.step_texts, {charsmap_of(spec), {}});
  std::set<std::string_view> specials;
  for (const AddedToken& added : spec.added) {
    if ((added.flags & kSpecial) != 0) specials.insert(added.content);
  }
  for (const AddedToken& added : spec.added) {
    texts[added.id] = contents.emplace_back(normalizer.content_of(added));
    // This is what `tokenizers` does, which searches for the text of the id among those of special tokens.
    flags[added.id] = specials.count(texts[added.id]) != 0 ? kIsSpecial : 0;
  }
  for (const TokenText& text : spec.texts) texts[text.id] = text.bytes;
  if (spec.decoder == Spec::Decoder::kSteps) return add_decoded(sections, spec, texts, flags);
  sections.add(kIdFlags, flags);
  if (spec.decoder == Spec::Decoder::kWordPiece) {
    const std::string& prefix = spec.decoder_prefix;
    Texts first, others;
    std::string text;
    for (const std::string_view token : texts) {
      text = token;
      if (spec.cleans_up) clean_up(text);
      first.add("", text);
      const bool has_prefix = token.compare(0, prefix.size(), prefix) == 0;
      text.assign(has_prefix ? 0 : 1, ' ').append(has_prefix ? token.substr(prefix.size()) : token);
      if (spec.cleans_up) clean_up(text);
      others.add("", text);
    }
    first.place(sections, kFirstEnds, kFirstTexts);
    return others.place(sections, kTokenEnds, kTokenTexts);
  }
  Texts(texts).place(sections, kTokenEnds, kTokenTexts);
}

}  // namespace stringops::kernels
