"""Operators take no longer on slices, columns and rows of few strings than on adjacent strings, or a copy made first.

    stress layouts [OPERATOR ...] [--strings N] [--limit X]

Every public operator that takes strings is called with the same strings in each memory layout. The bound of its time is

- `call`, of operators that only read strings: LIMIT times the call on adjacent strings;
- `rows`, of the same if strings are not adjacent and that is more: 1.3 times the call on adjacent strings and copying
  each row to a small buffer, without any check, together (layouts.cpp): what an operator that processes many strings at
  once does. It is a measured reference, not the least time possible;
- `copy`, of operators that also write strings: LIMIT times `compact()` and the call on the copy together.

Prints all calls, those closest to their bound first, and exits with code 1 if any takes longer. Run it on an idle
machine.
"""

import argparse
import base64
import ctypes
import os
import random
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import torch
from support.harness import OpSuite
from support.registry import all_suites, is_private
from support.strings import compact as pair_of
from torch import Tensor

from torch_stringops import StringTensor

Pair = tuple[Tensor, Tensor]

# Operators that only take one row of strings.
ONE_ROW = {"string_join_ragged", "string_ngrams_ragged", "string_normalizer", "subword_build", "vocab_build"}


def rows_of(words: list[bytes], cols: int) -> Pair:
    return pair_of([words[i : i + cols] for i in range(0, len(words), cols)])


def with_gaps(words: list[bytes]) -> Pair:
    """Rows of one string, with a separator between them."""
    data, offsets = pair_of([part for word in words for part in (word, b", ")])
    return data, torch.stack([offsets[:-1:2], offsets[1::2]], dim=1)


def columns(words: list[bytes], cols: int) -> Pair:
    """`t[:, 1:]` of strings with one more column: a view of the offsets."""
    data, offsets = pair_of([[b"other", *words[i : i + cols]] for i in range(0, len(words), cols)])
    return data, offsets[:, 1:]


def every_second_row(words: list[bytes]) -> Pair:
    """`t[::2]` of rows of two strings."""
    data, offsets = pair_of(
        [row for i in range(0, len(words), 2) for row in (words[i : i + 2], [b"other", b"row"])]
    )
    return data, offsets[::2]


