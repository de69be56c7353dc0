"""The package regex, which has the rules of UAX 29 for clusters and words."""

from typing import Any

import regex

from benchmarks.corpora import Corpus


def segments(corpus: Corpus, unit: str) -> Any:
    find = regex.compile(r"\X").findall if unit == "grapheme" else regex.compile(r"(?V1w)\b").split
    strings = corpus.strings
    return lambda: list(map(find, strings)), lambda rows: [[piece for piece in row if piece] for row in rows]


MADE: dict[str, Any] = {"string_segments_ragged": segments}
DIFFERS = {"string_segments_ragged": "its version of Unicode is another"}
SLOW = ("string_segments_ragged",)
