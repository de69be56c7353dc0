// string_char_ngrams_ragged and string_ngrams_ragged: the n-grams of each string, and of the strings of each row.
#include "kernels/ngram.h"

#include "kernels/ngram_words.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using kernels::CharNgramCutter;

struct Calls {
  int64_t min, max;
  bool marks;
  int64_t tasks;
};

std::optional<Pieces> char_ngrams(const StringSpan& in, const Calls& calls, const Interference& interfere) {
  RaggedBuffers result{Exact<int64_t>(in.size() + 1), interfere};
  const CharNgramCutter cutter(calls.min, calls.max, calls.marks);
  if (!gives_result(interfere != nullptr,
                    [&] { kernels::cut_ragged("", kernels::LoopRunner(calls.tasks, true), in, cutter, result); })) {
    return std::nullopt;
  }
  return result.checked_pieces();
}

// The positions of the code points of a text, and its end. A byte that is not part of one counts as one.
std::vector<size_t> boundaries(const std::string& text) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  std::vector<size_t> at{0};
  while (at.back() < text.size()) {
    const uint8_t* const p = bytes + at.back();
    const int64_t length = *p < 0x80 ? 1 : long_codepoint(p, bytes + text.size());
    at.push_back(at.back() + static_cast<size_t>(length > 0 ? length : 1));
  }
  return at;
}

void ngrams_of(std::string_view string, const Calls& calls, Pieces* pieces) {
  const std::string text = calls.marks ? "<" + std::string(string) + ">" : std::string(string);
  const std::vector<size_t> at = boundaries(text);
  const auto count = static_cast<int64_t>(at.size()) - 1;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t n = calls.min; n <= calls.max && i + n <= count; ++n) {
      if (calls.marks && n == 1 && (i == 0 || i == count - 1)) continue;
      const size_t begin = at[static_cast<size_t>(i)], end = at[static_cast<size_t>(i + n)];
      pieces->add(std::string_view(text).substr(begin, end - begin));
    }
  }
  pieces->end_row();
}

FUZZ_TARGET(string_char_ngrams_ragged) {
  Calls calls{1 + in.below(4), 0, in.flag(), 1 + in.below(5)};
  calls.max = calls.min + in.below(5);
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  Pieces want;
  args.strings.for_each([&](std::string_view text) { ngrams_of(text, calls, &want); });
  const auto got = same_on_every_tier([&] { return char_ngrams(args.strings.span, calls, nullptr); });
  REQUIRE(!got || *got == want);
  survives_on_every_tier([&] {
    Strings victim = args.strings.copy();
    Input rest = in;
    char_ngrams(victim.span, calls, [&] { victim.damage(rest); });
  });
}

std::optional<Pieces> word_ngrams(const kernels::WordNgrams& in, int64_t tasks, const Interference& interfere) {
  RaggedBuffers result{Exact<int64_t>(in.rows.rows + 1), interfere};
  if (!gives_result(interfere != nullptr,
                    [&] { kernels::word_ngrams("", kernels::LoopRunner(tasks, true), in, result); })) {
    return std::nullopt;
  }
  return result.checked_pieces();
}

FUZZ_TARGET(string_ngrams_ragged) {
  const int64_t tasks = 1 + in.below(5);
  const std::string separator = take_text(in, in.below(4));
  std::vector<int64_t> widths;
  for (int64_t i = 1 + in.below(3); i > 0; --i) widths.push_back(in.below(8) == 0 ? 60 + in.below(9) : 1 + in.below(4));
  std::vector<int64_t> ends{0};
  for (int64_t i = in.below(6); i > 0; --i) ends.push_back(ends.back() + in.below(5));
  Arguments args = take_strings(in);
  if (!args.trusted) return;
  // One row of all strings of the tensor, as the operator takes them of rank 1 only.
  Strings strings = args.strings.copy();
  if (strings.span.rows != 1) return;
  const int64_t count = strings.span.cols;
  for (int64_t& end : ends) end = std::min(end, count);
  ends.push_back(count);
  const std::vector<std::string> values = strings.values();
  Pieces want;
  for (size_t r = 0; r + 1 < ends.size(); ++r) {
    for (const int64_t n : widths) {
      for (int64_t i = ends[r]; i + n <= ends[r + 1]; ++i) {
        std::string ngram = values[static_cast<size_t>(i)];
        for (int64_t j = i + 1; j < i + n; ++j) ngram += separator + values[static_cast<size_t>(j)];
        want.add(ngram);
      }
    }
    want.end_row();
  }
  const Exact<int64_t> own(ends);
  const RowSplits rows{own.data(), own.size() - 1, count};
  const auto got = word_ngrams({strings.span, rows, widths, separator}, tasks, nullptr);
  REQUIRE(!got || *got == want);
  word_ngrams({strings.span, rows, widths, separator}, tasks, [&] {
    strings.damage(in);
    if (in.flag()) own[in.below(own.size())] = in.any<int64_t>();
  });
}

SHARED_CALL(char_ngrams, {
  RaggedBuffers out{Exact<int64_t>(world.strings.span.size() + 1), nullptr, kMaxBytes / 8};
  kernels::cut_ragged("", runner, world.strings.span, CharNgramCutter(2, 3, true), out);
  return digest(out.data, out.offsets, out.row_splits);
})

}  // namespace
}  // namespace stringops::fuzz