def permuted(words: list[bytes]) -> Pair:
    """Rows of two strings, in an order that is not that of their bytes."""
    order = torch.randperm(len(words) // 2, generator=torch.Generator().manual_seed(1))
    data, offsets = pair_of([words[2 * i : 2 * i + 2] for i in order.tolist()])
    return data, offsets[order.argsort()]


# Layout -> strings of a row, and a function of a list of strings whose length is a multiple of 12.
LAYOUTS: dict[str, tuple[int, Callable[[list[bytes]], Pair]]] = {
    "[n, 1]": (1, lambda words: rows_of(words, 1)),
    "[n, 2]": (2, lambda words: rows_of(words, 2)),
    "[n, 12]": (12, lambda words: rows_of(words, 12)),
    "rows": (2, every_second_row),
    "column": (1, lambda words: columns(words, 1)),
    "columns": (2, lambda words: columns(words, 2)),
    "12 columns": (12, lambda words: columns(words, 12)),
    "permuted": (2, permuted),
    "gaps": (1, with_gaps),
}


def words(n: int) -> list[bytes]:
    """Words of 1 to 12 letters, one in eight of which has an accent."""
    rng = random.Random(0)
    known = ["".join(rng.choices("etaoinsrhldcum", k=rng.randint(1, 12))) for _ in range(4096)]
    known[::8] = [word.replace("e", "\xe9") for word in known[::8]]
    return [word.encode() for word in rng.choices(known, k=n)]


@dataclass
class Work:
    """How an operator is called."""

    rest: tuple[Any, ...] = ()  # the arguments after the strings; a function is called with their shape
    kwargs: dict[str, Any] = field(default_factory=dict)
    strings: Callable[[int], list[bytes]] = words
    by_row: bool = False  # whether the result depends on the shape
    before: tuple[Any, ...] = ()  # the arguments before the strings

    def arguments(self, pair: Pair) -> list[Any]:
        shape = [*pair[1].shape[:-1], pair[1].shape[-1] - 1]
        return [*self.before, *pair, *(a(shape) if callable(a) else a for a in self.rest)]


def numbers(n: int) -> list[bytes]:
    rng = random.Random(3)
    return [str(rng.randint(-99999, 99999)).encode() for _ in range(n)]


def special_works() -> dict[str, Work]:
    """Operators whose other arguments depend on the strings."""
    one, some = pair_of([b"seen"]), pair_of(sorted(set(words(1000))))
    zips = ["equal", "greater", "greater_equal", "less", "less_equal"]
    zips += ["edit_distance", "damerau", "ratio", "jaro_winkler"]
    zips += [f"{name}.each" for name in ("contains", "count", "endswith", "find", "startswith")]
    table = torch.ops.stringops.vocab_build(*some)
    halves = Work((lambda shape: [shape[0] // 2, shape[0] - shape[0] // 2],), by_row=True)
    in_tensor = Work((lambda shape: torch.tensor([shape[0] // 2, shape[0] - shape[0] // 2]),), by_row=True)
    return {
        **{f"string_{name}": Work(one) for name in zips},
        **{f"string_{name}": Work(by_row=True) for name in ("sort", "argsort", "max", "min")},
        "string_isin": Work(some),
        "string_jaccard": Work((*one, 2)),
        "string_contains_any": Work(some),
        "string_extract_many": Work(some),
        "string_replace_many": Work((*some, *one)),
        "regex_contains_any": Work(one),
        "string_searchsorted": Work(before=some),
        "string_join": Work(("-",), by_row=True),
        "string_repeat": Work((lambda shape: torch.full(shape, 2),)),
        "string_to_number": Work((torch.int64,), strings=numbers),
        "string_unbase64": Work(strings=lambda n: [base64.b64encode(word) for word in words(n)]),
        "string_unhex": Work(strings=lambda n: [word.hex().encode() for word in words(n)]),
        "split.strings": halves,
        "split_to_sequence.strings": halves,
        "split.strings_Tensor": in_tensor,
        "split_to_sequence.strings_Tensor": in_tensor,
        "vocab_encode": Work((table,)),
        "split_encode": Work((table,)),
        "tokenize_encode": Work((table,), {"tokenexp": "[a-z]+"}),
        "tfidf_vectorizer.strings": Work(
            (*pair_of([b"seen", b"tea"]), torch.tensor([0, 1])),
            {
                "max_gram_length": 1,
                "min_gram_length": 1,
                "max_skip_count": 0,
                "mode": "TF",
                "ngram_counts": [0],
            },
            by_row=True,
        ),
    }


def find_works() -> dict[str, Work]:
    """Every public operator that takes strings; by default with the other arguments of a sample of its suite."""
    special, found = special_works(), {}
    for name, suite in all_suites().items():
        if is_private(name) or not suite.string_pairs() or name in ONE_ROW:
            continue
        found[name] = special.pop(name) if name in special else sample_work(suite)
    assert not special, f"no such operators: {sorted(special)}"
    return found


def sample_work(suite: OpSuite) -> Work:
    """The arguments of a sample, with one string in place of other strings."""
    sample, others = suite.samples[0], [position for position, _ in suite.string_pairs()[1:]]
    rest: list[Any] = []
    for position, value in enumerate(sample.args[1:], start=1):
        rest += pair_of([b"seen"]) if position in others else [value]
    if suite.name == "subword_encode_pairs":  # each text has its pair
        rest[:2] = [
            lambda shape: EMPTY,
            lambda shape: torch.zeros([*shape[:-1], shape[-1] + 1], dtype=torch.int32),
        ]
    return Work(tuple(rest), sample.kwargs)


EMPTY = torch.empty(0, dtype=torch.uint8)


NEAR = 1.3  # times a call on adjacent strings and the copies of their rows


@cache
def gather_function() -> Any:
    """`gather` of layouts.cpp."""
    source = Path(__file__).with_suffix(".cpp")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "liblayouts.so"
        compiler = shlex.split(os.environ.get("CXX", "c++"))
        flags = ["-std=c++17", "-O3", "-fPIC", "-shared", "-Wall", "-Wextra"]
        subprocess.run([*compiler, *flags, "-o", str(library), str(source)], check=True)
        function = ctypes.CDLL(str(library)).gather
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * 4]
    function.restype = ctypes.c_int64
    return function


def row_copies(pair: Pair) -> Callable[[], int]:
    """Copies each row of offsets of shape `[rows, cols + 1]` to a buffer; returns the number of bytes."""
    data, offsets = pair
    rows, cols = len(offsets), offsets.shape[1] - 1
    sizes = (offsets[:, -1] - offsets[:, 0]).tolist()
    assert max(sizes) <= 512
    usual = 2 * sum(sizes) // rows
    readable = torch.cat([data, torch.zeros(512, dtype=torch.uint8)])
    pointers = readable.data_ptr(), offsets.data_ptr()
    function = gather_function()

    def call(_owners: tuple[Tensor, Tensor] = (readable, offsets)) -> int:
        return function(*pointers, offsets.stride(0), cols, rows, usual)

    return call


def best(calls: list[Callable[[], object]], rounds: int) -> list[float]:
    """The least time of each call in seconds; they take turns, so that other work slows all of them."""
    times = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            began = time.perf_counter()
            call()
            times[i] = min(times[i], time.perf_counter() - began)
    return times


@dataclass(frozen=True)
class Timing:
    """Times of a call in one layout, in seconds."""

    operator: str
    layout: str
    took: float
    flat: float  # the call on adjacent strings
    copied: float  # compact()
    gathered: float  # row_copies, 0 of adjacent rows
    writes: bool  # whether the result has the bytes of strings

    def bound(self, limit: float) -> tuple[float, str]:
        """The time that a call may take, and the bound's name."""
        if self.writes:
            return limit * (self.copied + self.flat), "copy"
        rows = NEAR * (self.gathered + self.flat)
        return (rows, "rows") if self.gathered and rows > limit * self.flat else (limit * self.flat, "call")


def has_bytes(results: Any) -> bool:
    results = [results] if isinstance(results, Tensor) else results
    return any(part.dtype == torch.uint8 for part in results)


def measure(name: str, work: Work, layout: str, n: int) -> Timing:
    cols, build = LAYOUTS[layout]
    strings = work.strings(n)
    pair = build(strings)
    overload = all_suites()[name].overload
    args, compact = (work.arguments(p) for p in (pair, rows_of(strings, cols if work.by_row else n)))
    calls: list[Callable[[], object]] = [
        lambda: overload(*args, **work.kwargs),
        lambda: overload(*compact, **work.kwargs),
        StringTensor(*pair).compact,
    ]
    if not layout.startswith("["):  # rows that are not adjacent
        calls.append(row_copies(pair))
    once = best(calls[1:2], 2)[0]
    took, flat, copied, *gathered = best(calls, max(3, min(50, int(0.1 / max(once, 1e-4)))))
    return Timing(name, layout, took, flat, copied, sum(gathered), has_bytes(calls[0]()))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("operators", nargs="*", default=["*"], metavar="OPERATOR", help="* and ? allowed")
    parser.add_argument("--strings", type=int, default=48_000, help="of a call (default: 48,000)")
    parser.add_argument(
        "--limit", type=float, default=1.5, help="times the call, or copying first (default: 1.5)"
    )
    args = parser.parse_args()
    torch.set_num_threads(1)
    works = {
        name: work for name, work in find_works().items() if any(fnmatch(name, p) for p in args.operators)
    }
    n = args.strings // 12 * 12
    timings = [measure(name, work, layout, n) for name, work in works.items() for layout in LAYOUTS]
    print("share bound  call  copy operator                      layout             ms      rows")
    rows = [(t.took / t.bound(args.limit)[0], t) for t in timings]
    for share, t in sorted(rows, key=lambda row: -row[0]):
        ratios = f"{t.took / t.flat:5.2f} {t.took / (t.flat + t.copied):5.2f}"
        times = f"{1000 * t.took:8.3f}  {1000 * t.gathered:8.3f}"
        print(f"{share:5.2f} {t.bound(args.limit)[1]:5} {ratios} {t.operator:29} {t.layout:12} {times}")
    slow = sum(share > 1 for share, _ in rows)
    print(f"layouts: {slow} of {len(timings)} calls take longer than their bound")
    return 1 if slow else 0
