"""Adversarial patterns: more than eighty regular expressions, each on a megabyte of text, in bounded time and memory.

    stress patterns [--quick]     --quick: as tokenexp, as separator or by regex_*, in turn, not all three

With them, backtracking engines take exponential time, automata grow without limit, or each token requires reading the
rest of the text. Each runs in a child process, which prints its time, memory and result. The exit code is 1 if one
takes more than SECONDS of processor time or MEMORY, fails in another way, or writes to stderr; or if the time of a very
large pattern grows faster than the text.
"""

from __future__ import annotations

import os
import random
import resource
import string
import time
from collections.abc import Callable
from functools import partial

import torch
from support.programs import options

import torch_stringops  # noqa: F401

MB = 1 << 20
HOW = ("tokenexp", "separator", "regex")
SECONDS, MEMORY = 0.5, 64 * MB
STOPPED = 20  # seconds after which a child is killed

A, AB, ABC, XYZ = "a" * MB, "ab" * (MB // 2), "abc" * (MB // 3), "xyz" * (MB // 3)
MIXED = "".join(random.Random(1).choices("ab", k=MB))
LETTERS = "".join(random.Random(1).choices(string.ascii_lowercase, k=MB))
WORDS = ["".join(random.Random(i).choices(string.ascii_lowercase, k=3 + i % 10)) for i in range(20_000)]
HAN = [chr(c) for c in range(0x4E00, 0x9FA0)]
HAN_TEXT = "".join(random.Random(1).choices(HAN, k=MB // 3))
HAN_WORDS = ["".join(random.Random(i).choices(HAN, k=2)) for i in range(15_000)]
HAN_SETS = [f"[{word}]{HAN[i]}" for i, word in enumerate(HAN_WORDS)]
PATTERNS = [
    # Nested repetitions: exponential time with backtracking.
    ("(a+)+$", A[:-1] + "!"), ("(a|aa)+$", A[:-1] + "!"), ("(a*)*b", A), ("(a|a?)+", A), ("(.*)*x", A),
    ("(x+x+)+y", "x" * MB), ("(a|b|ab)*c", AB), ("((a*)*)*b", A), ("a*a*a*a*a*a*b", A), ("(?s).*.*.*.*.*x", A),
    (".*?" * 50 + "x", A), ("^(([a-z])+.)+[A-Z]([a-z])+$", A), (r"(?i)(?:[^\W\d]+)+\d$", A),
    ("(a|(b|(c|(d|e))))*f", "abcde" * (MB // 5)), ("(?i)(ſ|k|s)+x", "ks" * (MB // 2)), ("x*y*z*" * 100 + "q", XYZ),
    (r"\b(\w+)\b.*\b(\w+)\b$", "ab " * (MB // 3)), (r"(\p{Han}|\p{L}|.)*z", "漢" * (MB // 3)),
    # Counted repetitions: many states, or states that fill the engine's memory.
    ("(?:a?){1000}a{1000}", A), ("(a{1,100}){1,10}", A), ("a{1000}{1000}", A), ("[a-z]{1000}", A), ("(.{1,500})b", A),
    ("a.{0,300}b", A), (r"\pL{1,280}x", A), (r"(?:\pL{1,9}){1,15}\d", A), ("((a{0,5}){0,5}){0,5}[b]", A),
    # So many states that the engine cannot use an automaton.
    ("[ab]*a[ab]{30}c", MIXED), (".*a.{150}c", MIXED), ("[ab]*a[ab]{450}c|a", MIXED), ("a[ab]{900}c", MIXED),
    ("(.*a.{900})$", MIXED), (r"(?:[ab]*\w{99}c)|a", MIXED),
    ("[ab]*a[ab]{12}x", AB), ("[ab]*a[ab]{20}", MIXED), ("(?:[ab]*a[ab]{30})c", MIXED), ("a[ab]{200}b", MIXED),
    (r"[^\n]{900}\n", A), ("a?" * 300 + "a" * 300, A), ("(?:(?:(?:a{2}){2}){2}){2}z", A),
    ("[[:alpha:]]{500}[[:digit:]]", A), ("[a-q][^u-z]{13}x", "abcdefghij" * (MB // 10)),
    ("[\0-\U0010ffff]{100}z", A),
    # Large patterns.
    ("|".join(f"w{i}" for i in range(10000)), "w1234 " * (MB // 6)), ("(" * 900 + "a" + ")" * 900, A),
    ("(?:" * 900 + "a" + ")*" * 900, A), ("(?:" + "|".join("a" * i for i in range(1, 300)) + ")b", A),
    # Empty matches, and as many tokens as bytes.
    ("a*", A), ("$", A), ("^", A), (r"\Ba|b\B", A), ("a\0b", "a\0b" * (MB // 3)),
    # Finding the longest match requires reading the rest of the text, for each token.
    ("a.*b|a", A), ("a(.*b)?", A), ("a+b+c+|a", A), ("(?:a.*z|b.*y|c.*x|a|b|c)", ABC),
    ("a[ab]{900}c|a", A), ("a[ab]{900}c|a", MIXED), ("(?:[ab]*a[ab]{30}c)|a", MIXED), (".*a.{900}", MIXED),
    (".*?a.{900}?", MIXED), ("(?:[ab]*?a[ab]{40}c)|[ab]", MIXED), ("a??(.*?b)??", A), ("(a?){100}(a??){100}b|a", A),
    ("(?:.*a.{900}c)|[ab]", MIXED), (r"\ba.*z|a", A), ("(a|aa)*b", A), ("(.*)(.*)(.*)x", A),
    # Groups in repetitions, possessive repetitions and look-aheads.
    ("(?:([ab])*?[ab]{500}c)|(a)", MIXED), ("((?:a|ab)(?:c|bcd)*?(d*))*x|([ab])", MIXED), ("((a)|(b)|(ab))*c|(a)", MIXED),
    ("(?:a{1,1000}b)|(a)", A), ("(?:(a{1,30}){1,30}c)|(a)", A), ("(.)*" * 300 + "x", ABC),
    ("(?:([a-m]{1,9}+)([n-z]{0,9}+)){1,50}!|a", LETTERS), ("(?:(?:[a-m](?=[n-z])|[n-z]|[a-m](?=[a-m])){1000}!)|a", LETTERS),
    # Lists of words.
    ("|".join(WORDS[:5000]), LETTERS), ("(?:(?:" + "|".join(WORDS[:5000]) + ") ?)*!", " ".join(WORDS[:5000]) * 20),
    # Thousands of classes of characters.
    ("|".join(HAN_WORDS), HAN_TEXT), ("|".join(HAN_WORDS), "".join(HAN_WORDS) * 11),
    ("|".join(HAN_SETS), HAN_TEXT),
]  # fmt: skip
# A step of these can visit 50,000 instructions, so that they take longer, but no more than in proportion to the text.
OPTIONAL = "".join(f"(?:{c})?" for c in string.ascii_lowercase)
GROWN, GROWTH = 4, 8  # times the text, times the time: quadratic time would grow 16 times
LARGE = [
    (f"(?:{OPTIONAL}){{1000}}", LETTERS), (f"(?:{OPTIONAL}){{1000}}!|[a-z]", LETTERS),
    (f"(?:{OPTIONAL.replace('?:', '')}){{1000}}", LETTERS), ("(?:a?b?){1000}c|(a)", MIXED),
    ("(?:[ab]*a" + "[ab]{1000}" * 80 + "c)|a", MIXED), ("|".join(WORDS), LETTERS), ("((a{0,10}){0,10}){0,10}b|a", A),
    ("(?:(?:(a)|b){0,30}){0,30}c|[ab]", MIXED),
]  # fmt: skip


def pair(text: str) -> tuple[torch.Tensor, torch.Tensor]:
    raw = bytearray(text.encode())
    return torch.frombuffer(raw, dtype=torch.uint8), torch.tensor([0, len(raw)], dtype=torch.int32)


def find(pattern: str, text: str, how: str) -> str:
    try:
        if how == "regex":
            return regex(pattern, text)
        which = {"separators": [pattern]} if how == "separator" else {"tokenexp": pattern}
        _, offsets, _ = torch.ops.stringops.tokenizer_ragged(*pair(text), **which)
    except (ValueError, RuntimeError) as error:  # RuntimeError since torch 2.15
        return str(error).split(": ", 1)[1][:70]
    return f"{offsets.numel() - 1} tokens"


def regex(pattern: str, text: str) -> str:
    ops, strings = torch.ops.stringops, pair(text)
    spans, _ = ops.regex_find_all_spans_ragged(*strings, pattern)
    return f"{len(spans)} matches, {ops.regex_contains(*strings, pattern).item()}"


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(pattern: str, text: str, limit: float, how: str) -> bool:
    """In a child: prints the result, and returns whether it stayed within the limits of time and memory."""
    find("ab|c", A, how)  # the memory of the first call is not that of the pattern
    started, before = time.process_time(), peak()
    result = find(pattern, text, how)
    seconds, memory = time.process_time() - started, peak() - before
    print(f"{seconds:5.2f} s {memory / MB:4.0f} MB  {how:9}  {pattern[:40]!r}: {result}", flush=True)
    return seconds <= limit and memory <= MEMORY


def measure_growth(pattern: str, text: str, size: int, how: str) -> bool:
    """In a child: prints the times for a text and a longer one, and returns whether they are in proportion."""
    find(pattern, "-", how)  # compiles the pattern
    seconds = []
    for length in (size, GROWN * size):
        started = time.process_time()
        result = find(pattern, text[:length], how)
        seconds.append(time.process_time() - started)
    print(f"{seconds[0]:5.2f} s {seconds[1]:5.2f} s  {how:9}  {pattern[:40]!r}: {result}", flush=True)
    return seconds[1] <= GROWTH * seconds[0] + 0.1


def in_child(limit: int, check: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        os._exit(0 if check() else 1)
    return os.waitpid(child, 0)[1] == 0


def main() -> int:
    quick = options(__doc__, quick=False).quick
    torch.set_num_threads(1)
    find("a+|b", "a", "regex")
    limit = 2 * SECONDS if quick else SECONDS  # on a busy machine
    failed = 0
    for i, (pattern, text) in enumerate(PATTERNS):
        for how in HOW[i % 3 : i % 3 + 1] if quick else HOW:
            if not in_child(STOPPED, partial(measure, pattern, text, limit, how)):
                failed += 1
                print(f"patterns: more than {limit} s or {MEMORY // MB} MB, or does not end: {pattern[:200]!r}")
    for i, (pattern, text) in enumerate(LARGE):
        for how in HOW[i % 3 : i % 3 + 1] if quick else HOW:
            size = 2**11 if quick else 2**13
            if not in_child(10 * STOPPED, partial(measure_growth, pattern, text, size, how)):
                failed += 1
                print(f"patterns: time grows faster than the text, or does not end: {pattern[:200]!r}")
    print(f"patterns: {len(PATTERNS) + len(LARGE)} patterns, {failed} failures")
    return 1 if failed else 0
