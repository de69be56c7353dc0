"""wcwidth: columns of a terminal."""

from typing import Any

import wcwidth

from benchmarks.corpora import Corpus


def strings(corpus: Corpus) -> list[str]:
    return corpus.strings


CALLS: dict[str, Any] = {"string_width": lambda s: list(map(wcwidth.wcswidth, s))}
DIFFERS = {"string_width": "its version of Unicode is another, and it has -1 for control characters"}
SLOW = ("string_width",)
