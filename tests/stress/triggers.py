"""One character in one string of 1,000 must not slow a call: the kinds of code points, over all operators of strings.

    stress triggers [OPERATOR ...] [--limit 2]

A kind of code points is a category, a number of bytes, and what normalization and case do to it. The strings are lines of
ASCII; one of 1,000 gets a code point of each kind in turn, and then bytes that are no code point. The time of a call is the least processor time of several, and
its ratio to the time without the code point is measured again, longer, if it exceeds the limit.
"""

from __future__ import annotations

import argparse
import time
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from support.harness import is_pair
from support.registry import all_suites

from torch_stringops import StringTensor

ROWS = 1000
LINES = [f"user {i} logged in from Host-{i % 97}.Example.org and wrote 12 files" for i in range(ROWS)]
ODD_ROW = 7
INVALID = [b"\xff", b"\x80", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf"]
# Compositions of operators that choose by the content of strings.
METHODS = {
    "segments_ragged": lambda s: s.segments_ragged(),
    "length(grapheme)": lambda s: s.length("grapheme"),
    "reverse(grapheme)": lambda s: s.reverse("grapheme"),
    "contains(ignore_case)": lambda s: s.contains("example", ignore_case=True),
    "replace(ignore_case)": lambda s: s.replace("example", "x", ignore_case=True),
    "regex_find_all_ragged(words)": lambda s: s.regex_find_all_ragged(r"\w+"),
    "regex_replace(digits)": lambda s: s.regex_replace(r"\d+", "#"),
    "regex_contains(letters)": lambda s: s.regex_contains(r"[A-Z]\w+\.org"),
}  # fmt: skip


def kinds_of_codepoints() -> list[str]:
    """The first code point of each kind."""
    found: dict[Any, str] = {}
    for c in map(chr, (*range(0x80), *range(0x80, 0xD800), *range(0xE000, 0x110000))):
        changed = [f(c) != c for f in (str.lower, str.upper, str.casefold)]
        sizes = [len(f(c).encode()) for f in (str, str.lower, str.upper, str.title)]
        forms = [unicodedata.normalize(form, c) != c for form in ("NFC", "NFKC", "NFD")]
        is_control = c < " " or c in "\x7f\x85\"'\\,.-"
        kind = (
            unicodedata.category(c),
            *sizes,
            *changed,
            *forms,
            unicodedata.combining(c) > 0,
            c if is_control else "",
        )
        found.setdefault(kind, c)
    return list(found.values())


def strings_with(text: bytes) -> StringTensor:
    lines = [line.encode() for line in LINES]
    lines[ODD_ROW] = lines[ODD_ROW][:20] + text + lines[ODD_ROW][20:]
    return StringTensor.from_list(lines)


def calls() -> Iterator[tuple[str, Callable[[StringTensor], Any]]]:
    """Each operator whose first argument is strings, with the other arguments of the small call of its suite."""
    yield from METHODS.items()
    for suite in all_suites().values():
        if not is_pair(suite.overload._schema.arguments, 0):
            continue
        try:
            args, kwargs = suite.tensors(suite.small_call())
        except LookupError:
            continue

        def run(s: StringTensor, overload: Any, rest: list[Any], options: dict[str, Any]) -> Any:
            return overload(s.data, s.offsets, *rest, **options)

        yield suite.name, partial(run, overload=suite.overload, rest=args[2:], options=kwargs)


def least_time(call: Callable[[StringTensor], Any], s: StringTensor, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.process_time()
        call(s)
        times.append(time.process_time() - began)
    return min(times)


def is_taken(call: Callable[[StringTensor], Any], s: StringTensor) -> bool:
    try:
        call(s)
    except (RuntimeError, ValueError, TypeError):
        return False
    return True


def slowest(call: Callable[[StringTensor], Any], odd: dict[bytes, StringTensor], limit: float) -> tuple[float, bytes]:
    """The greatest ratio of the time with a text to the time without, and the text. Those that are errors are left out."""
    plain = strings_with(b"x")
    base = least_time(call, plain, 15)
    worst = (0.0, b"")
    for text, strings in odd.items():
        if not is_taken(call, strings):
            continue
        ratio = least_time(call, strings, 3) / base
        if ratio > limit:
            ratio = least_time(call, strings, 25) / least_time(call, plain, 25)
        worst = max(worst, (ratio, text))
    return worst


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--limit", type=float, default=2.0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    odd = {text: strings_with(text) for text in (*(c.encode() for c in kinds_of_codepoints()), *INVALID)}
    plain = strings_with(b"x")
    tried = above = 0
    for name, call in calls():
        if options.operators and name not in options.operators:
            continue
        if not is_taken(call, plain):
            continue  # such strings are an error, or other arguments do not fit so many
        ratio, text = slowest(call, odd, options.limit)
        tried += 1
        if ratio > options.limit:
            above += 1
            print(f"  {name}: {ratio:.2f} times the time with {text!r} in one string of {ROWS}", flush=True)
    print(f"{tried} operators, {len(odd)} kinds of text: {above} above {options.limit} times the time without")
    return 1 if above else 0
