// The settings of a subword tokenizer, and the text that they are written in: one directive a line, as Python writes
// it.
//
//   subword 1                            first line: the version
//   model bpe | wordpiece <prefix> <n>   the prefix of pieces inside words; words of more than n characters are unknown
//   model unigram huggingface | sentencepiece   whose rules hold; `numbers` are scores
//   model sentencepiece_bpe              `numbers` are scores
//   bytes 0 | 1                          the first symbols are characters, or bytes (the default)
//   merges listed | ranks                ranks: each pair of tokens merges that makes a token, the least id first
//   whole 0 | 1                          a piece that is a token is not merged; always 1 with ranks
//   unk <id>                             of a symbol that is not a token, or of an unknown word; -1: it is left out; in
//                                        Unigram an error
//   byte_fallback 0 | 1                  a character that is no token becomes the tokens <0x00> to <0xFF> of its bytes
//   fuse_unk 0 | 1                       adjacent characters that are not tokens become one unknown token
//   continuing_prefix <text>             what the symbols of a word but the first begin with
//   word_suffix <text>                   what the last symbol of a word ends with
//   unk_score <bits>                     of Unigram: the score of an unknown character, float64, big-endian
//   byte_ids <id> ...                    of Unigram: 256 ids of the bytes of unknown characters, -1: none
//   frozen <id> ...                      of SentencePiece: pieces that the user defined
//   unused <id> ...                      of SentencePiece: pieces that are taken apart again
//   charsmap <bytes>                     rules of `normalize precompiled` or `sentencepiece`
//   normalize ...                        steps, in order
//     nfc | nfd | nfkc | nfkd | strip_accents | nmt | bert <clean> <split_chinese> <strip_accents> <lower>
//     prepend <text> | replace <text> <by> | lower | strip <left> <right>
//     precompiled | sentencepiece <dummy prefix> <remove spaces> <escape> <suffix>
//     runs blank | whitespace <n> <by>   replaces runs of n U+0020 or more, or of whitespace
//   split <scanner> <key>=<value> ...    in order; token_rules.h, class_patterns.h, `whitespace`, and
//     published <library> <text> ...     published patterns, each of which divides the pieces of the one before, as
//     they
//                                        are written for the library, `onig` or `fancy` (token_rules.h)
//     literal <text> <behavior> <invert> at a text; `behavior` as tokenizers names it
//     pattern <text> <behavior> <invert> at the leftmost-first matches of a regular expression (regex/pattern.h)
//     punctuation <behavior>             at each character of punctuation
//     fixed <n>                          n <= 255 characters each
//     metaspace <by> always | first | never <split>
//   prefix_space 0 | 1                   among the splits: a space before pieces that do not begin with one
//   added_match longest | first          of several added tokens at a place, the longest, or that of the first line
//   added <id> <flags> <content>         flags: sum of the first five of AddedFlag
//   template_single <id>|A[:<type>] ...  the ids around those of a string, for add_special_tokens; Python keeps types
//   template_pair <id>|A|B:<type> ...    the same of two strings, with the type of each id; else A:0 B:1
//   name <id> <text>                     of an id that no text gives; kept by Python
//   decode bytelevel | wordpiece <prefix> <clean up>, or steps in this order:
//     replace <text> <by> | metaspace <text> <drops first> | suffix <text> | strip <byte> <n>    of each token
//     sentencepiece <0 | 1 | 2>          as SentencePiece: the first token loses a space if 1, each before a text if 2
//     byte_fallback                      tokens <0x00> to <0xFF> become bytes; runs that are not UTF-8, U+FFFD
//     join <text>                        between tokens
//     fuse_strip <byte> <n>              at most n such bytes at the beginning of a row are left out
//   text <id> <bytes>                    what an id is decoded to, if not the content of an added token or the piece
//   warm <text> ...                      texts whose words are found as a whole, as tokens are: the commonest ones
//
// Numbers are decimal. Texts, contents and bytes are hexadecimal, "-" if empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stringops::subword {

// A transformation of the pieces so far, as tables store it.
struct Step {
  enum Kind : uint8_t {
    kNfc = 1,
    kPrefixSpace,
    kGpt2,
    kLlama3,
    kO200k,
    kDeepseek,
    kBert,
    kPrepend,    // `to`
    kReplace,    // `from` by `to`
    kBlankRuns,  // of `least` U+0020 or more, by `to`
    kSpaceRuns,  // of `least` whitespace characters or more, by `to`
    kLower,
    kStrip,          // `option`: sum of Side
    kMetaspace,      // `from` by `to`, which `option`, of Metaspace or 0, also puts before pieces without it
    kLiteral,        // at a text, `from`; `option`: Behavior; tables have it as kPattern
    kWhitespace,     // words are what stands between whitespace
    kBlankWords,     // before each run of U+0020
    kPrecompiled,    // a charsmap, as Hugging Face applies it
    kSentencePiece,  // the normalizer of SentencePiece; `option`: sum of SentencePieceRules::Flag
    kNfd,
    kNfkd,
    kDropMarks,  // combining marks
    kNmt,        // control characters are dropped, whitespace and some others become spaces
    kPattern,    // at matches of the pattern `from`; `option`: Behavior
    kLast
  };
  enum Bert : uint8_t { kClean = 1, kSplitChinese = 2, kStripAccents = 4, kLowerCase = 8 };
  enum Contractions : uint8_t { kNone, kLowerOnly, kAnyCase };
  enum Side : uint8_t { kLeft = 1, kRight = 2 };
  enum Metaspace : uint8_t { kAlways = 1, kFirst = 2 };
  enum Behavior : uint8_t { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous, kLastBehavior };

