// Targets of operators from strings to strings: FUZZ_MAP(string_lower, Lower). With any number of tasks, the driver
// must give what the functor gives for each string alone, in a separate buffer. Of a functor with arguments:
//
//   FUZZ_TARGET(string_strip) { check_map(in, StripWhitespace{take_sides(in)}); }
#pragma once

#include "driver/padded_map.h"
#include "driver/stable_map.h"
#include "driver/substring_map.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {

// The result of one string, by the members that a driver uses.
template <class Functor>
std::string map_text(kernels::EditMap, const Functor& f, StringView in) {
  std::vector<uint8_t> out;
  return f.edit(in, out) ? text_of(out.data(), static_cast<int64_t>(out.size())) : text_of(in.begin, in.size());
}

template <kernels::FindBy kBy, class Functor>
std::string map_text(kernels::SubstringMap<kBy>, const Functor& f, StringView in) {
  const StringView piece = f.piece(in);
  REQUIRE(in.begin <= piece.begin && piece.begin <= piece.end && piece.end <= in.end);
  return text_of(piece.begin, piece.size());
}

template <class Functor>
std::string map_text(kernels::PaddedMap, const Functor& f, StringView in) {
  const int64_t length = kernels::length_in_codepoints(in);
  const Bytes out(f.size(in.size(), length));
  uint8_t* const out_end = out.data() + out.size();
  REQUIRE(f.write(in, length, in.end, out.data(), out_end) == out_end);
  return text_of(out.data(), out.size());
}

template <class Functor>
std::string map_text(kernels::TaskMap, const Functor& f, StringView in) {
  typename Functor::Worker worker(f);
  const int32_t offsets[] = {0, static_cast<int32_t>(in.size())};
  const StringSpan one{in.begin, in.size(), offsets, 1, 1};
  const Bytes out(worker.measure(one, 0, 1));
  int32_t out_offsets[2];
  REQUIRE(worker.write(one, 0, 1, {out.data(), out_offsets}, 0, out.size()));
  return text_of(out.data(), out.size());
}

template <class Driver, class Functor>
std::string map_text(Driver, const Functor& f, StringView in) {
  const Bytes out(f.size(in));
  REQUIRE(f.write(in, out.data(), out.data() + out.size()) == out.data() + out.size());
  return text_of(out.data(), out.size());
}

template <class Functor>
std::string map_one(const Functor& f, std::string_view text) {
  const Bytes copy = bytes_of(text);
  return map_text(typename Functor::Driver(), f, {copy.data(), copy.data() + copy.size()});
}

// map(runner, allocate) is the call of a driver on `in`. Nothing if it has rejected arguments that changed.
template <class Map>
std::optional<std::vector<std::string>> map_all_by(const StringSpan& in, int64_t tasks, const Interference& interfere,
                                                   Map&& map) {
  const Exact<int32_t> offsets(in.rows * (in.cols + 1));
  Bytes data;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  if (!gives_result(interfere != nullptr, [&] { map(kernels::LoopRunner(tasks, true), allocate); })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(offsets, in.rows, in.cols, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < in.size(); ++i) {
    const int32_t* at = &offsets[i / in.cols * (in.cols + 1) + i % in.cols];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

template <class Functor>
std::optional<std::vector<std::string>> map_all(const Functor& f, const StringSpan& in, int64_t tasks,
                                                const Interference& interfere) {
  return map_all_by(in, tasks, interfere, [&](const kernels::Runner& runner, auto&& allocate) {
    kernels::map_strings("", runner, f, in, allocate);
  });
}

template <class Functor>
void check_map_of(const Arguments& args, const Input& rest, int64_t tasks, const Functor& f) {
  if (!args.trusted) return;
  std::vector<std::string> want;
  args.strings.for_each([&](std::string_view text) { want.push_back(map_one(f, text)); });
  REQUIRE(same_on_every_tier([&] { return map_all(f, args.strings.span, tasks, nullptr); }) == want);
  survives_on_every_tier([&] {
    Strings victim = args.strings.copy();
    Input more = rest;
    map_all(f, victim.span, tasks, [&] { victim.damage(more); });
  });
}

template <class Functor>
void check_map(Input& in, const Functor& f) {
  const int64_t tasks = 1 + in.below(5);
  const Arguments args = take_strings(in, ",");
  check_map_of(args, in, tasks, f);
}

template <class Functor>
void fuzz_map(Input& in) {
  check_map(in, Functor());
}

template <class Map>
Result call_map_by(const World& world, Map&& map) {
  const StringSpan& in = world.strings.span;
  const Exact<int32_t> offsets(in.rows * (in.cols + 1));
  Bytes data;
  map([&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    return kernels::MapOutput{data.data(), offsets.data()};
  });
  return digest(data, offsets);
}

template <class Functor>
Result call_map(const Functor& f, const World& world, const kernels::Runner& runner) {
  return call_map_by(world,
                     [&](auto&& allocate) { kernels::map_strings("", runner, f, world.strings.span, allocate); });
}

}  // namespace stringops::fuzz

#define FUZZ_MAP(op, Functor)                                                                                 \
  [[maybe_unused]] static const bool registered_##op = ::stringops::fuzz::add_target<fuzz_map<Functor>>(#op); \
  SHARED_CALL(op, { return ::stringops::fuzz::call_map(Functor(), world, runner); })
