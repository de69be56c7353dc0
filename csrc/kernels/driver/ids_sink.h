// The sink that looks pieces up and stores their ids, and its driver. A lookup has
//
//   void encode_some(strings, first, last, out)   writes the ids of strings [first, last) to out[0, last - first)
//   int64_t encode_one(text, num_bytes)           returns the id of one string
//   bool has_short_ids()                          whether all ids are int32
//
// The cutter of other drivers (cut.h) reads the text twice, as sinks write to outputs whose sizes must be known. Ids
// are few bytes for each piece: here, tasks keep theirs, which are copied when their number is known. A cutter has
//
//   bool pass(text, begin, end, sink, &task)      passes the pieces to the sink; false if it found an error
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "kernels/driver/cut.h"
#include "kernels/lower_text.h"

namespace stringops::kernels {

// Ids whose number is not known before.
template <class Id>
class GrowingIds {
 public:
  // Room for `count` more.
  Id* add(int64_t count) {
    if (chunks_.empty() || chunks_.back().room - chunks_.back().count < count) {
      const int64_t room = std::max(count, std::clamp(2 * size_, kMinRoom, kMaxRoom));
      chunks_.push_back({std::unique_ptr<Id[]>(new Id[static_cast<size_t>(room)]), 0, room});
    }
    Chunk& chunk = chunks_.back();
    Id* const at = chunk.ids.get() + chunk.count;
    chunk.count += count;
    size_ += count;
    return at;
  }

  int64_t size() const { return size_; }

  void copy(const simd::Primitives& simd, int64_t* out) const {
    for (const Chunk& chunk : chunks_) {
      if constexpr (std::is_same_v<Id, int64_t>) {
        std::copy_n(chunk.ids.get(), chunk.count, out);
      } else {
        simd.widen(chunk.ids.get(), chunk.count, 0, out);
      }
      out += chunk.count;
    }
  }

 private:
  static constexpr int64_t kMinRoom = block_size(256, 4), kMaxRoom = block_size(1 << 16, 16);
  struct Chunk {
    std::unique_ptr<Id[]> ids;
    int64_t count, room;
  };
  std::vector<Chunk> chunks_;
  int64_t size_ = 0;
};

// The pieces of a block are written, as ragged strings, into a buffer that stays in the first-level cache, and looked
// up there. A piece that continues in the next block is "open"; once it ends, it is looked up in the input itself.
//
//   block      x x , a b , c d d | d d , e f
//   looked up  "xx" "ab"         | "cddd.." "ef"
//   open             c d d         its begin is kept, 3 bytes so far
template <class Lookup, class Id>
class IdsSink {
 public:
  // Sets row_ends[i] to the number of ids up to the end of the task's string i.
  IdsSink(const Lookup& lookup, int64_t* row_ends) : lookup_(lookup), row_ends_(row_ends) {
    offsets_[0] = 0;
    std::fill_n(bytes_.end() - kKeyBytes, kKeyBytes, 0);
  }

  void block(const simd::Primitives& simd, const Block& block, BlockSplitter& masks) {
    if (!block.continues) open_bytes_ = 0;  // a concurrent write may have left an open piece
    RaggedSink sink({bytes_.data(), offsets_.data(), splits_.data()}, {0, kBlockBytes, 0, kMaxPieces}, 0);
    sink.block(simd, block, masks);
    for (int64_t k = 0; k < block.num_strings; ++k) row_ends_[k] = ids_.size() + splits_[static_cast<size_t>(k) + 1];
    row_ends_ += block.num_strings;

    const int64_t pieces = sink.rest().pieces;
    if (pieces > 0) {
      Id* const ids = ids_.add(pieces);
      const int64_t first = open_bytes_ > 0;
      if (first == 1) ids[0] = encode_open(open_bytes_ + offsets_[1]);
      if (first < pieces) lookup_.encode_some(strings(pieces), first, pieces, ids + first);
      open_bytes_ = 0;
    }
    const int64_t rest = sink.rest().bytes - offsets_[static_cast<size_t>(pieces)];
    if (rest > 0 && open_bytes_ == 0) {
      open_ = block.data + block.num_bytes - rest;
      open_end_ = block.data + block.readable;
    }
    open_bytes_ += rest;
  }

  // Pieces that come one by one are held in the same buffer, and looked up together.
  void piece(StringView text, const uint8_t*) {
    const int64_t begin = offsets_[static_cast<size_t>(held_)];
    if (text.size() > kBlockBytes - begin || held_ == kMaxPieces) return long_piece(text);
    copy_bytes(bytes_.data() + begin, text.begin, text.size());
    offsets_[static_cast<size_t>(++held_)] = narrow<int32_t>(begin + text.size());
  }

  void end_string() { *row_ends_++ = ids_.size() + held_; }

  GrowingIds<Id> finish() {
    encode_held();
    return std::move(ids_);
  }

 private:
  // The most that a delimiter of one byte makes: a piece before each byte, and one at the end of each string.
  static constexpr int64_t kMaxPieces = kBlockBytes + kBlockStrings;

  StringSpan strings(int64_t count) const {
    return {bytes_.data(), static_cast<int64_t>(bytes_.size()), offsets_.data(), 1, count};
  }

  // The size of an open piece is the sum over its blocks as they were read, which may exceed the string if that changed
  // in between (race).
  Id encode_open(int64_t num_bytes) const {
    return static_cast<Id>(lookup_.encode_one(open_, std::min<int64_t>(num_bytes, open_end_ - open_)));
  }

