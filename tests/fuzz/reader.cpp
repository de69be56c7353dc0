// Files of subword tokenizers: JSON of any kind, values that are written and read again, ranks in base64, and pieces of
// SentencePiece.
#include "convert/json_values.h"
#include "convert/sentencepiece_pieces.h"
#include "fuzz.h"
#include "input.h"

namespace stringops::fuzz {
namespace {

using convert::JsonCut;
using convert::JsonError;
using convert::JsonMerges;
using convert::JsonPieces;
using convert::JsonTokens;
using convert::JsonVocabulary;
using convert::MessageError;
using convert::ReadStrings;
using convert::SentencePiecePieces;

StringView view_of(const Bytes& bytes) {
  return {bytes.data(), bytes.data() + bytes.size()};
}

// Calls read(), whose text may be malformed. Returns whether it is not.
template <class Read>
bool reads(Read&& read) {
  try {
    read();
  } catch (const JsonError&) {
    return false;
  }
  return true;
}

void require_strings(const ReadStrings& strings) {
  REQUIRE(std::is_sorted(strings.offsets.begin(), strings.offsets.end()));
  REQUIRE(strings.offsets.empty() || static_cast<size_t>(strings.offsets.back()) == strings.data.size());
}

constexpr std::string_view kParts[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       ",",
                                       ":",
                                       "\"",
                                       "\"a\"",
                                       "\"a b\"",
                                       "\"vocab\":",
                                       "\"model\":{",
                                       "\"merges\":",
                                       "\\",
                                       "\\n",
                                       "\\ud83d",
                                       "\\ude00",
                                       "\\u12",
                                       " ",
                                       "\n",
                                       "-",
                                       "0",
                                       "1",
                                       "12345678901234567890123",
                                       ".5",
                                       "e-400",
                                       "E+9",
                                       "NaN",
                                       "-Infinity",
                                       "null",
                                       "\xC3\xA9",
                                       "\"token_bytes\":",
                                       "\"QUI=\""};

// Any text, of parts of JSON: only bytes of the text are read, and what is cut out is where it was.
FUZZ_TARGET(json) {
  const int64_t count = in.below(9);
  std::string text;
  while (in.left() > 0) {
    const uint8_t part = static_cast<uint8_t>(in.take_front(1)[0]);
    text += part < 4 * std::size(kParts) ? kParts[part % std::size(kParts)] : std::string_view("a");
  }
  const Bytes bytes = bytes_of(text);
  const StringView view = view_of(bytes);
  reads([&] { require_strings(JsonVocabulary(view).tokens); });
  reads([&] { require_strings(JsonMerges(view).tokens); });
  reads([&] {
    const JsonPieces found(view);
    require_strings(found.pieces);
    require_strings(found.scores);
    REQUIRE(found.imprecise_scores.size() + 1 == found.scores.offsets.size());
  });
  reads([&] {
    const JsonTokens found(view, count);
    require_strings(found.tokens);
    REQUIRE(static_cast<int64_t>(found.tokens.offsets.size()) <= 1 + std::min(count, found.size));
  });
  reads([&] {
    const JsonCut cut(view);
    size_t size = cut.rest.size();
    const uint8_t* end = view.begin;
    for (size_t i = 0; i < cut.values.size(); ++i) {
      const StringView value = cut.values[i];
      REQUIRE(end <= value.begin && value.begin < value.end && value.end <= view.end);
      end = value.end;
      size += static_cast<size_t>(value.size()) - std::to_string(i).size();
    }
    REQUIRE(size == text.size());
  });
}

std::string quoted_json(const std::string& text, Input& in) {
  std::string found = "\"";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    char escape[8];
    if (byte < ' ' || (byte < 0x80 && in.byte() % 8 == 7)) {
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      found += escape;
    } else {
      found += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
  }
  return found + "\"";
}

// Tokens that are written as each kind of value, and read again.
FUZZ_TARGET(json_tokens) {
  std::vector<std::string> tokens(static_cast<size_t>(2 * in.below(9)));
  for (std::string& token : tokens) token = take_text(in, in.below(6));
  std::string object = "{", list = "[", merges = " [";
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string token = quoted_json(tokens[i], in), comma = i == 0 ? "" : ",";
    object += comma + token + ": " + std::to_string(i);
    list += comma + "[" + token + " ,-0.5]";
    merges += i % 2 == 0 ? comma + "[" + token : "," + token + "]";
  }
  const Bytes texts[] = {bytes_of(object + "}"), bytes_of(list + "]\n"), bytes_of(merges + "]")};
  const JsonVocabulary vocabulary(view_of(texts[0]));
  const JsonPieces pieces(view_of(texts[1]));
  const JsonMerges read_merges(view_of(texts[2]));
  REQUIRE(read_merges.bad.begin == nullptr && read_merges.tokens.offsets.size() == tokens.size() / 2 * 3);
  size_t at = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    REQUIRE(vocabulary.tokens.data.compare(at, tokens[i].size(), tokens[i]) == 0);
    REQUIRE(read_merges.tokens.offsets[i / 2 * 3 + i % 2] == static_cast<int32_t>(at));
    at += tokens[i].size();
    REQUIRE(vocabulary.tokens.offsets[i + 1] == static_cast<int32_t>(at) &&
            vocabulary.ids[i] == static_cast<int64_t>(i));
    REQUIRE(pieces.imprecise_scores[i] == -0.5);
  }
  REQUIRE(pieces.pieces.data == vocabulary.tokens.data && pieces.pieces.offsets == vocabulary.tokens.offsets);
  REQUIRE(read_merges.tokens.data == vocabulary.tokens.data);
}

std::string message_field(char key, const std::string& bytes) {
  return std::string{key, static_cast<char>(bytes.size())} + bytes;
}

// Short enough that the sizes of messages around it take one byte.
std::string take_short(Input& in, int64_t n) {
  return take_text(in, n).substr(0, 100);
}

// A model of SentencePiece, of which one byte may be changed, and the end may be cut off.
FUZZ_TARGET(sentencepiece_pieces) {
  const bool damages = in.flag();
  const size_t place = static_cast<size_t>(in.below(300)), cut = static_cast<size_t>(in.below(300));
  const char by = static_cast<char>(in.byte());
  std::string model, want, rest;
  const int64_t count = in.below(8);
  for (int64_t i = 0; i < count; ++i) {
    const std::string text = take_short(in, in.below(20));
    const std::string score(in.flag() ? std::string("\x15\x00\x00\x80\x3f", 5) : "");
    model += message_field(0x0A, message_field(0x0A, text) + score + "\x18\x06");
    want += text;
    if (in.flag()) {
      const std::string other = message_field(0x12, take_short(in, in.below(9)));
      model += other;
      rest += other;
    }
  }
  if (damages && place < model.size()) model[place] = by;
  if (damages && cut < model.size()) model.resize(cut);
  const Bytes bytes = bytes_of(model);
  try {
    const SentencePiecePieces found(view_of(bytes));
    require_strings(found.texts);
    REQUIRE(found.texts.offsets.size() == found.scores.size() + 1 && found.kinds.size() == found.scores.size());
    if (damages) return;
    REQUIRE(found.texts.data == want && found.rest == rest);
    for (const int32_t kind : found.kinds) REQUIRE(kind == 6);
  } catch (const MessageError&) {
    REQUIRE(damages);
  }
}

}  // namespace
}  // namespace stringops::fuzz
