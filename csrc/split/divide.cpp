#include "split/divide.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/whitespace.h"

namespace stringops::kernels {
namespace {

// How far after the position that would divide the bytes evenly a boundary is searched for.
constexpr int64_t kMaxSearch = 64 * 1024;

// The first position in [from, end) after a match of the delimiter that overlaps no other in the string, which begins
// at `begin`: which of several overlapping matches count depends on the first of them. `end` if there is none.
const uint8_t* after_delimiter(std::string_view delimiter, const uint8_t* begin, const uint8_t* from,
                               const uint8_t* end) {
  const auto length = static_cast<int64_t>(delimiter.size());
  const auto matches_at = [&](const uint8_t* p) {
    return end - p >= length && std::memcmp(p, delimiter.data(), delimiter.size()) == 0;
  };
  for (int64_t tries = 0; tries < kMaxBoundaryTries && end - from >= length; ++tries) {
    const auto* at =
        static_cast<const uint8_t*>(memmem(from, static_cast<size_t>(end - from), delimiter.data(), delimiter.size()));
    if (at == nullptr) return end;
    bool overlaps = false;
    for (const uint8_t* p = std::max(begin, at - length + 1); p < at + length && !overlaps; ++p) {
      overlaps = p != at && matches_at(p);
    }
    if (!overlaps) return at + length;
    from = at + 1;
  }
  return end;
}

// Whether the two bytes tell that a piece ends between them, if the first one belongs to a piece.
bool divides(const ClassRule& rule, uint8_t last, uint8_t next) {
  if (last >= 0x80 || next >= 0x80) return false;
  if (rule.words) return next == ' ' && ((last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z'));
  if ((rule.lead && rule.lead->contains(last)) || (!rule.endings.empty() && last == rule.mark)) return false;
  for (const ClassRule::Class& c : rule.classes) {
    if (c.joints.contains(last) || c.joints.contains(next)) return false;
  }
  for (size_t k = 0; k < rule.classes.size(); ++k) {
    const ClassRule::Class& c = rule.classes[k];
    if (!c.chars.contains(last)) continue;
    if (c.kind == ClassRule::Kind::kSingle) return true;
    return c.kind == ClassRule::Kind::kRun && static_cast<int>(k) != rule.gives_back && !c.chars.contains(next);
  }
  return true;
}

std::array<bool, 256> bytes_of(const LiteralSet& literals) {
  std::array<bool, 256> bytes{};
  for (const std::string& text : literals.texts()) {
    for (const char c : text) bytes[static_cast<uint8_t>(c)] = true;
  }
  return bytes;
}

// The first position in [from, end) at which a string may be divided, or `end`. `from` is after the string's first
// byte.
const uint8_t* find_boundary(const BlockRule& rule, const uint8_t* begin, const uint8_t* from, const uint8_t* end) {
  const auto advance_to = [&](auto is_boundary) {
    while (from < end && !is_boundary()) ++from;
    return from;
  };
  switch (rule.kind) {
    case BlockRule::Kind::kWhitespaceWords:
      return advance_to([&] { return is_ascii_whitespace(from[-1]); });
    case BlockRule::Kind::kSetWords:
      return advance_to([&] { return rule.set.contains(from[-1]) && !is_continuation(*from); });
    case BlockRule::Kind::kCodepoints:
    case BlockRule::Kind::kSetChars:
      return advance_to([&] { return !is_continuation(*from); });
    case BlockRule::Kind::kClasses:
      return advance_to([&] { return divides(*rule.classes, from[-1], *from); });
    case BlockRule::Kind::kLiterals: {
      const std::array<bool, 256> bytes = bytes_of(*rule.literals);
      return advance_to([&] { return !bytes[from[-1]] && !is_continuation(*from); });
    }
    case BlockRule::Kind::kSeparatedWords: {
      const CharSet last = rule.separators->last();
      return advance_to([&] { return last.contains(from[-1]); });
    }
    case BlockRule::Kind::kMatches:
      if (!rule.pattern->run_before()) return end;  // a match can go on anywhere
      return advance_to([&] { return !rule.pattern->run_before()->run.contains(from[-1]) && !is_continuation(*from); });
    default:
      return after_delimiter(rule.delimiter, begin, from, end);
  }
}

// The cuts from the beginning of the string of both positions to `end`; those before `begin` are known. Stops at the
// limit.
int64_t count_cuts(const StringSpan& in, const BlockRule& rule, Position begin, Position end) {
  BlockReader reader(in, begin, end);
  BlockSplitter masks(rule, simd::primitives(), begin.cuts);
  Block block;
  int64_t cuts = begin.cuts;
  while (cuts < rule.max_cuts && reader.next(block)) {
    masks.split(block);
    cuts = masks.cuts();
  }
  return cuts;
}

}  // namespace

Partition divide_inside_strings(const StringSpan& in, int64_t tasks, const BlockRule& rule) {
  const bool inside_strings = static_cast<int64_t>(rule.delimiter.size()) <= kMaxBoundaryDelimiter;
  Partition partition = divide_evenly(in, tasks, inside_strings);
  for (int64_t task = 1; task < partition.tasks; ++task) {
    Position& at = partition.positions[static_cast<size_t>(task)];
    const Position before = partition.begin(task - 1);
    // The previous position may have moved past this one.
    if (!(before < at)) {
      at = before;
      continue;
    }
    if (at.skip == 0) continue;
    const ByteRange range = in.range(at.index / in.cols, at.index % in.cols);
    const uint8_t* const begin = in.data + range.begin;
    const uint8_t* const from = begin + std::min(at.skip, range.size());
    const uint8_t* const end = begin + std::min(range.size(), from - begin + kMaxSearch);
    const int64_t skip = find_boundary(rule, begin, from, end) - begin;
    if (skip == end - begin) {
      // Without a boundary here, the task before has no work, and the one after both.
      at = skip < range.size() ? before : Position{at.index + 1, 0};
      continue;
    }
    at = {at.index, skip};
    if (rule.max_cuts < 0) continue;
    at.cuts = count_cuts(in, rule, before.index == at.index ? before : Position{at.index}, at);
    if (at.cuts >= rule.max_cuts) at = {at.index + 1, 0};  // the rest of the string is one piece
  }
  return partition;
}

}  // namespace stringops::kernels
