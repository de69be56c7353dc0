r"""Random and damaged patterns: which are accepted, and what they find, compared with RE2 (the package google-re2).

    stress syntax [--count N] [--seed S] [--every K]     --every: only the findings of each K-th pattern are compared

RE2 and the library must accept the same patterns, but for extensions (possessive repetitions, look-aheads), \C, and
patterns that are too large for one of them. What is accepted must find the same matches and groups in random texts, the
first ones and the longest ones, by every engine; but for the order in which empty loops are preferred. The first
difference ends the run with code 1.
"""

import ctypes
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise

import re2
import torch
from support.engines import by_closure, without_masks
from support.programs import options
from support.strings import compact

import torch_stringops

Groups = list[tuple[int, int]]  # the spans of a match and of its groups

ops = torch.ops.stringops
_parse = torch_stringops._native._c.stringops_parse

TOKENS = r"""
a b c é ß ſ K Σ 日 😀 1 _ - , . ^ $ | | ( ) ) (?: (?i) (?i: (?s-m: (?mU) (?-i) (?P<n> (?<é> (?=a) (?!b)
[ ] [^ ^ - [:alpha:] [:^digit:] [a-c] [^a\d] [α-ω] \] \[ \- * + ? *? +? ?? ++ { } {2} {1,3} {0,} {,2} {3,1} {02} {0}
{30} {40} {1001} {2}? \d \D \w \W \s \S \pL \PN \p{Greek} \p{^Lu} \P{Ll} \p{Any} \p{x} \pX \p \b \B \A \z \Z \E \Q
\Qa*\E \n \t \v \a \\ \. \x41 \x{3b1} \x{110000} \x{d800} \x4 \x{ \101 \08 \1 \8 \C \_ \é (?x) (?P=n) (?<=a) (?P<> >
""".split()  # noqa: SIM905
TOKENS += [" ", "\n", "\\", ""]
LETTERS = [
    "a", "a", "b", "c", "A", "é", "É", "ß", "ſ", "s", "K", "k", "α", "Σ", "ς", "日", "😀", "1", "_", "-", " ", "\n",
]  # fmt: skip
ATOMS = [
    *("a", "b", "c", "ab", "é", "日", ".", "[a-c]", "[^a]", "[^b\\n]"),
    *("\\d", "\\w", "\\W", "\\s", "\\pL", "\\p{Greek}"),
    *("[[:upper:]é]", "^", "$", "\\b", "\\B", "\\A", "\\z", "(?i:k)", "(?i:[sß])", "(?m:^)", "(?m:$)", "(?s:.)"),
    *("\\x{1f600}", "\\Qa\\E", ""),
]
# Repetitions in repetitions, of what can be empty. Of their matches RE2 prefers one or the other, depending on how it
# arranges its program: (?:(?:a??)*)* matches "" of "a", and (?i:(?:a??)*)* matches "a".
EMPTY_LOOPS = re.compile(r"[*?}|]\)+[*+{].*\)[*+{]", re.DOTALL)
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}"]


def expression(rng: random.Random, depth: int) -> str:
    """A pattern that is likely to be accepted."""
    kind = rng.random() if depth else 0.0
    if kind < 0.4:
        return rng.choice(ATOMS) + (rng.choice(REPEATS) if rng.random() < 0.3 else "")
    if kind < 0.6:
        return "".join(expression(rng, depth - 1) for _ in range(rng.randint(2, 3)))
    if kind < 0.8:
        return "|".join(expression(rng, depth - 1) for _ in range(rng.randint(2, 3)))
    opening = rng.choice(["(", "(", "(?:", "(?i:", "(?P<name>", "(?U:"])
    return f"{opening}{expression(rng, depth - 1)}){rng.choice(['', *REPEATS])}"


def damaged(rng: random.Random, pattern: str) -> str:
    """With a part of the pattern removed, repeated or replaced."""
    begin, end = sorted(rng.choices(range(len(pattern) + 1), k=2))
    if rng.random() < 0.7:
        end = min(end, begin + 2)
    middle = rng.choice(["", 2 * pattern[begin:end], rng.choice(TOKENS), rng.choice(TOKENS) + pattern[begin:end]])
    return pattern[:begin] + middle + pattern[end:]


def patterns(rng: random.Random) -> Iterator[str]:
    while True:
        kind = rng.random()
        if kind < 0.3:
            yield "".join(rng.choices(TOKENS, k=rng.randint(1, 8)))
            continue
        pattern = expression(rng, rng.randint(1, 3))
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            pattern = damaged(rng, pattern)
        yield pattern


def compiled(pattern: str, **settings: bool) -> "re2._Regexp | None":
    options = re2.Options()
    options.log_errors = False
    for name, value in settings.items():
        setattr(options, name, value)
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error:
        return None


def find(engine: "re2._Regexp", text: bytes, at: int) -> Groups | None:
    """The first match from `at` on that begins between two characters."""
    while match := engine.search(text, at):
        at = match.start()
        if at == len(text) or text[at] & 0xC0 != 0x80:
            return [match.span(g) for g in range(engine.groups + 1)]
        at += 1
    return None


def after(text: bytes, at: int) -> int:
    """The end of the character at `at`."""
    at += 1
    while at < len(text) and text[at] & 0xC0 == 0x80:
        at += 1
    return at


