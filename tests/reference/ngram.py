"""Oracles of string_char_ngrams_ragged and string_ngrams_ragged.

Of characters, the order and the marks are those of fastText's Dictionary::computeSubwords.
"""

import itertools
from typing import Any

from reference.nested import flat


def char_ngrams(string: bytes, shortest: int, longest: int, marks: bool) -> list[bytes]:
    # Each invalid byte is a character.
    text = string.decode(errors="surrogateescape")
    text = f"<{text}>" if marks else text
    lengths = range(shortest, min(longest, len(text)) + 1)
    spans = [(i, i + n) for i in range(len(text)) for n in lengths if i + n <= len(text)]
    if marks:
        spans = [span for span in spans if span not in ((0, 1), (len(text) - 1, len(text)))]
    return [text[begin:end].encode(errors="surrogateescape") for begin, end in spans]


def string_char_ngrams_ragged_ref(
    strings: Any, min: int, max: int, *, marks: bool = False
) -> tuple[list[bytes], list[int]]:
    ngrams: list[bytes] = []
    row_splits = [0]
    for string in flat(strings):
        ngrams += char_ngrams(string, min, max, marks)
        row_splits.append(len(ngrams))
    return ngrams, row_splits


def string_ngrams_ragged_ref(
    strings: list[bytes], row_splits: Any, n: Any, separator: str = " "
) -> tuple[list[bytes], list[int]]:
    ngrams: list[bytes] = []
    splits = [0]
    for begin, end in itertools.pairwise(row_splits.tolist()):
        for width in n:
            ngrams += [separator.encode().join(strings[i : i + width]) for i in range(begin, end - width + 1)]
        splits.append(len(ngrams))
    return ngrams, splits