  uint8_t kind = 0;
  uint8_t digits = 0;  // the most numbers of a piece, 0: any
  uint8_t marks = 0;
  uint8_t newline_tail = 0;  // newlines after signs belong to their piece
  uint8_t slash_tail = 0;    // so do slashes
  uint8_t contractions = kNone;
  uint8_t end_first = 0;  // whitespace at the end is one piece, even with newlines (tiktoken)
  uint8_t bert = 0;       // of kBert: sum of Bert
  uint8_t option = 0;
  uint8_t invert = 0;  // of kLiteral and kPattern: matches and what is between them change places
  uint8_t least = 0;
  uint8_t unused = 0;
  uint16_t from = 0, to = 0;  // positions among the texts of steps

  static Step of(Kind kind) {
    Step step;
    step.kind = kind;
    return step;
  }
};
static_assert(sizeof(Step) == 16);

// Whether a table may hold the steps. The texts of steps bound how much longer than a text its pieces can be.
bool are_valid(const std::vector<Step>& steps, const std::vector<std::string>& texts, size_t num_patterns);

enum AddedFlag : uint32_t {
  kSpecial = 1,
  kSingleWord = 2,
  kLeftStrip = 4,
  kRightStrip = 8,
  kNormalized = 16,  // found in normalized text, and normalized itself
  kIsNormal = 32,    // not normalized itself; not in the text of settings
};

struct AddedToken {
  uint32_t id;
  uint32_t flags;
  std::string content;
};

struct TokenText {
  uint32_t id;
  std::string bytes;
};

// An id around two strings, or kFirst or kSecond for the ids of one of them; and their type.
struct PairItem {
  static constexpr uint32_t kFirst = 0xFFFFFFFF, kSecond = 0xFFFFFFFE;
  uint32_t id;
  uint32_t type;
};

// Whether each of the two strings is among the items once.
bool has_both(const std::vector<PairItem>& items);

struct DecodeStep {
  enum Kind { kReplace, kMetaspace, kSuffix, kStrip, kByteFallback, kJoin, kFuseReplace, kFuseStrip, kSentencePiece };
  Kind kind;
  std::string from, to;
  int64_t count = 0;  // of kStrip and kFuseStrip; of kMetaspace, whether the first token loses `from`
};

struct Spec {
  enum class Model { kBpe, kWordPiece, kUnigram, kConcatenationBpe };
  Model model = Model::kBpe;
  std::string prefix;  // of WordPiece
  int64_t max_codepoints = 0;
  bool characters = false;  // not bytes
  bool byte_fallback = false;
  bool fuses_unknown = false;
  std::string continuing_prefix, word_suffix;
  bool is_sentencepiece = false;  // of Unigram
  double unknown_score = 0;
  std::vector<uint32_t> byte_ids;
  std::vector<uint32_t> frozen, unused;  // ids, of models of SentencePiece
  bool has_independent_words = false;    // of such a model: as in ConcatenationBpe; set by write_model_spaces
  std::string charsmap;
  bool ranks = false;
  bool whole = false;
  int64_t unknown_id = -1;
  std::vector<Step> steps;
  std::vector<std::string> step_texts;
  std::vector<std::string> patterns;
  std::vector<AddedToken> added;
  bool first_match = false;
  std::vector<uint32_t> before, after;  // template_single
  std::vector<PairItem> pair = {{PairItem::kFirst, 0}, {PairItem::kSecond, 1}};
  enum class Decoder { kByteLevel, kWordPiece, kSteps };
  Decoder decoder = Decoder::kByteLevel;
  bool decodes = false;                  // whether it was given
  std::vector<DecodeStep> decode_steps;  // of kSteps
  std::string decoder_prefix;            // of kWordPiece
  bool cleans_up = false;
  std::vector<TokenText> texts;
  std::vector<std::string> warm;
};

constexpr int64_t kMaxIds = (1 << 21) - 1;  // ids are below it; three of them fit into 64 bits
constexpr int64_t kMaxSteps = 32;
constexpr size_t kMaxStepText = 255;  // bytes
constexpr size_t kMaxReplaced = 4;    // bytes, of kFuseReplace
constexpr int64_t kMaxTemplate = 1024;

// Throws std::invalid_argument, naming the operator and the line.
Spec parse_spec(const char* op, std::string_view text);

}  // namespace stringops::subword
