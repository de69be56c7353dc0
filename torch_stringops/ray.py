"""Strings in Ray Data: batches for training, and functions of strings over a dataset.

Both need pyarrow, and `CollateStrings` needs Ray.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from torch_stringops._arguments import as_strings
from torch_stringops._names import named_class
from torch_stringops.data.files.arrow import pyarrow_module
from torch_stringops.data.tables.lists import Place
from torch_stringops.data.tables.values import convert_column
from torch_stringops.string_tensor import StringTensor

_CollateFn: Any
try:
    from ray.data.collate_fn import ArrowBatchCollateFn as _CollateFn  # type: ignore[import-not-found, no-redef]
except ImportError:  # for documentation and tests; the constructor raises it again
    _CollateFn = None

__all__ = ["CollateStrings", "MapStrings"]

Values: TypeAlias = StringTensor | Tensor


@named_class
class CollateStrings(_CollateFn or object):  # type: ignore[misc]
    """`collate_fn` of `ray.data.Dataset.iter_torch_batches`: columns of strings as StringTensors, others as tensors.

    Args:
        missing: replaces missing strings. Default: None, a missing string is an error.

    Example:
        loader = dataset.iter_torch_batches(batch_size=256, collate_fn=CollateStrings())
        for batch in loader:
            ids, row_splits = vocabulary.split_encode(batch["text"])
    """

    def __init__(self, missing: str | bytes | None = None) -> None:
        if _CollateFn is None:
            raise ImportError("CollateStrings: needs Ray Data (pip install 'ray[data]')")
        self.missing = missing

    def __call__(self, batch: Any) -> dict[str, Values]:
        found: dict[str, Values] = {}
        for name in batch.column_names:
            chunks: list[Any] = [convert_column(c, name, Place("", 0), self.missing) for c in batch.column(name).chunks]
            found[name] = chunks[0] if len(chunks) == 1 else torch.cat(chunks)
        return found


@named_class
class MapStrings:
    """A function for `ray.data.Dataset.map_batches(..., batch_format="pyarrow")`, of a column of strings.

    Strings come from Arrow and return to it, without Python strings.

    Args:
        function: takes strings `[n]`. It returns strings `[n]`; a tensor `[n]`; or ragged rows, which become a column
            of lists: values `[T]` (strings or a tensor) and int64 `row_splits` `[n + 1]`.
        column: the name of the column.
        output: the name of the column of the results. Default: it replaces `column`.
        missing: replaces missing strings. Default: None, a missing string is an error.

    Example:
        dataset.map_batches(MapStrings(lambda s: s.lower(), "text"), batch_format="pyarrow")
        dataset.map_batches(MapStrings(vocabulary.split_encode, "text", "ids"), batch_format="pyarrow")
    """

    def __init__(
        self,
        function: Callable[[StringTensor], Values | tuple[Values, Tensor]],
        column: str,
        output: str | None = None,
        missing: str | bytes | None = None,
    ) -> None:
        self.function = function
        self.column, self.output = column, output or column
        self.missing = missing

    def __call__(self, table: Any) -> Any:
        result = _to_arrow(self.function(as_strings(table.column(self.column), missing=self.missing)))
        if self.output in table.column_names:
            return table.set_column(table.column_names.index(self.output), self.output, result)
        return table.append_column(self.output, result)


def _to_arrow(value: Any) -> Any:
    """Strings, a tensor or ragged rows as an Arrow array."""
    pyarrow = pyarrow_module("MapStrings")
    if isinstance(value, tuple):
        values, row_splits = value
        if int(row_splits[-1]) < 2**31:
            return pyarrow.ListArray.from_arrays(row_splits.to(torch.int32).numpy(), _to_arrow(values))
        return pyarrow.LargeListArray.from_arrays(row_splits.numpy(), _to_arrow(values))
    if isinstance(value, StringTensor):
        is_text = bool(value.is_utf8().all())
        return pyarrow.array(value, pyarrow.utf8() if is_text else pyarrow.binary())
    return pyarrow.array(value.numpy())
