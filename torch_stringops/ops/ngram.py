"""N-grams of the characters of strings: string_char_ngrams_ragged."""

from typing import Any

from torch_stringops.ops._declare import declare_ragged


def _check_sizes(op: str, *, min: int, max: int, **_: Any) -> None:
    if min < 1:
        raise ValueError(f"{op}: expected `min` >= 1, got {min}")
    if max < min:
        raise ValueError(f"{op}: expected `max` >= `min` ({min}), got {max}")


string_char_ngrams_ragged = declare_ragged("string_char_ngrams_ragged", _check_sizes)