  void long_piece(StringView text) {
    encode_held();
    if (text.size() <= kBlockBytes) return piece(text, nullptr);
    *ids_.add(1) = static_cast<Id>(lookup_.encode_one(text.begin, text.size()));
  }

  void encode_held() {
    if (held_ == 0) return;
    lookup_.encode_some(strings(held_), 0, held_, ids_.add(held_));
    held_ = 0;
  }

  const Lookup& lookup_;
  int64_t* row_ends_;
  GrowingIds<Id> ids_;
  const uint8_t *open_ = nullptr, *open_end_ = nullptr;
  int64_t open_bytes_ = 0;
  int64_t held_ = 0;  // pieces in the buffer, which are not in ids_ yet; a task gets blocks or pieces, not both
  std::array<uint8_t, kBlockBytes + kKeyBytes> bytes_;  // the last kKeyBytes are read
  std::array<int32_t, kMaxPieces + 1> offsets_;
  std::array<int64_t, kBlockStrings + 1> splits_;
};

// Passes the pieces of the strings, or of their lower case, to the sink.
template <class Cutter, class Sink>
void pass_pieces(const StringSpan& in, bool lower, Position begin, Position end, const Cutter& cutter, Sink& sink,
                 typename Cutter::Task* task) {
  if (!lower) {
    cutter.pass({in, 0, false}, begin, end, sink, task);
    return;
  }
  LowerText text(in, begin.index, end.index);
  while (text.next()) {
    const TextPart part{text.strings(), text.first_string(), text.are_utf8()};
    if (!cutter.pass(part, {}, {part.strings.size()}, sink, task)) return;
  }
}

// The ids of the pieces of all strings. With `lower`, of strings that fit LowerText.
template <class Id, class Cutter, class Lookup, class Allocate>
void cut_ids_as(const char* op, const Runner& runner, const StringSpan& in, bool lower, const Cutter& cutter,
                const Lookup& lookup, int64_t* row_splits, Allocate&& allocate) {
  constexpr double kLookupNsPerByte = 0.4;
  const Cost cutting = cutter.cost();
  const int64_t wanted =
      runner.choose_tasks(runner.time_of(in, {cutting.ns_per_string, cutting.ns_per_byte + kLookupNsPerByte}));
  const Partition partition = lower ? divide_evenly(in, wanted, false) : cutter.divide(in, wanted);
  const auto tasks = static_cast<size_t>(partition.tasks);
  std::vector<typename Cutter::Task> found(tasks);
  const auto run = [&](auto&& use) {
    runner.run(partition.tasks, [&](int64_t t) { use(t, partition.begin(t), partition.end(t)); });
    for (const auto& task : found) cutter.check(op, task);
  };
  const auto check_count = [&](int64_t count) {
    STRINGOPS_CHECK(count <= kMaxOffsets, op, ": the result has ", count, " ids; expected at most ", kMaxOffsets,
                    " (split the batch)");
  };
  // Strings that overlap may have too many pieces, which are counted first. Lower case has up to 1.5 times the bytes.
  if (2 * count_bytes(in, 0, in.size()) + in.size() > kMaxOffsets) {
    std::atomic<int64_t> count{0};
    run([&](int64_t t, Position begin, Position end) {
      PieceCounter counter(0, nullptr);
      pass_pieces(in, lower, begin, end, cutter, counter, &found[static_cast<size_t>(t)]);
      count += counter.pieces();
    });
    check_count(count);
  }

  std::vector<GrowingIds<Id>> ids(tasks);
  run([&](int64_t t, Position begin, Position end) {
    const auto sink = std::make_unique<IdsSink<Lookup, Id>>(lookup, row_splits + 1 + begin.index);
    pass_pieces(in, lower, begin, end, cutter, *sink, &found[static_cast<size_t>(t)]);
    ids[static_cast<size_t>(t)] = sink->finish();
  });
  std::vector<int64_t> first_ids{0};
  for (const GrowingIds<Id>& of_task : ids) first_ids.push_back(first_ids.back() + of_task.size());
  check_count(first_ids.back());
  int64_t* const out = allocate(first_ids.back());
  row_splits[0] = 0;
  runner.run(partition.tasks, [&](int64_t task) {
    const auto t = static_cast<size_t>(task);
    ids[t].copy(simd::primitives(), out + first_ids[t]);
    if (first_ids[t] == 0) return;
    for (int64_t i = partition.begin(task).index; i < partition.end(task).index; ++i) {
      row_splits[i + 1] += first_ids[t];
    }
  });
}

// Writes row_splits[0, in.size() + 1): string i has the ids from row_splits[i] to row_splits[i + 1]. allocate(num_ids)
// -> int64_t*.
template <class Cutter, class Lookup, class Allocate>
void cut_ids(const char* op, const Runner& runner, const StringSpan& in, bool lower, const Cutter& cutter,
             const Lookup& lookup, int64_t* row_splits, Allocate&& allocate) {
  if (lookup.has_short_ids()) {
    return cut_ids_as<int32_t>(op, runner, in, lower, cutter, lookup, row_splits, allocate);
  }
  cut_ids_as<int64_t>(op, runner, in, lower, cutter, lookup, row_splits, allocate);
}

}  // namespace stringops::kernels
