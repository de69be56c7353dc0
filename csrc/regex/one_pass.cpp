#include "regex/one_pass.h"

#include <algorithm>

#include "regex/closure.h"

namespace stringops {
namespace {

constexpr size_t kMaxEntries = 1 << 16;
constexpr size_t kMaxBorders = 1 << 18;         // in all lists
constexpr int64_t kLong = 4;                    // characters of a loop after which its end is searched for
constexpr int64_t kMaxOnePassVisits = 1 << 22;  // instructions: 10 ms

}  // namespace

std::unique_ptr<const OnePass> OnePass::compile(const Program& program) {
  std::unique_ptr<OnePass> one_pass(new OnePass(program));
  return one_pass->fill() ? std::move(one_pass) : nullptr;
}

bool OnePass::fill() {
  const uint32_t num_classes = program_.num_classes();
  num_kinds_ = program_.num_kinds_before();
  const size_t num_rows = size_t{num_kinds_} * (program_.start() + 1);
  if (num_rows * num_classes > kMaxEntries) return false;
  entries_.resize(num_rows * num_classes);
  list_of({});
  Closure closure(program_, Direction::kForward);
  int64_t left = kMaxOnePassVisits;
  std::vector<Way> ways;
  for (uint32_t row = 0; row < num_rows; ++row) {
    const uint32_t node = row < num_kinds_ ? program_.start() : row / num_kinds_ - 1;
    const auto kind = static_cast<uint16_t>(row % num_kinds_);
    for (uint16_t after = 0; after < program_.num_kinds_after(); ++after) {
      closure.begin(program_.truth(program_.context(kind, after)), left);
      ways.clear();
      closure.follow(node, [&](uint32_t target) {
        ways.push_back({target, list_of(closure.borders())});
        return num_borders_ <= kMaxBorders;
      });
      left -= closure.num_visited();
      if (left < 0 || num_borders_ > kMaxBorders) return false;
      for (uint32_t c = 0; c < num_classes; ++c) {
        if (program_.kind_after(c) != after) continue;
        for (const Way way : ways) {
          if (!add_way(way, row, c)) return false;
        }
      }
    }
  }
  lists_.clear();
  find_loops();
  return true;
}

uint32_t OnePass::list_of(const std::vector<uint32_t>& borders) {
  const auto [found, fresh] = lists_.emplace(borders, static_cast<uint32_t>(borders_.size()));
  if (fresh) {
    borders_.push_back(borders);
    num_borders_ += borders.size();
  }
  return found->second;
}

// Returns false if there is another one for a code point of class c.
bool OnePass::add_way(Way way, uint32_t row, uint32_t c) {
  Entry& entry = entries_[size_t{row} * program_.num_classes() + c];
  if (way.node == program_.accept()) {
    entry.can_end = true;
    entry.prefers_end = entry.next == 0;
    entry.captures_at_end = way.captures;
  } else if (c != program_.end_class() && program_.takes(way.node, c)) {
    if (entry.next != 0) return false;
    entry.next = ((way.node + 1) * num_kinds_ + program_.kind_before(c)) * program_.num_classes();
    entry.captures = way.captures;
  }
  return true;
}

void OnePass::find_loops() {
  const CodepointClasses& classes = program_.classes();
  const uint32_t num_classes = program_.num_classes();
  loops_.resize(entries_.size() / num_classes);
  for (uint32_t row = 0; row < loops_.size(); ++row) {
    Entry* const entries = &entries_[size_t{row} * num_classes];
    CharSet& loop = loops_[row];
    loop.beyond_ascii = true;
    const auto is_loop = [&](uint32_t c) {
      return entries[c].next == row * num_classes && entries[c].captures == 0 && !entries[c].can_end;
    };
    for (uint32_t c = 0; c < program_.end_class(); ++c) {
      Entry& entry = entries[c];
      const bool is_plain = entry.next != 0 && entry.captures == 0 && !entry.can_end;
      entry.kind = is_loop(c) ? Entry::kLoop : is_plain ? Entry::kPlain : Entry::kOther;
      loop.beyond_ascii &= is_loop(c) || !classes.is_beyond_ascii(c);
    }
    for (uint8_t b = 0; b < 0x80; ++b) {
      if (is_loop(classes.of_ascii(b))) loop.add(b);
    }
  }
}

int64_t OnePass::match(const uint8_t* text, int64_t size, int64_t begin, Match* groups, int64_t count) const {
  const CodepointClasses& classes = program_.classes();
  const uint32_t end_class = program_.end_class();
  const auto pass = [&](uint32_t list, int64_t place) {
    const std::vector<uint32_t>& borders = borders_[list];
    set_borders(borders.data(), borders.data() + borders.size(), place, groups, count);
  };
  std::fill(groups, groups + count, Match{-1, -1});
  // The last match on the way, and its groups once they differ from those so far.
  int64_t end = -1;
  uint32_t captures_at_end = 0;
  std::vector<Match> kept;
  int64_t at = begin, repeated = 0;
  uint32_t row = program_.kind_before(classes.class_before(text, text + begin, end_class)) * program_.num_classes();
  while (true) {
    int64_t length = 1;
    const uint32_t c = at == size ? end_class : classes.next(text + at, text + size, &length);
    const Entry& entry = entries_[row + c];
    if (entry.kind == Entry::kPlain) {
      row = entry.next;
      at += length;
      continue;
    }
    if (entry.can_end) {
      end = at;
      captures_at_end = entry.captures_at_end;
      kept.clear();
    }
    if (entry.next == 0 || entry.prefers_end) break;
    if (entry.captures != 0) {
      if (end >= 0 && kept.empty()) kept.assign(groups, groups + count);
      pass(entry.captures, at);
    }
    row = entry.next;
    at += length;
    repeated = entry.kind == Entry::kLoop ? repeated + 1 : 0;
    if (repeated < kLong) continue;
    at += simd_.count_in_set(text + at, size - at, loops_[row / program_.num_classes()]);
    repeated = 0;
  }
  if (!kept.empty()) std::copy(kept.begin(), kept.end(), groups);
  if (end >= 0) pass(captures_at_end, end);
  groups[0] = {begin, end};
  return at - begin;
}

}  // namespace stringops
