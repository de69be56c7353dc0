"""Values of JSON documents, found by one native pass, and converted to strings and numbers."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_strings, choice_error, dtype_name
from torch_stringops._native import operator
from torch_stringops._tracing import register_fake, strings_shape
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.ops._declare import declare_map
from torch_stringops.tensor.strings import Strings

# Numbers of JsonKind (csrc/kernels/json.h).
_MISSING, _FALSE, _TRUE, _INTEGER, _NUMBER = 0, 2, 3, 4, 5


@register_fake("_json_spans")
def _fake_spans(
    data: Tensor, offsets: Tensor, paths: list[str], errors: str = "raise", op: str = "json_extract"
) -> tuple[Tensor, Tensor]:
    check_attributes("_json_spans", ["data", "offsets"], {"paths": paths, "errors": errors, "op": op})
    check_strings(op, data, offsets)
    shape = [len(paths), *strings_shape(offsets)]
    return (
        offsets.new_empty([*shape, 2], dtype=torch.int32),
        offsets.new_empty(shape, dtype=torch.uint8),
    )


_spans = operator("_json_spans")
_unquote = declare_map("_json_unquote")
_to_number = operator("string_to_number")


def _json_fields(
    s: Strings, paths: list[str], dtypes: list[torch.dtype | None], errors: str, op: str
) -> list[tuple[Any, Tensor]]:
    """(values, present) of each path."""
    if not isinstance(s, Strings):
        raise TypeError(f"{op}: expected a StringTensor, got {type(s).__name__}")
    for path, dtype in zip(paths, dtypes, strict=True):
        if not isinstance(path, str):
            raise TypeError(f"{op}: expected paths to be str, got {type(path).__name__}")
        if dtype is not None and not isinstance(dtype, torch.dtype):
            raise TypeError(f"{op}: expected `dtype` to be a torch.dtype or None, got {type(dtype).__name__}")
        if dtype not in (None, torch.int64, torch.float64, torch.bool):
            raise ValueError(f"{op}: expected `dtype` to be int64, float64, bool or None, got {dtype_name(dtype)}")
    if not isinstance(errors, str):
        raise choice_error(op, "errors", "'raise' or 'missing'", errors)
    spans, kinds = _spans(s.data, s.offsets, paths, errors, op)
    # Each value as a row of one string, which shares the bytes of the documents.
    spans = spans + s.offsets[..., :-1, None]
    return [_convert(s, spans[i], kinds[i], dtype) for i, dtype in enumerate(dtypes)]


def _convert(s: Strings, spans: Tensor, kinds: Tensor, dtype: torch.dtype | None) -> tuple[Any, Tensor]:
    values: Any
    if dtype is None:
        rows = _unquote(s._new(s.data, spans))
        # The rows are adjacent, and begin at 0.
        ends = rows.offsets[..., 1].reshape(-1)
        values = s._new(rows.data, torch.nn.functional.pad(ends, (1, 0)))
        values = values.reshape(kinds.shape) if kinds.dim() > 1 else values
        present = kinds != _MISSING
    elif dtype is torch.bool:
        values = kinds == _TRUE
        present = values | (kinds == _FALSE)
    else:
        # Other values than numbers are not read as numbers, and become 0.
        values = _to_number(s.data, spans, dtype, "fill").squeeze(-1)
        present = kinds == _INTEGER
        if dtype is torch.float64:
            present = present | (kinds == _NUMBER)
    if s._scalar:
        values = s._new(values.data, values.offsets, True) if dtype is None else values.reshape(())
        present = present.reshape(())
    return values, present


def _named_fields(op: str, fields: Any) -> tuple[list[str], list[Any], list[Any]]:
    """The names, paths and dtypes of `json_fields`."""
    if not isinstance(fields, Mapping):
        raise TypeError(f"{op}: expected `fields` to be a dict, got {type(fields).__name__}")
    paths, dtypes = [], []
    for field in fields.values():
        is_pair = isinstance(field, tuple)
        if is_pair and len(field) != 2:
            raise ValueError(f"{op}: expected a path, or a path and a dtype, got a tuple of {len(field)}")
        paths.append(field[0] if is_pair else field)
        dtypes.append(field[1] if is_pair else None)
    return list(fields), paths, dtypes
