// The operators that search, for one string in all of them, and for a string in each; and the one that replaces.
#include "kernels/search.h"

#include "driver/reduce.h"
#include "driver/testing.h"
#include "driver/zip.h"
#include "fuzz.h"
#include "kernels/search_replace.h"
#include "map.h"
#include "oracle.h"
#include "split/delimiter_finder.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

int64_t codepoints(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += std::max<size_t>(codepoint_at(text, at), 1);
  return count;
}

int64_t find(std::string_view text, std::string_view sub, bool in_codepoints, bool is_last = false) {
  const size_t at = is_last ? text.rfind(sub) : text.find(sub);
  if (at == std::string_view::npos) return -1;
  return in_codepoints ? codepoints(text.substr(0, at)) : static_cast<int64_t>(at);
}

int64_t count(std::string_view text, std::string_view sub) {
  if (sub.empty()) return codepoints(text) + 1;
  int64_t found = 0;
  for (size_t at = 0; (at = text.find(sub, at)) != std::string_view::npos; at += sub.size()) ++found;
  return found;
}

bool has_affix(std::string_view text, std::string_view sub, bool at_end) {
  return sub.size() <= text.size() && text.substr(at_end ? text.size() - sub.size() : 0, sub.size()) == sub;
}

// Calls f(functor, oracle of a string and another) for each of the operators, in the form for one string or for many.
template <class F>
void with_each_literal(std::string_view sub, F&& f) {
  using Text = std::string_view;
  f(kernels::FindLiteral{sub, false}, [](Text a, Text b) { return find(a, b, false); });
  f(kernels::FindLiteral{sub, true}, [](Text a, Text b) { return find(a, b, true); });
  f(kernels::FindLiteral{sub, false, true}, [](Text a, Text b) { return find(a, b, false, true); });
  f(kernels::FindLiteral{sub, true, true}, [](Text a, Text b) { return find(a, b, true, true); });
  f(kernels::ContainsLiteral{sub}, [](Text a, Text b) { return find(a, b, false) >= 0; });
  f(kernels::CountLiteral{sub}, [](Text a, Text b) { return count(a, b); });
  f(kernels::StartsWithLiteral{sub}, [](Text a, Text b) { return has_affix(a, b, false); });
  f(kernels::EndsWithLiteral{sub}, [](Text a, Text b) { return has_affix(a, b, true); });
}

template <class F>
void with_each_kernel(F&& f) {
  using Text = std::string_view;
  f(kernels::Find{false}, [](Text a, Text b) { return find(a, b, false); });
  f(kernels::Find{true}, [](Text a, Text b) { return find(a, b, true); });
  f(kernels::Find{false, true}, [](Text a, Text b) { return find(a, b, false, true); });
  f(kernels::Find{true, true}, [](Text a, Text b) { return find(a, b, true, true); });
  f(kernels::Contains{}, [](Text a, Text b) { return find(a, b, false) >= 0; });
  f(kernels::Count{}, [](Text a, Text b) { return count(a, b); });
  f(kernels::StartsWith{}, [](Text a, Text b) { return has_affix(a, b, false); });
  f(kernels::EndsWith{}, [](Text a, Text b) { return has_affix(a, b, true); });
}

template <class Functor>
std::vector<typename Functor::Value> search(const StringSpan& in, const Functor& f, int64_t tasks) {
  const Exact<typename Functor::Value> values(in.size());
  kernels::reduce_strings(kernels::LoopRunner(tasks), f, in, values.data());
  return values.copy();
}

template <class Kernel>
std::vector<typename Kernel::Value> search(const StringSpan& in, const StringSpan& subs, const Kernel& kernel,
                                           int64_t tasks) {
  const Exact<typename Kernel::Value> values(in.size());
  const kernels::Shape others = subs.size() == 1 ? kernels::Shape{1, 1} : kernels::Shape{subs.rows, subs.cols};
  kernels::zip_strings("", kernels::LoopRunner(tasks), kernel, in, {in.rows, in.cols}, subs, others,
                       [&](const kernels::Shape&) { return values.data(); });
  return values.copy();
}

// What is searched for: a fragment, some of the text, or either of them many times.
std::string take_sub(Input& in, std::string_view text) {
  std::string sub(kFragments[static_cast<size_t>(in.below(kNumFragments))]);
  const auto size = static_cast<int64_t>(text.size());
  if (in.flag()) sub = text.substr(static_cast<size_t>(in.below(size + 1)), static_cast<size_t>(in.below(12)));
  for (int64_t times = in.below(8); times > 5 && sub.size() < 2 * kernels::kMaxBlockDelimiter; --times) sub += sub;
  return sub;
}

