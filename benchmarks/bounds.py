"""Times parts of the work of rows: the bounds that `Row.reasons` name.

python -m benchmarks.bounds              times all parts
python -m benchmarks.bounds reverse      those of rows with this text in their name

Each part is a call on the inputs of the row, on one thread. The parts of a row run in turns, so that a busy machine
slows all of them; a figure is the median of the processor time.
"""

import os
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import torch

from benchmarks import bench_regex, bench_search_many, ours
from benchmarks.bench_datetime import seconds
from benchmarks.bench_string_number import numbers
from benchmarks.corpora import from_strings, words_of
from benchmarks.rows import Context

SECONDS = 1.0
Parts = dict[str, Callable[[], Any]]


def strings_of(workload: str, short: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    corpus = Context().corpus(workload)
    strings = ours.string_tensor(words_of(corpus) if short else corpus)
    return strings.data, strings.offsets


def op(name: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return partial(ours.operator(name), *args, **kwargs)


def maps(workload: str, short: bool) -> Parts:
    """Maps that compute something for each string, beside those that only copy it once or twice."""
    data, offsets = strings_of(workload, short)
    names = (
        "string_hex",
        "string_base64",
        "string_reverse",
        "string_lower",
        "string_upper",
        "string_is_ascii",
    )
    copies = {f"string_repeat({n})": op("string_repeat", data, offsets, torch.tensor([n])) for n in (1, 2)}
    return {
        **{name: op(name, data, offsets) for name in names},
        **copies,
        "copy of the strings": lambda: (data.clone(), offsets.clone()),
        "lengths in bytes, which reads the offsets alone": op("string_length", data, offsets, "byte"),
    }


def distances() -> Parts:
    """Code points of both sides are the input of TensorFlow, and a part of our work."""
    words = words_of(Context().corpus("W3")).encoded[:20_000]
    sides = [ours.string_tensor(from_strings("words", "", words[i:] + words[:i])) for i in (0, 1)]
    tensors = [tensor for side in sides for tensor in (side.data, side.offsets)]
    decode = [op("string_codepoints", *tensors[i : i + 2]) for i in (0, 2)]
    return {
        "string_edit_distance": op("string_edit_distance", *tensors),
        "string_codepoints of both": lambda: [call() for call in decode],
    }


def times() -> Parts:
    values = seconds()
    formats = {"the year": "%Y", "ISO 8601": "%Y-%m-%dT%H:%M:%S", "a constant": "-"}
    return {
        **{name: op("string_from_datetime", values, format, "s") for name, format in formats.items()},
        "string_from_number": op("string_from_number", values),
    }


def floats() -> Parts:
    found: Parts = {}
    for kind in ("integers", "prices", "floats"):
        values = torch.tensor([float(s) for s in numbers(kind).encoded], dtype=torch.float64)
        found[kind] = op("string_from_number", values.long() if kind == "integers" else values)
    return found


def patterns(workload: str) -> Parts:
    corpus = bench_search_many.strings_of(workload, Context())
    strings = ours.string_tensor(corpus)
    found: Parts = {}
    for count in (10, 1000, 10_000):
        listed = ours.string_tensor(
            from_strings("patterns", "", bench_search_many.drawn_patterns(corpus, count))
        )
        arguments = (strings.data, strings.offsets, listed.data, listed.offsets)
        for name in ("string_contains_any", "string_extract_many"):
            found[f"{name}, {count:,}"] = op(name, *arguments)
    found["string_is_ascii"] = op("string_is_ascii", strings.data, strings.offsets)
    return found


def calls() -> Parts:
    """A call of an operator, by the number of tensors that it takes and returns."""
    a, b, offsets = torch.ones(2), torch.ones(2), torch.tensor([0, 1, 2], dtype=torch.int32)
    data = torch.tensor([97, 98], dtype=torch.uint8)
    found: Parts = {
        "aten.add of two numbers": partial(torch.ops.aten.add.Tensor, a, b),
        "string_is_ascii (2 tensors to 1)": op("string_is_ascii", data, offsets),
        "string_lower (2 to 2)": op("string_lower", data, offsets),
        "string_split_ragged (2 to 3)": op("string_split_ragged", data, offsets, ""),
    }
    return {name: partial(several, call) for name, call in found.items()}


def several(call: Callable[[], Any]) -> None:
    for _ in range(1000):
        call()


def groups() -> Parts:
    """All groups of a line, and only the first one."""
    data, offsets = ours.tensors(bench_regex.CORPORA["lines"](Context()))
    found: Parts = {
        f"_regex_extract_groups, {count} of 13": op(
            "_regex_extract_groups", data, offsets, bench_regex.FIELDS, list(range(1, count + 1))
        )
        for count in (1, 7, 13)
    }
    return {**found, "regex_contains": op("regex_contains", data, offsets, bench_regex.FIELDS)}


def lookups() -> Parts:
    """Steps of tokenize_encode, each on the results of the one before."""
    data, offsets = strings_of("W3")
    lowered = ours.operator("string_lower")(data, offsets)
    return {
        "string_lower": op("string_lower", data, offsets),
        "tokenizer_ragged": op("tokenizer_ragged", *lowered, tokenexp=r"[^\s\pZ]+", mincharnum=1),
    }


def finds() -> Parts:
    """A text to search in each string, and one for all."""
    data, offsets = strings_of("W1")
    words = [text.split()[-1] for text in Context().corpus("W1").encoded]
    each = ours.string_tensor(from_strings("words", "", words))
    return {
        "string_find of one": op("string_find", data, offsets, "needle"),
        "string_contains of one": op("string_contains", data, offsets, "needle"),
        "string_find.each": partial(
            torch.ops.stringops.string_find.each, data, offsets, each.data, each.offsets
        ),
    }


def joins() -> Parts:
    data, offsets = strings_of("W1", True)
    rows = torch.arange(0, len(offsets), 8)
    rows[-1] = len(offsets) - 1
    return {
        "string_join_ragged": op("string_join_ragged", data, offsets, rows, " "),
        "string_repeat(1)": op("string_repeat", data, offsets, torch.tensor([1])),
    }


def paddings(workload: str, short: bool) -> Parts:
    """Padding, and what it has in common with others: lengths in code points, and a copy of each string."""
    data, offsets = strings_of(workload, short)
    once = torch.tensor([1])
    return {
        **{
            f"{name}(16)": op(name, data, offsets, 16)
            for name in ("string_rjust", "string_ljust", "string_zfill")
        },
        "string_length": op("string_length", data, offsets),
        "string_repeat(1)": op("string_repeat", data, offsets, once),
        "string_slice(1, 5)": op("string_slice", data, offsets, 1, 5),
        "string_is_ascii": op("string_is_ascii", data, offsets),
        "copy of the strings": lambda: (data.clone(), offsets.clone()),
    }


def strips(workload: str, short: bool) -> Parts:
    """Stripping, which looks at both ends of each string, then copies it, beside a copy of each string and of all."""
    data, offsets = strings_of(workload, short)
    once = torch.tensor([1])
    return {
        "string_strip": op("string_strip", data, offsets, None),
        "string_strip(eé)": op("string_strip", data, offsets, "e\u00e9"),
        "string_repeat(1)": op("string_repeat", data, offsets, once),
        "copy of the strings": lambda: (data.clone(), offsets.clone()),
    }


def classes(workload: str) -> Parts:
    """Tests that most strings fail at their first bytes, and what they have in common with all operators."""
    data, offsets = strings_of(workload)
    names = ("string_is_alpha", "string_is_digit", "string_is_space", "string_is_upper", "string_is_ascii")
    begins = offsets[:-1].long()
    return {
        **{name: op(name, data, offsets) for name in names},
        "lengths in bytes, which reads the offsets alone": op("string_length", data, offsets, "byte"),
        "the first byte of each string, by torch": lambda: data[begins],
    }


def widths() -> Parts:
    data, offsets = strings_of("W7")
    return {name: op(name, data, offsets) for name in ("string_width", "string_is_ascii", "string_length")}


def split_views() -> Parts:
    numbers_ = torch.zeros(100_000, 64)
    return {
        "torch.split, 100 views": partial(torch.split, numbers_, 1000),
        "100 slices by torch": lambda: [numbers_[i : i + 1000] for i in range(0, 100_000, 1000)],
        "split_with_sizes": lambda: numbers_.split_with_sizes([1000] * 100),
        "copy of as many bytes": numbers_.clone,
    }


PARTS: dict[str, Callable[[], Parts]] = {
    "string_hex, string_base64, string_reverse, string_lower/words of W1": partial(maps, "W1", True),
    "string_hex, string_base64, string_reverse, string_lower, string_upper/W1": partial(maps, "W1", False),
    "string_reverse/words of W3": partial(maps, "W3", True),
    "string_reverse/W3": partial(maps, "W3", False),
    "string_edit_distance/words of W3": distances,
    "string_from_datetime": times,
    "string_from_number": floats,
    "string_contains_any, string_extract_many, string_replace_many in words": partial(patterns, "words"),
    "string_contains_any, string_extract_many, string_replace_many in lines": partial(patterns, "lines"),
    "string_contains_any, string_extract_many, string_replace_many in logs": partial(patterns, "logs"),
    "overhead/2 strings, 1000 calls": calls,
    "regex/extract_groups/line": groups,
    "tokenize_encode/W3, lower": lookups,
    "string_find/a word for each of W1": finds,
    "string_join_ragged/words of W1": joins,
    "string_rjust, string_ljust, string_zfill, string_slice/words of W1": partial(paddings, "W1", True),
    "string_rjust, string_ljust, string_zfill, string_slice/W1": partial(paddings, "W1", False),
    "string_strip/W1": partial(strips, "W1", False),
    "string_strip/words of W1": partial(strips, "W1", True),
    "string_is_alpha and its like/W1": partial(classes, "W1"),
    "string_is_alpha and its like/W3": partial(classes, "W3"),
    "string_width/W7": widths,
    "split_to_sequence/numbers": split_views,
}


def measured(parts: Parts) -> dict[str, float]:
    """Milliseconds of each part."""
    for call in parts.values():
        call()
    taken: dict[str, list[int]] = {name: [] for name in parts}
    end = time.monotonic() + SECONDS * len(parts)
    while time.monotonic() < end or len(next(iter(taken.values()))) < 5:
        for name, call in parts.items():
            begin = time.process_time_ns()
            out = call()
            taken[name].append(time.process_time_ns() - begin)
            del out
    return {name: median(values) / 1e6 for name, values in taken.items()}


def main() -> None:
    torch.set_num_threads(1)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for row, make in PARTS.items():
        if all(re.search(text, row) for text in sys.argv[1:]):
            print(row)
            for name, milliseconds in measured(make()).items():
                print(f"    {milliseconds:10.3f} ms  {name}", flush=True)


if __name__ == "__main__":
    main()