def all_matches(engine: "re2._Regexp", text: bytes) -> list[Groups]:
    found, at = [], 0
    while at <= len(text) and (groups := find(engine, text, at)):
        found.append(groups)
        begin, end = groups[0]
        at = end if end > begin else after(text, end)
    return found


def spans(strings: tuple[torch.Tensor, torch.Tensor], pattern: str, group: int) -> list[list[tuple[int, int]]]:
    found, row_splits = ops.regex_find_all_spans_ragged(*strings, pattern, group)
    flat = [tuple(span) for span in found.tolist()]
    return [flat[a:b] for a, b in pairwise(row_splits.tolist())]


def tokens(strings: tuple[torch.Tensor, torch.Tensor], pattern: str) -> list[list[bytes]]:
    data, offsets, row_splits = ops.tokenizer_ragged(*strings, tokenexp=pattern)
    raw = data.numpy().tobytes()
    flat = [raw[a:b] for a, b in pairwise(offsets.tolist())]
    return [flat[a:b] for a, b in pairwise(row_splits.tolist())]


def differs(pattern: str, texts: list[bytes], engine: "re2._Regexp", counts: Counter[str]) -> str | None:
    """What is found that differs, or nothing."""
    strings = compact(texts)
    alone = compiled(pattern, never_capture=True) if engine.groups else engine
    longest = compiled(pattern, never_capture=True, longest_match=True)
    assert alone
    assert longest
    # RE2 finds two kinds of matches with empty loops, by whether groups are needed. Groups are compared if both agree.
    want = [all_matches(engine, text) for text in texts]
    of_matches = [all_matches(alone, text) for text in texts] if engine.groups else want
    want_groups = [[[m[g] for m in found] for found in want] for g in range(min(engine.groups, 3) + 1)]
    want_alone = [[m[0] for m in found] for found in of_matches]
    if want_groups[0] != want_alone:
        del want_groups[1:]
    want_any = [bool(found) for found in of_matches]
    want_full = [alone.fullmatch(text) is not None for text in texts]
    want_tokens = [[text[m[0][0] : m[0][1]] for m in all_matches(longest, text) if m[0][0] < m[0][1]] for text in texts]
    for name, context in (("masks", nullcontext), ("automaton", without_masks), ("closure", by_closure)):
        with context():
            for group, of_group in enumerate(want_groups):
                got = spans(strings, pattern, group)
                if got == of_group or (group == 0 and got == want_alone):
                    continue
                if not EMPTY_LOOPS.search(pattern):
                    return f"group {group} by {name}"
                counts["with other matches of empty loops"] += name == "masks" and group == 0
                break
            if ops.regex_contains(*strings, pattern).tolist() != want_any:
                return f"regex_contains by {name}"
            if ops.regex_full_match(*strings, pattern).tolist() != want_full:
                return f"regex_full_match by {name}"
            if pattern not in ("", ".") and tokens(strings, pattern) != want_tokens:
                return f"the longest matches by {name}"
    return None


def check(pattern: str, rng: random.Random, counts: Counter[str], search: bool = True) -> str | None:
    """The difference, or nothing; counts what was compared. Finds nothing if not `search`."""
    encoded = pattern.encode()
    parsed = _parse(encoded, ctypes.c_int64(len(encoded)))
    engine = compiled(pattern)
    if parsed == 1:
        counts["with extensions"] += 1
        return "extensions that RE2 accepts" if engine else None
    if parsed < 0 and engine is None:
        counts["rejected by both"] += 1
        return None
    if parsed == 0 and engine and not search:
        counts["accepted by both"] += 1
        return None
    texts = ["".join(rng.choices(LETTERS, k=rng.randint(0, 8))).encode() for _ in range(4)]
    try:
        ops.regex_contains(*compact(texts), pattern)
    except (ValueError, RuntimeError) as error:
        if engine is None or "unsupported escape sequence \\C" in str(error):
            counts["with \\C" if engine else "too large for both"] += 1
            return None
        return f"accepted by RE2 only: {error}"
    if engine is None:
        return "accepted by the library only"
    counts["accepted by both"] += 1
    counts["of these, searched with"] += 1
    return differs(pattern, texts, engine, counts)


def compare(count: int, seed: int, counts: Counter[str], every: int = 1) -> str | None:
    """Checks `count` patterns; returns the first difference, or nothing."""
    rng = random.Random(seed)
    stream = patterns(rng)
    for i in range(count):
        pattern = next(stream)
        if difference := check(pattern, rng, counts, i % every == 0):
            return f"syntax: {pattern!r}: {difference}"
        if sys.stderr.isatty() and i % 1000 == 0:
            print(f"\r{i:,} of {count:,}", end="", file=sys.stderr, flush=True)
    return None


def main() -> int:
    arguments = options(__doc__, count=1_000_000, seed=1, every=1)
    torch.set_num_threads(1)
    counts: Counter[str] = Counter()
    began = time.monotonic()
    difference = compare(arguments.count, arguments.seed, counts, arguments.every)
    print(f"syntax: {dict(counts)} in {time.monotonic() - began:.0f} s")
    if difference:
        print(difference)
    return 1 if difference else 0
