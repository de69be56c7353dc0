#include "kernels/subword.h"

#include <algorithm>

#include "core/narrow.h"
#include "core/strings.h"
#include "core/testing.h"
#include "subword/run/run.h"
#include "subword/run/text.h"

namespace stringops::kernels {

using namespace subword;

namespace {

// Runs of adjacent strings that are encoded together.
constexpr int64_t kStringsOfRun = block_size(1024, 8);
constexpr int64_t kRunBytes = block_size(64 * 1024, 256);

// Encodes the strings of a task.
class TaskEncoder {
 public:
  // `run` may be null.
  TaskEncoder(const Table& table, const SubwordOptions& options, SubwordRun* run, SubwordIds* task)
      : options_(options),
        task_(*task),
        before_(options.add_special_tokens ? table.header.before : 0),
        around_(options.add_special_tokens ? table.template_ids : std::vector<uint32_t>()),
        room_(options.max_length < 0 ? INT64_MAX
                                     : std::max<int64_t>(options.max_length - static_cast<int64_t>(around_.size()), 0)),
        text_(table, ids_, options.spans ? &spans_ : nullptr),
        run_(run) {}

  void encode(const StringSpan& in, int64_t first, int64_t last) {
    task_.counts.reserve(static_cast<size_t>(last - first));
    if (run_) begins_.reserve(static_cast<size_t>(std::min(last - first, kStringsOfRun) + 1));
    for_each_string(in, first, last, [&](int64_t, ByteRange range) {
      if (!run_) return encode_one(in.view(range));
      const bool follows = begins_.empty() || in.data + range.begin == text_begin_ + begins_.back();
      if (begins_.size() > 1 && (is_full() || !follows)) encode_run();
      if (begins_.empty()) {
        text_begin_ = in.data + range.begin;
        readable_end_ = in.data + in.num_bytes;
        begins_.push_back(0);
      }
      begins_.push_back(narrow<int32_t>(begins_.back() + range.size()));
    });
    if (begins_.size() > 1) encode_run();
  }

 private:
  bool is_full() const { return static_cast<int64_t>(begins_.size()) > kStringsOfRun || begins_.back() >= kRunBytes; }

  void encode_run() {
    const uint8_t* const data = text_begin_;
    const auto count = static_cast<int64_t>(begins_.size()) - 1;
    const auto view = [&](int64_t first, int64_t last) {
      return StringView{data + begins_[static_cast<size_t>(first)], data + begins_[static_cast<size_t>(last)]};
    };
    const uint8_t* const readable_end = readable_end_;
    if (text_.is_plain_together() && text_.is_plain(view(0, count))) {
      encode_plain(data, readable_end, 0, count);
    } else {
      int64_t first = 0;
      for (int64_t k = 0; k < count; ++k) {
        if (text_.is_plain(view(k, k + 1))) continue;
        encode_plain(data, readable_end, first, k);
        encode_one(view(k, k + 1));
        first = k + 1;
      }
      encode_plain(data, readable_end, first, count);
    }
    begins_.clear();
  }

  // Strings [first, last) of the run.
  void encode_plain(const uint8_t* data, const uint8_t* readable_end, int64_t first, int64_t last) {
    if (first == last) return;
    const int32_t* begins = begins_.data();
    const int32_t origin = begins[first];
    if (origin > 0) {
      relative_.clear();
      for (int64_t k = first; k <= last; ++k) relative_.push_back(begins[k] - origin);
      begins = relative_.data();
    } else {
      begins += first;
    }
    run_->encode(data + origin, readable_end, begins, last - first);
    const std::vector<uint32_t>& starts = run_->first_ids();
    if (is_bare_) return add_rows(starts);
    for (size_t k = 0; k + 1 < starts.size(); ++k) {
      add_row(run_->ids() + starts[k], static_cast<int64_t>(starts[k + 1]) - starts[k], nullptr);
    }
  }

  void encode_one(StringView text) {
    ids_.clear();
    spans_.clear();
    text_.encode(text);
    add_row(ids_.data(), static_cast<int64_t>(ids_.size()), spans_.data());
  }

  // All rows of the run, without ids around them.
  void add_rows(const std::vector<uint32_t>& starts) {
    task_.ids.insert(task_.ids.end(), run_->ids(), run_->ids() + starts.back());
    const size_t before = task_.counts.size(), count = starts.size() - 1;
    task_.counts.resize(before + count);
    for (size_t k = 0; k < count; ++k) task_.counts[before + k] = starts[k + 1] - starts[k];
  }

  void add_row(const uint32_t* ids, int64_t count, const PackedRange* spans) {
    const size_t begin = task_.ids.size();
    const int64_t kept = std::min(count, room_);
    const auto add = [&](const uint32_t* first, const uint32_t* last) {
      task_.ids.insert(task_.ids.end(), first, last);
    };
    add(around_.data(), around_.data() + before_);
    add(ids, ids + kept);
    add(around_.data() + before_, around_.data() + around_.size());
    if (options_.spans) {
      task_.spans.resize(begin + before_, {0, 0});
      task_.spans.insert(task_.spans.end(), spans, spans + kept);
      task_.spans.resize(task_.ids.size(), {0, 0});
    }
    task_.counts.push_back(static_cast<int64_t>(task_.ids.size() - begin));
  }

  const SubwordOptions options_;
  SubwordIds& task_;
  const size_t before_;
  const std::vector<uint32_t> around_;
  const int64_t room_;                                          // for the ids of a string
  const bool is_bare_ = around_.empty() && room_ == INT64_MAX;  // rows are the ids of strings
  std::vector<uint32_t> ids_;
  std::vector<PackedRange> spans_;
  SubwordText text_;
  SubwordRun* const run_;
  const uint8_t* text_begin_ = nullptr;    // of the run
  const uint8_t* readable_end_ = nullptr;  // of the text that the run is in
  std::vector<int32_t> begins_, relative_;
};

// Returns the first of strings [first, last) that cannot be encoded.
int64_t find_missing(const StringSpan& in, int64_t first, int64_t last, const Table& table) {
  std::vector<uint32_t> ids;
  SubwordText text(table, ids, nullptr);
  int64_t row = first;
  try {
    for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
      row = i;
      ids.clear();
      text.encode(in.view(range));
    });
  } catch (const MissingPiece&) {
  }
  return row;
}

}  // namespace

void SubwordIds::encode(const StringSpan& in, int64_t first, int64_t last, const Table& table,
                        const SubwordOptions& options) {
  try {
    std::optional<SubwordRun> run;
    if (!options.spans && SubwordRun::serves(table)) run.emplace(table, count_bytes(in, first, last));
    TaskEncoder(table, options, run ? &*run : nullptr, this).encode(in, first, last);
  } catch (const MissingPiece&) {
    missing = find_missing(in, first, last, table);
  }
}

void SubwordIds::copy(const SubwordOutput& out, const OutputRange& range, int64_t first_string) const {
  int64_t at = range.pieces;
  for (const uint32_t id : ids) out.ids[at++] = id;
  if (out.begins) {
    at = range.pieces;
    for (const PackedRange span : spans) {
      out.begins[at] = span.begin;
      out.ends[at++] = span.end;
    }
  }
  int64_t* split = out.row_splits + 1 + first_string;
  int64_t end = range.pieces;
  for (const int64_t count : counts) *split++ = end += count;
}

}  // namespace stringops::kernels
