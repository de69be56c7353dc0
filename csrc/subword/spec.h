// The settings of a subword tokenizer, and the text that they are written in: one directive a line, as Python writes
// it.
//
//   subword 1                            first line: the version
//   model bpe | wordpiece <prefix> <n>   the prefix of pieces inside words; words of more than n characters are unknown
//   bytes 1                              the first symbols are bytes
//   merges listed | ranks                ranks: each pair of tokens merges that makes a token, the least id first
//   whole 0 | 1                          a piece that is a token is not merged; always 1 with ranks
//   unk <id>                             of a byte that is no token; -1: the byte is left out; or of an unknown word
//   normalize nfc ... | bert <clean> <split_chinese> <strip_accents> <lower>
//   split <scanner> <key>=<value> ...    in order; scan.h, and `bert`
//   prefix_space 0 | 1                   among the splits: a space before pieces that do not begin with one
//   added_match longest | first          of several added tokens at a place, the longest, or that of the first line
//   added <id> <flags> <content>         flags: sum of AddedFlag
//   template_single <id>|A ...           the ids around those of a string, for add_special_tokens
//   template_pair ...                    kept by Python
//   decode bytelevel | wordpiece <prefix> <clean up>
//   text <id> <bytes>                    what an id is decoded to, if not the content of an added token or the piece
//
// Numbers are decimal. Contents and bytes are hexadecimal, "-" if empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stringops::subword {

// A transformation of the pieces so far, in eight bytes, as tables store it.
struct Step {
  enum Kind : uint8_t {
    kNfc = 1,
    kPrefixSpace,
    kGpt2,
    kLlama3,
    kO200k,
    kDigits,
    kDigitRuns,
    kCjk,
    kDeepseek,
    kBert,
    kBertWords,
    kLast
  };
  enum Bert : uint8_t { kClean = 1, kSplitChinese = 2, kStripAccents = 4, kLower = 8 };
  enum Contractions : uint8_t { kNone, kLowerCase, kAnyCase };

  uint8_t kind = 0;
  uint8_t digits = 0;  // the most numbers of a piece, 0: any
  uint8_t marks = 0;
  uint8_t newline_tail = 0;  // newlines after signs belong to their piece
  uint8_t slash_tail = 0;    // so do slashes
  uint8_t contractions = kNone;
  uint8_t end_first = 0;  // whitespace at the end is one piece, even with newlines (tiktoken)
  uint8_t bert = 0;       // of kBert: sum of Bert
};
static_assert(sizeof(Step) == 8);

// Whether a table may hold the step.
bool is_valid(const Step& step);

enum AddedFlag : uint32_t { kSpecial = 1, kSingleWord = 2, kLeftStrip = 4, kRightStrip = 8, kNormalized = 16 };

struct AddedToken {
  uint32_t id;
  uint32_t flags;
  std::string content;
};

struct TokenText {
  uint32_t id;
  std::string bytes;
};

struct Spec {
  bool is_wordpiece = false;
  std::string prefix;  // of WordPiece
  int64_t max_codepoints = 0;
  bool ranks = false;
  bool whole = false;
  int64_t unknown_id = -1;
  std::vector<Step> steps;
  std::vector<AddedToken> added;
  bool first_match = false;
  std::vector<uint32_t> before, after;  // template_single
  enum class Decoder { kByteLevel, kWordPiece };
  Decoder decoder = Decoder::kByteLevel;
  std::string decoder_prefix;  // of kWordPiece
  bool cleans_up = false;
  std::vector<TokenText> texts;
};

constexpr int64_t kMaxIds = (1 << 21) - 1;  // ids are below it; three of them fit into 64 bits
constexpr int64_t kMaxSteps = 32;
constexpr int64_t kMaxTemplate = 1024;

// Throws std::invalid_argument, naming the operator and the line.
Spec parse_spec(const char* op, std::string_view text);

}  // namespace stringops::subword
