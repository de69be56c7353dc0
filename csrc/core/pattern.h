// Regular expressions: RE2 behind a few functions. Perl-like syntax, UTF-8, leftmost-longest.
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

// What is wrong with a pattern, and the fragment at fault.
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
  // Compiled patterns are kept, the most recently used ones; safe to call from any thread. Throws PatternError.
  static std::shared_ptr<const Pattern> compile(std::string_view text);

  explicit Pattern(std::string_view text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // The leftmost match at or after `from`, the longest of those that begin there; what stands before `from` is visible
  // to ^ and \b. False where there is none.
  bool find(std::string_view text, int64_t from, Match* match) const;

  // Of the program that the pattern was compiled to. What a search takes at worst grows with their number.
  int64_t num_instructions() const { return num_instructions_; }

 private:
  void find_first_bytes(const std::string& pattern);

  std::unique_ptr<re2::RE2> re_;
  int64_t num_instructions_ = 1;
  int64_t max_bytes_ = 0;  // of memory that re_ may take
  // Where this is set, every match is at least a byte long and begins with a byte b of which first_[b] is true.
  bool has_first_ = false;
  std::array<bool, 256> first_{};
};

}  // namespace stringops
