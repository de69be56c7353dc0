"""Splitting strings into tokens with regular expressions: tokenizer, tokenizer_ragged, tokenize_encode."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._tracing import known, strings_shape
from torch_stringops.ops._declare import declare_padded, declare_ragged, declare_ragged_values
from torch_stringops.ops.vocabulary import check_table
from torch_stringops.tensor.strings import S, Strings


def _check_shape(op: str, *, offsets: Tensor, **_: Any) -> None:
    if offsets.dim() > 2:
        raise ValueError(f"{op}: expected strings of shape [C] or [N, C], got shape {strings_shape(offsets)}")


_call_tokenizer = declare_padded("tokenizer", _check_shape)
_call_tokenizer_ragged = declare_ragged("tokenizer_ragged")
_call_tokenize_encode = declare_ragged_values("tokenize_encode", torch.int64, check_table)


def _check_separators(op: str, separators: Any) -> None:
    if isinstance(separators, (str, bytes)):
        raise TypeError(f"{op}: expected `separators` to be a list of patterns, got one pattern (put it in a list)")
    if isinstance(separators, Strings):
        raise TypeError(f"{op}: expected `separators` to be a list of patterns, got strings (use .tolist())")


def _tokenizer(s: S, *, separators: Sequence[str] | None, **attributes: Any) -> S:
    _check_separators("tokenizer", separators)
    if s._scalar:
        raise ValueError("tokenizer: expected strings of shape [C] or [N, C], got shape [] (use .reshape(1))")
    tokens: S = _call_tokenizer(s, separators=separators, **attributes)
    shape = s.offsets.shape  # [C + 1] or [N, C + 1]
    if known(shape[0] == 0):
        return s._new(tokens.data, tokens.offsets.new_zeros([0, 1]))
    if known(shape[-1] == 1):
        return s._new(tokens.data, tokens.offsets.new_zeros(shape))
    return tokens


def _tokenizer_ragged(s: S, *, separators: Sequence[str] | None, **attributes: Any) -> tuple[S, Tensor]:
    _check_separators("tokenizer_ragged", separators)
    return _call_tokenizer_ragged(s, separators=separators, **attributes)


def _tokenize_encode(
    s: Strings,
    table: Tensor,
    *,
    separators: Sequence[str] | None,
    op: str = "tokenize_encode",
    **attributes: Any,
) -> tuple[Tensor, Tensor]:
    _check_separators(op, separators)
    return _call_tokenize_encode(s, table, separators=separators, **attributes)