// Covers string_find, string_rfind, string_contains, string_count, string_startswith, string_endswith.
FUZZ_TARGET(search) {
  const int64_t tasks = 1 + in.below(5);
  const Shape shape = take_shape(in);
  const std::string more = in.flag() ? "ab" : "aba";
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 32, more);
  const std::string sub = take_sub(in, text);
  const Arguments args = take_strings(in, text, shape);
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;
  Strings victim = args.strings.copy();
  Input rest = in;
  victim.damage(rest);
  with_each_literal(sub, [&](const auto& functor, const auto& oracle) {
    std::vector<typename std::decay_t<decltype(functor)>::Value> want;
    args.strings.for_each([&](std::string_view string) { want.push_back(oracle(string, sub)); });
    REQUIRE(same_on_every_tier([&] { return search(span, functor, tasks); }) == want);
    survives_on_every_tier([&] { search(victim.span, functor, tasks); });
  });
}

FUZZ_TARGET(search_each) {
  const int64_t tasks = 1 + in.below(3);
  const Shape shape{1 + in.below(4), 1 + in.below(8)};
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 48);
  const Arguments args = take_strings(in, text, shape);
  const Arguments subs = take_strings(in, text.substr(0, text.size() / 4), in.flag() ? shape : Shape{1, 1});
  if (!args.trusted || !subs.trusted) return;
  const StringSpan &span = args.strings.span, &others = subs.strings.span;
  Strings victim = args.strings.copy(), sub_victim = subs.strings.copy();
  victim.damage(in);
  sub_victim.damage(in);
  const std::vector<std::string> all = subs.strings.values();
  with_each_kernel([&](const auto& kernel, const auto& oracle) {
    std::vector<typename std::decay_t<decltype(kernel)>::Value> want;
    size_t i = 0;
    args.strings.for_each([&](std::string_view string) { want.push_back(oracle(string, all[i++ % all.size()])); });
    REQUIRE(same_on_every_tier([&] { return search(span, others, kernel, tasks); }) == want);
    survives_on_every_tier([&] { search(victim.span, sub_victim.span, kernel, tasks); });
  });
}

std::string replace(std::string_view text, const kernels::Replacement& of) {
  std::string result;
  int64_t left = of.max_count < 0 ? INT64_MAX : of.max_count;
  size_t at = 0;
  if (of.old.empty()) {
    for (; left > 0 && at <= text.size(); --left) {
      result += of.by;
      const size_t length = at < text.size() ? std::max<size_t>(codepoint_at(text, at), 1) : 1;
      result += text.substr(at, length);
      at += length;
    }
    return result + std::string(text.substr(std::min(at, text.size())));
  }
  for (size_t found; left > 0 && (found = text.find(of.old, at)) != std::string_view::npos; --left) {
    result += text.substr(at, found - at);
    result += of.by;
    at = found + of.old.size();
  }
  return result + std::string(text.substr(at));
}

std::optional<std::vector<std::string>> replace_all(const StringSpan& in, const kernels::Replacement& of, int64_t tasks,
                                                    const Interference& interfere) {
  return map_all_by(in, tasks, interfere, [&](const kernels::Runner& runner, auto&& allocate) {
    kernels::replace_strings("", runner, of, in, allocate);
  });
}

FUZZ_TARGET(string_replace) {
  const int64_t tasks = 1 + in.below(5);
  const int64_t max_count = in.flag() ? -1 : in.below(6);
  const Shape shape = take_shape(in);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 32, in.flag() ? "ab" : "aba");
  const std::string old = take_sub(in, text), by = take_sub(in, text.substr(0, 8));
  const Arguments args = take_strings(in, text, shape);
  const kernels::Replacement of{old, by, max_count};
  if (!args.trusted || text.size() * (by.size() + 1) > 1 << 18) return;
  std::vector<std::string> want;
  args.strings.for_each([&](std::string_view string) { want.push_back(replace(string, of)); });
  REQUIRE(same_on_every_tier([&] { return replace_all(args.strings.span, of, tasks, nullptr); }) == want);
  survives_on_every_tier([&] {
    Strings victim = args.strings.copy();
    Input rest = in;
    replace_all(victim.span, of, tasks, [&] { victim.damage(rest); });
  });
}

template <class Functor>
Result call_search(const World& world, const kernels::Runner& runner, const Functor& f) {
  const Exact<typename Functor::Value> values(world.strings.span.size());
  kernels::reduce_strings(runner, f, world.strings.span, values.data());
  return digest(values);
}

SHARED_CALL(string_find, { return call_search(world, runner, kernels::FindLiteral{"ab", true}); })
SHARED_CALL(string_contains, { return call_search(world, runner, kernels::ContainsLiteral{"ab"}); })
SHARED_CALL(string_count, { return call_search(world, runner, kernels::CountLiteral{"a"}); })
SHARED_CALL(string_startswith, { return call_search(world, runner, kernels::StartsWithLiteral{"a"}); })
SHARED_CALL(string_replace, {
  return call_map_by(world, [&](auto&& allocate) {
    kernels::replace_strings("", runner, {"a", "xyz", -1}, world.strings.span, allocate);
  });
})
SHARED_CALL(string_endswith, { return call_search(world, runner, kernels::EndsWithLiteral{"a"}); })

}  // namespace
}  // namespace stringops::fuzz
