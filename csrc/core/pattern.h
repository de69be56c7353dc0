// Regular expressions by RE2: Perl-like syntax, UTF-8, leftmost-longest matches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace stringops {

// The message names the fault and quotes the fragment that has it.
struct PatternError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
  size_t index = 0;  // of the pattern among several
};

struct Match {
  int64_t begin;
  int64_t end;
};

class Pattern {
 public:
  // From a cache of the most recently used patterns; thread-safe. Throws PatternError.
  static std::shared_ptr<const Pattern> compile(std::string_view text);

  explicit Pattern(std::string_view text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Finds the leftmost match at or after `from`, the longest of those that begin there; ^ and \b see the text before
  // `from`. Returns false if there is none.
  bool find(std::string_view text, int64_t from, Match* match) const;

  // Of the compiled program; the worst case of a search is proportional to their number.
  int64_t num_instructions() const { return num_instructions_; }

 private:
  void find_first_bytes(const std::string& pattern);

  std::unique_ptr<re2::RE2> re_;
  int64_t num_instructions_ = 1;
  int64_t max_bytes_ = 0;  // limit of re_'s memory
  // If set, every match has at least one byte and begins with a byte b for which first_[b] is true.
  bool has_first_ = false;
  std::array<bool, 256> first_{};
};

}  // namespace stringops
