"""Search for many strings at once in each string: tests, extraction, replacement; and for many regular expressions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import number, quoted, utf8
from torch_stringops._tracing import known
from torch_stringops.ops._declare import declare_map, declare_ragged, declare_reduce


def _check_counts(op: str, *, pattern_offsets: Tensor, replacement_offsets: Tensor, **_: Any) -> None:
    patterns, replacements = pattern_offsets.shape[0] - 1, replacement_offsets.shape[0] - 1
    if known(replacements != 1) and known(replacements != patterns):
        raise ValueError(f"{op}: expected one replacement, or {patterns} as patterns, got {replacements}")


_string_contains_any = declare_reduce("string_contains_any", torch.bool)
_string_extract_many = declare_ragged("string_extract_many")
_string_replace_many = declare_map("string_replace_many", _check_counts)
_regex_contains_any = declare_reduce("regex_contains_any", torch.bool)


def characters(
    table: Mapping[str, str | None] | Mapping[int, int | str | None],
) -> tuple[list[str], list[str]]:
    """The characters of a table of `str.translate`, and what replaces them."""
    op = "string_translate"
    if not isinstance(table, Mapping):
        raise TypeError(f"{op}: expected `table` to be a dict, got {type(table).__name__}")
    keys, values = [], []
    for key, value in table.items():
        text = _text_of(op, "key", key)
        if len(text) != 1:
            raise ValueError(f"{op}: expected keys of `table` to be single characters, got {quoted(text)}")
        keys.append(text)
        values.append("" if value is None else _text_of(op, "value", value))
    return keys, values


def _text_of(op: str, what: str, item: Any) -> str:
    if isinstance(item, str):
        utf8(op, f"table {what}", item)
        return item
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        if 0 <= item < 0x110000 and not 0xD800 <= item < 0xE000:
            return chr(item)
        raise ValueError(f"{op}: expected each {what} of `table` to be a code point, got {number(int(item))}")
    expected = "str or int" if what == "key" else "str, int or None"
    raise TypeError(f"{op}: expected each {what} of `table` to be {expected}, got {type(item).__name__}")
