"""Calls operators on threads with small stacks.

A stack that is too small ends the process, so that this is a program of its own. It writes the name of each call before
the call, and returns 1 if one gave another error than that of groups inside each other.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch

from support.registry import all_suites
from support.strings import compact
from support.subword_peers import PEERS

OPS = torch.ops.stringops
KILOBYTES = (64, 80, 128, 256, 1024, 8192)
DEPTHS = (8, 248)  # regex_contains_any puts a group around each pattern
TEXTS = compact([b"ab ab, (a) [1, {}]", b"", b"a" * 20_000])
# Each alternative begins with the one before it, and goes on in two ways.
WORDS = "|".join("a" * n + c for n in range(1, 300) for c in "bc")


def nested(depth: int) -> list[str]:
    half = depth // 2
    return [
        "(" * depth + "a" + ")" * depth,
        "(?:a|b(" * half + "b" + ")+)*" * half,
        "(?:x|(?:a" * half + "b" + ")*y)?" * half,
    ]


def patterns(pattern: str) -> list[Callable[[], Any]]:
    return [
        lambda: OPS.regex_contains(*TEXTS, pattern),
        lambda: OPS.regex_replace(*TEXTS, pattern, "x"),
        lambda: OPS._regex_extract_groups(*TEXTS, pattern, [0]),
        lambda: OPS.regex_find_all_spans_ragged(*TEXTS, pattern, 0),
        lambda: OPS.regex_split_ragged(*TEXTS, pattern),
        lambda: OPS.regex_contains_any(*TEXTS, *compact([pattern.encode()])),
    ]


@cache
def tokenizers() -> dict[str, Any]:
    names = ("gpt2", "wordpiece, uncased", "unigram, T5", "sentencepiece unigram", "sentencepiece bpe")
    return {name: PEERS[name](1, 800).load() for name in names}


def calls(size: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, suite in all_suites().items():
        by_size = sorted(suite.samples, key=lambda sample: len(repr(sample.args)))
        for sample in (by_size[0], by_size[-1]):
            args, kwargs = suite.tensors(sample)
            yield name, lambda suite=suite, args=args, kwargs=kwargs: suite.overload(*args, **kwargs)
    if size < 80:  # patterns and tokenizers of models are called with more
        return
    for name, tokenizer in tokenizers().items():
        yield name, lambda t=tokenizer: t.encode(["a b é", "ab" * 5000, "a b c " * 500])
        yield name, lambda t=tokenizer: t.encode_spans(["a b é", "ab" * 5000])
    for depth in DEPTHS:
        for pattern in [*nested(depth), WORDS]:
            # Compiled patterns are kept, so that each call has another one.
            for i in range(len(patterns(""))):
                yield f"{depth} groups", patterns(f"{pattern}|{size} {i}")[i]


def error_on_thread(call: Callable[[], Any]) -> str:
    errors = []

    def run() -> None:
        try:
            call()
        except Exception as error:
            errors.append(str(error).split("\n")[0])

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return errors[0] if errors else ""


def main() -> int:
    torch.set_num_threads(1)
    failed = 0
    for size in KILOBYTES:
        threading.stack_size(size * 1024)
        for name, call in calls(size):
            print(f"{size} KB: {name}", flush=True)
            error = error_on_thread(call)
            may_fail = size < 1024 and "groups inside each other, for which the thread's stack" in error
            if error and not may_fail:
                print(error)
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
