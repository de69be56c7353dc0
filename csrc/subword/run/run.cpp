#include "subword/run/run.h"

#include <algorithm>
#include <numeric>

namespace stringops::kernels {

using namespace subword;

namespace {

constexpr size_t kAfter = 64;  // bytes after the pieces of a text, which keys of words read

// A part of a text that is in a form of Unicode is in that form, too.
bool is_form(const Step& step) {
  return step.kind == Step::kNfc || step.kind == Step::kNfd || step.kind == Step::kNfkd;
}

bool has_sums(const Table& table) {
  return table.unigram && table.unigram->has_words();
}

}  // namespace

bool SubwordRun::serves(const Table& table) {
  if (table.wordpiece && table.wordpiece->max_codepoints() < kShortBytes) return false;
  for (size_t at = 1; at < table.steps.size(); ++at) {
    if (table.steps[at].kind == Step::kMetaspace && (table.steps[at].option & Step::kFirst) != 0) return false;
  }
  return true;
}

SubwordRun::SubwordRun(const Table& table, int64_t num_bytes)
    : normalizer_(table.steps, table.step_texts, table.normalizer),
      keeps_parts_(
          std::all_of(table.steps.begin(), table.steps.end(),
                      [](const Step& step) { return !SubwordNormalizer::is_normalizer(step) || is_form(step); })),
      words_(table, num_bytes) {
  bool has_gaps = false;  // between pieces
  for (size_t at = 0; at < table.steps.size();) {
    const bool writes = PieceWriter::writes(table.steps[at]);
    if (!writes && !SplitSteps::is_split(table.steps[at])) {  // a normalizer, which is before the others
      ++at;
      continue;
    }
    Stage& stage = stages_.emplace_back();
    if (writes) {
      stage.writer = std::make_unique<PieceWriter>(table.steps[at++], table.step_texts);
    } else if (has_gaps) {
      stage.writer = std::make_unique<PieceWriter>();
    }
    has_gaps = false;
    if (at == table.steps.size() || !SplitSteps::is_split(table.steps[at])) continue;
    stage.splits = std::make_unique<SplitSteps>(table, table.steps, at);
    at = stage.splits->end();
    has_gaps = SplitSteps::leaves_out(table.steps[at - 1]);
  }
  if (has_sums(table)) {
    words_of_pieces_ = std::make_unique<SplitSteps>(table, std::vector<Step>{Step::of(Step::kBlankWords)}, 0);
  }
}

bool SubwordRun::cuts_at_spaces() const {
  const auto cuts = [](const Stage& stage) { return !stage.writer && stage.splits->cut_at_spaces(); };
  return keeps_parts_ && !stages_.empty() && std::all_of(stages_.begin(), stages_.end(), cuts);
}

void SubwordRun::encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) {
  const auto* const positions = reinterpret_cast<const uint32_t*>(begins);
  Pieces pieces{text, readable_end, positions, positions + 1, count};
  first_ids_.resize(static_cast<size_t>(count) + 1);
  std::iota(first_ids_.begin(), first_ids_.end(), 0u);
  if (!normalizer_.is_empty()) {
    pieces = write(pieces, normalized_, [&](StringView string, std::vector<uint8_t>& out) {
      if (normalizer_.normalize(string, string.begin, one_, nullptr)) string = {one_.data(), one_.data() + one_.size()};
      out.insert(out.end(), string.begin, string.end);
      check_text_size(out.size());
    });
  }
  for (Stage& stage : stages_) {
    if (stage.writer) {
      pieces = write(pieces, stage.written, [&](StringView piece, std::vector<uint8_t>& out) {
        stage.writer->append(piece, true, out, nullptr);
      });
    }
    if (stage.splits) pieces = split(pieces, *stage.splits);
  }
  if (words_of_pieces_) {
    starts_.assign(pieces.begins, pieces.begins + pieces.count);
    words_.begin_texts(&starts_);
    pieces = split(pieces, *words_of_pieces_);
  }
  words_.encode(pieces.text, pieces.readable_end, pieces.begins, pieces.ends, pieces.count, first_ids_);
}

// Calls write_one(piece, out) for each piece, which appends what is written for it.
template <class Write>
SubwordRun::Pieces SubwordRun::write(const Pieces& pieces, Written& written, Write&& write_one) const {
  written.bytes.clear();
  written.begins.assign(1, 0);
  for (int64_t k = 0; k < pieces.count; ++k) {
    write_one(pieces[k], written.bytes);
    written.begins.push_back(static_cast<uint32_t>(written.bytes.size()));
  }
  written.bytes.resize(written.bytes.size() + kAfter);
  const uint8_t* const text = written.bytes.data();
  return {text, text + written.bytes.size(), written.begins.data(), written.begins.data() + 1, pieces.count};
}

// Divides adjacent pieces.
SubwordRun::Pieces SubwordRun::split(const Pieces& pieces, SplitSteps& splits) {
  const auto* const begins = reinterpret_cast<const int32_t*>(pieces.begins);
  splits.split(valid_.of(pieces.text, begins, pieces.count), begins, pieces.count);
  for (uint32_t& first : first_ids_) first = splits.num_before()[first];
  return {pieces.text, pieces.readable_end, splits.begins(), splits.ends(), splits.size()};
}

}  // namespace stringops::kernels
