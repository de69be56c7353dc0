"""Splitting strings at a delimiter or at whitespace: string_split, string_split_ragged, split_encode."""

from typing import Any

import torch

from torch_stringops._checks import choice_error
from torch_stringops.ops._declare import declare_padded, declare_ragged, declare_ragged_values
from torch_stringops.ops.vocabulary import check_table


def delimiter_or_whitespace(delimiter: str | bytes | None) -> str | bytes:
    """The delimiter as the operators take it: `""` stands for runs of whitespace, as None does."""
    return "" if delimiter is None else delimiter


def _check_compat(op: str, *, compat: Any, **_: Any) -> None:
    if not isinstance(compat, str) or compat not in ("reference", "onnxruntime"):
        raise choice_error(op, "compat", "'reference' or 'onnxruntime'", compat)


_string_split = declare_padded("string_split", _check_compat)
_string_split_ragged = declare_ragged("string_split_ragged", _check_compat)
_split_encode = declare_ragged_values("split_encode", torch.int64, check_table)
