"""Strings cut at a delimiter or at whitespace: string_split, string_split_ragged, split_encode."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import choice_error
from torch_stringops.ops._declare import declare_padded, declare_ragged
from torch_stringops.ops.vocabulary import check_table
from torch_stringops.tensor.ranges import S


def _check_compat(op: str, *, compat: Any, **_: Any) -> None:
    if not isinstance(compat, str) or compat not in ("reference", "onnxruntime"):
        raise choice_error(op, "compat", "'reference' or 'onnxruntime'", compat)


_split = declare_padded("string_split", _check_compat)
_split_ragged = declare_ragged("string_split_ragged", check=_check_compat)
split_encode = declare_ragged("split_encode", torch.int64, check_table)


def string_split(
    s: S,
    delimiter: str | bytes = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[S, Tensor]:
    pieces, counts = _split(s, delimiter, maxsplit, compat=compat, skip_empty=skip_empty)
    return pieces, counts


def string_split_ragged(
    s: S,
    delimiter: str | bytes = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[S, Tensor]:
    pieces, row_splits = _split_ragged(s, delimiter, maxsplit, compat=compat, skip_empty=skip_empty)
    return pieces, row_splits
