// Patterns whose matches are runs of classes of code points: `\w+|[^\w\s]`, `\d+|[A-Z][a-z]+|[a-z]+`, and
// `'(?:[sdmt]|ll|ve|re)| ?\pL+| ?\pN+| ?[^\s\pL\pN]+|\s+(?!\S)|\s+`, and runs with single characters between them, as
// in `\d+(?:\.\d+)?|\w+(?:['-]\w+)*`.
//
// No two alternatives begin with the same code point, but for the lead. So the class of a code point, and those of the
// ones next to it, tell where a match begins and ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/char_class.h"
#include "regex/literal_set.h"
#include "regex/match_rule.h"
#include "regex/syntax.h"

namespace stringops {

// Maps code points to the numbers of classes, in two stages.
class ClassTable {
 public:
  static constexpr int kBits = 6;
  explicit ClassTable(const std::vector<CodepointSet>& classes);

  // The number of the class of the code point with these bits above the low ones, and with the low ones of `last`, the
  // last byte of its UTF-8; the number of classes if it has none.
  uint8_t at(uint32_t high, uint8_t last) const {
    return entries_[size_t{blocks_[high]} << kBits | (last & ((1u << kBits) - 1))];
  }

  // That of the code point beyond ASCII at p, of which 4 bytes can be read. What is not UTF-8 (race) has any class.
  uint8_t at(const uint8_t* p) const {
    const uint32_t second = p[1] & 0x3Fu;
    if (p[0] < 0xE0) return at(p[0] & 0x1Fu, p[1]);
    if (p[0] < 0xF0) return at((p[0] & 0xFu) << 6 | second, p[2]);
    return at(std::min((p[0] & 7u) << 12 | second << 6 | (p[2] & 0x3Fu), kMaxCodepoint >> kBits), p[3]);
  }
  // The same, reading no byte at `end`.
  uint8_t at(const uint8_t* p, const uint8_t* end) const {
    if (end - p >= 4) return at(p);
    uint8_t copy[4] = {};
    std::copy(p, end, copy);
    return at(copy);
  }

 private:
  std::vector<uint16_t> blocks_;
  std::vector<uint8_t> entries_;
};

struct ClassRule {
  static constexpr size_t kMaxClasses = 7;
  static constexpr int64_t kMaxMinimum = 64;

  enum class Kind : uint8_t {
    kRun,             // S+
    kSingle,          // S
    kPrefix,          // ST+, where T is another run; S is ASCII
    kOptionalPrefix,  // ST*
  };

  struct Class {
    Kind kind = Kind::kRun;
    CharSet chars;  // its ASCII characters; and all others, if they all are of this class
    bool has_beyond = false;
    bool has_lead = false;  // a character of `lead` before a match is part of it
    int follow = -1;        // of a prefix: the class T
    // Of a run: of `joints`, which are ASCII and not of the class, a character between two of its characters is part of
    // a match, too; or only the first one in a match.
    CharSet joints;
    bool joins_once = false;

    bool has_joints() const { return joints != CharSet(); }
  };

  std::vector<Class> classes;
  // For classes that have some of the code points beyond ASCII.
  std::shared_ptr<const ClassTable> table;
  // The lead, which is ASCII: of no class, or all of class `lead_class`. In a run of that class only the first
  // character can be a lead, unless the run gives its last one back.
  std::optional<CharSet> lead;
  int lead_class = -1;
  // The class of S in `S+(?!T)|S+`, where T are all others: before them, a run leaves its last character for the next
  // match, if it has two. Its code points are ASCII.
  int gives_back = -1;
  // A character, which is ASCII and of class `mark_class` or none, and endings of one or two characters that follow it
  // where a match begins with it: "'" and "s", "ll". They are ASCII and of runs.
  struct Ending {
    std::vector<CharSet> chars;
  };
  uint8_t mark = 0;
  int mark_class = -1;
  std::vector<Ending> endings;
  // If set, pieces are those of word_rule.h, and the classes letters, numbers, whitespace and others; if words end
  // where capitals begin, kUpper to kMark, where kOther are letters without case, which both parts of a word can have.
  struct Words {
    enum : uint8_t { kLetter, kUpper = kLetter, kNumber, kSpace, kRest, kLower, kOther, kMark };
    int64_t digits;  // the most numbers in a piece
    std::optional<LiteralSet> contractions;
    bool has_suffixes;    // contractions belong to the word before them, else they are pieces
    bool has_cases;       // capitals after others begin a word
    bool joins_last;      // whitespace at the end of a text is one piece
    CharSet blanks;       // whitespace but for newlines
    CharSet after_signs;  // what follows signs in their piece, after a newline: newlines and others, or nothing
  };
  std::shared_ptr<const Words> words;
  // Matches of fewer code points are left out.
  int64_t min_codepoints = 1;

  bool has_joints() const {
    return std::any_of(classes.begin(), classes.end(), [](const Class& c) { return c.has_joints(); });
  }
};

std::optional<ClassRule> class_rule(const Syntax& syntax, MatchRule rule);

// The rule of matches that have at least `min_codepoints`, or nothing: where a shorter match is left out, the next one
// is searched from its second code point on.
std::optional<ClassRule> with_minimum(const ClassRule& rule, int64_t min_codepoints);

// The rule of runs of a set.
std::optional<ClassRule> class_rule_of_runs(const CodepointSet& set);

}  // namespace stringops
