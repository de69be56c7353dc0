// An oracle for searches with patterns: a backtracking engine over a program's instructions. It tries the ways to match
// in their order, and none twice from the same instruction and position, so that it takes time in proportion to both.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "oracle.h"
#include "regex/match.h"
#include "regex/match_rule.h"
#include "regex/program.h"

namespace stringops::fuzz {

class Backtracker {
 public:
  Backtracker(const Syntax& syntax, MatchRule rule)
      : program_(Program::compile(syntax, true)),
        num_groups_(static_cast<size_t>(syntax.num_groups) + 1),
        rule_(rule) {}

  // The groups of the leftmost match at or after `from`, a boundary between code points.
  std::optional<std::vector<Match>> find(std::string_view text, int64_t from) const {
    for (size_t begin = static_cast<size_t>(from); begin <= text.size();) {
      if (auto groups = match_at(text, begin, false)) return groups;
      begin += begin < text.size() ? codepoint_at(text, begin) : 1;
    }
    return std::nullopt;
  }

  bool matches_all(std::string_view text) const { return match_at(text, 0, true).has_value(); }

 private:
  struct Way {
    uint32_t pc;
    size_t at;
    std::vector<Match> groups;
  };

  // Returns the class of the code point at `at`.
  uint32_t class_at(std::string_view text, size_t at, int64_t* length) const {
    if (at == text.size()) return program_.end_class();
    const auto* p = reinterpret_cast<const uint8_t*>(text.data());
    return program_.classes().next(p + at, p + text.size(), length);
  }

  bool holds(std::string_view text, size_t at, uint32_t assertion) const {
    const auto* p = reinterpret_cast<const uint8_t*>(text.data());
    int64_t ignored = 0;
    const uint16_t before = program_.kind_before(program_.classes().class_before(p, p + at, program_.end_class()));
    const uint16_t after = program_.kind_after(class_at(text, at, &ignored));
    return program_.truth(program_.context(before, after)) >> assertion & 1;
  }

  std::optional<std::vector<Match>> match_at(std::string_view text, size_t begin, bool is_whole) const {
    std::optional<std::vector<Match>> best;
    std::vector<bool> tried(program_.code().size() * (text.size() + 1));
    std::vector<Way> ways{{program_.pc(program_.start()), begin, std::vector<Match>(num_groups_, Match{-1, -1})}};
    while (!ways.empty()) {
      Way way = std::move(ways.back());
      ways.pop_back();
      if (tried[way.pc * (text.size() + 1) + way.at]) continue;
      tried[way.pc * (text.size() + 1) + way.at] = true;
      const Instruction& i = program_.code()[way.pc];
      way.pc = i.next;
      const auto at = static_cast<int64_t>(way.at);
      switch (i.op) {
        case Instruction::Op::kSet: {
          int64_t length = 1;
          const uint32_t c = class_at(text, way.at, &length);
          if (c == program_.end_class() || !program_.classes().contains(i.arg, static_cast<int32_t>(c))) continue;
          way.at += static_cast<size_t>(length);
          break;
        }
        case Instruction::Op::kEither:
          ways.push_back({i.other, way.at, way.groups});
          break;
        case Instruction::Op::kAssertion:
          if (!holds(text, way.at, i.arg)) continue;
          break;
        case Instruction::Op::kBorder:
          (i.arg & 1 ? way.groups[i.arg / 2].end : way.groups[i.arg / 2].begin) = at;
          break;
        case Instruction::Op::kFail:
          continue;
        case Instruction::Op::kMatch:
          if (is_whole && way.at != text.size()) continue;
          way.groups[0] = {static_cast<int64_t>(begin), at};
          if (!best || at > (*best)[0].end) best = std::move(way.groups);
          if (rule_ == MatchRule::kFirst) return best;
          continue;
        case Instruction::Op::kStart:
          break;
      }
      ways.push_back(std::move(way));
    }
    return best;
  }

  const Program program_;
  const size_t num_groups_;
  const MatchRule rule_;
};

}  // namespace stringops::fuzz
