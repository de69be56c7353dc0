// string_rsplit_ragged and string_splitlines_ragged.
#include "kernels/split_lines.h"
#include "kernels/split_right.h"
#include "results.h"

namespace stringops::fuzz {
namespace {

using kernels::LineCutter;
using kernels::RightSplitCutter;

// Compares the pieces that a cutter gives of all strings with those that add(text, &pieces) gives of each, and cuts
// strings that change meanwhile.
template <class Cutter, class Add>
void check(const Arguments& args, const Cutter& cutter, int64_t tasks, Input& in, Add&& add) {
  const auto cut = [&](const StringSpan& span, const Interference& interfere) -> std::optional<Pieces> {
    RaggedBuffers result{Exact<int64_t>(span.size() + 1), interfere};
    if (!gives_result(interfere != nullptr,
                      [&] { kernels::cut_ragged("", kernels::LoopRunner(tasks, true), span, cutter, result); })) {
      return std::nullopt;
    }
    return result.checked_pieces();
  };
  Pieces want;
  args.strings.for_each([&](std::string_view text) {
    add(text, &want);
    want.end_row();
  });
  REQUIRE(cut(args.strings.span, nullptr) == want);
  Strings victim = args.strings.copy();
  cut(victim.span, [&] { victim.damage(in); });
}

bool is_space(std::string_view text, size_t at, size_t* length) {
  const auto* const p = reinterpret_cast<const uint8_t*>(text.data());
  *length = static_cast<size_t>(whitespace_length(p + at, p + text.size()));
  return *length > 0;
}

// The words of a text, of which the first ones are one piece if there are more than maxsplit + 1.
void add_words(std::string_view text, int64_t maxsplit, Pieces* pieces) {
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t at = 0, length = 0; at < text.size();) {
    if (is_space(text, at, &length)) {
      at += length;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && !is_space(text, at, &length)) ++at;
    words.emplace_back(begin, at);
  }
  const auto count = static_cast<int64_t>(words.size());
  const int64_t merged = maxsplit < 0 ? 0 : std::max<int64_t>(count - 1 - maxsplit, 0);
  for (int64_t i = merged; i < count; ++i) {
    const auto [begin, end] = words[static_cast<size_t>(i)];
    const size_t first = i == merged && maxsplit >= 0 && i == count - 1 - maxsplit ? 0 : begin;
    pieces->add(text.substr(first, end - first));
  }
}

void add_fields(std::string_view text, std::string_view delimiter, int64_t maxsplit, Pieces* pieces) {
  std::vector<std::string_view> fields;
  for (int64_t cuts = 0; maxsplit < 0 || cuts < maxsplit; ++cuts) {
    const size_t at = text.rfind(delimiter);
    if (at == text.npos) break;
    fields.push_back(text.substr(at + delimiter.size()));
    text = text.substr(0, at);
  }
  fields.push_back(text);
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) pieces->add(*field);
}

FUZZ_TARGET(string_rsplit_ragged) {
  const std::string delimiter = take_text(in, in.below(5));
  const int64_t maxsplit = in.below(6) - 1, tasks = 1 + in.below(5);
  const Arguments args = take_strings(in, delimiter);
  if (!args.trusted) return;
  check(args, RightSplitCutter(delimiter, maxsplit), tasks, in, [&](std::string_view text, Pieces* pieces) {
    delimiter.empty() ? add_words(text, maxsplit, pieces) : add_fields(text, delimiter, maxsplit, pieces);
  });
}

FUZZ_TARGET(string_splitlines_ragged) {
  constexpr std::string_view kBoundaries[] = {"\r\n", "\n",   "\r",       "\v",           "\f",          "\x1c",
                                              "\x1d", "\x1e", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
  const bool keepends = in.flag();
  const int64_t tasks = 1 + in.below(5);
  const Arguments args = take_strings(in, kBoundaries[static_cast<size_t>(in.below(std::size(kBoundaries)))]);
  if (!args.trusted) return;
  check(args, LineCutter(keepends), tasks, in, [&](std::string_view text, Pieces* pieces) {
    size_t begin = 0;
    for (size_t at = 0; at < text.size();) {
      const auto* const boundary = std::find_if(std::begin(kBoundaries), std::end(kBoundaries),
                                                [&](std::string_view b) { return text.substr(at, b.size()) == b; });
      if (boundary == std::end(kBoundaries)) {
        ++at;
        continue;
      }
      const size_t end = at + boundary->size();
      pieces->add(text.substr(begin, (keepends ? end : at) - begin));
      at = begin = end;
    }
    if (begin < text.size()) pieces->add(text.substr(begin));
  });
}

}  // namespace
}  // namespace stringops::fuzz
