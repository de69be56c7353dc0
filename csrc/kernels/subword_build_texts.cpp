#include "kernels/subword_build_texts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/subword_normalizer.h"

namespace stringops::kernels {
namespace {

using namespace subword;

void add_texts(Sections& sections, const std::vector<std::string>& texts, SectionId ends_id, SectionId bytes_id) {
  std::vector<uint32_t> ends;
  std::vector<uint8_t> bytes;
  for (const std::string& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(static_cast<uint32_t>(bytes.size()));
  }
  sections.add(ends_id, ends);
  sections.add(bytes_id, bytes);
}

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
  for (const auto& [from, to] : kReplacements) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  }
}

}  // namespace

// Of a directive `text`, else the content of an added token, normalized if it is found in normalized text, else the
// token. A decoder of WordPiece puts a space before
// each one but the first of a row, and before those that have not the prefix.
void add_token_texts(Sections& sections, const TokenIds& tokens, const Spec& spec) {
  size_t num_ids = tokens.texts.size();
  for (const AddedToken& added : spec.added) num_ids = std::max(num_ids, size_t{added.id} + 1);
  for (const TokenText& text : spec.texts) num_ids = std::max(num_ids, size_t{text.id} + 1);
  std::vector<std::string> texts(tokens.texts.begin(), tokens.texts.end());
  texts.resize(num_ids);
  std::vector<uint8_t> special(num_ids);
  SubwordNormalizer normalizer(spec.steps);
  for (const AddedToken& added : spec.added) {
    texts[added.id] = normalizer.content_of(added);
    special[added.id] = (added.flags & kSpecial) != 0;
  }
  for (const TokenText& text : spec.texts) texts[text.id] = text.bytes;
  sections.add(kSpecialIds, special);
  if (spec.decoder == Spec::Decoder::kWordPiece) {
    std::vector<std::string> first = texts;
    for (std::string& text : texts) {
      const std::string& prefix = spec.decoder_prefix;
      const bool has_prefix = text.compare(0, prefix.size(), prefix) == 0;
      text = has_prefix ? text.substr(prefix.size()) : ' ' + text;
    }
    if (spec.cleans_up) {
      std::for_each(first.begin(), first.end(), clean_up);
      std::for_each(texts.begin(), texts.end(), clean_up);
    }
    add_texts(sections, first, kFirstEnds, kFirstTexts);
  }
  add_texts(sections, texts, kTokenEnds, kTokenTexts);
}

}  // namespace stringops::kernels
