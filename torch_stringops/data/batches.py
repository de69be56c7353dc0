"""Collating of string tensors, and a dataset that reads whole batches.

Importing torch_stringops registers StringTensor with `default_collate`, which then stacks StringTensors, also in tuples
and dicts. Workers share the memory of StringTensors copy-on-write, since their tensors are never written. They copy a
list of `str`, page by page, since reading a Python object writes its reference count.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.utils.data import Dataset, get_worker_info
from torch.utils.data._utils.collate import collate, default_collate_fn_map
from torch.utils.data._utils.fetch import _MapDatasetFetcher

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._arguments import as_strings, strings_argument
from torch_stringops._chunks import Chunks
from torch_stringops._torch_function import stack
from torch_stringops._tracing import is_eager
from torch_stringops.data.column import StringColumn
from torch_stringops.interop.python import PASS_MISSING
from torch_stringops.interop.strings import advise_as_strings
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.indexing import index_tensor

__all__ = ["ColumnDataset", "collate_strings"]


def _collate_string_tensors(batch: Any, *, collate_fn_map: Any = None) -> StringTensor:
    # StringTensor.__getitems__ returns a StringTensor.
    return (batch if isinstance(batch, StringTensor) else stack(list(batch))).compact()


def _collate_strings(batch: Any, *, collate_fn_map: Any = None) -> StringTensor:
    return strings_argument("collate_strings", "samples", list(batch))


class _Rows:
    """A complete batch, which ColumnDataset passes to default_collate as the only sample."""

    __slots__ = ("dataset", "indices")

    def __init__(self, dataset: ColumnDataset, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices


def _collate_rows(batch: Any, *, collate_fn_map: Any = None) -> Any:
    rows = batch[0]
    # To make tensors of a small batch, and bytes of the tensors, takes longer than to take the strings.
    if _is_sent():
        return rows.dataset._rows_to_send(rows.indices)
    return rows.dataset[index_tensor(rows.indices)]


def _is_sent() -> bool:
    """Whether what `_collate_rows` returns is sent to another process and read by no function before.

    So it is if a worker's fetcher calls default_collate; if the user's collate_fn does, that one may read the batch.
    """
    if get_worker_info() is None:
        return False
    # The callers: _collate_rows, collate, default_collate.
    caller = sys._getframe(4)
    return caller.f_code is _MapDatasetFetcher.fetch.__code__


default_collate_fn_map.update({StringTensor: _collate_string_tensors, _Rows: _collate_rows})


def collate_strings(batch: Sequence[Any]) -> Any:
    """Collates samples like `default_collate`, but converts `str` and `bytes` to StringTensors. For DataLoader.

    Args:
        batch: a list of samples: strings, tensors and numbers, in tuples, lists and dicts nested to any depth.

    Returns:
        The batch in the structure of the samples, as `torch.utils.data.default_collate` returns it, with a StringTensor
        `[N]` for each string of a sample.

    Example:
        >>> batch = collate_strings([{"text": "to be", "label": 0}, {"text": "or not", "label": 1}])
        >>> batch["text"], batch["label"]
        (StringTensor(['to be', 'or not'], shape=[2]), tensor([0, 1]))
    """
    # Built in each call, to include types that are registered with default_collate later.
    strings: dict[Any, Any] = {str: _collate_strings, bytes: _collate_strings}
    return collate(batch, collate_fn_map={**default_collate_fn_map, **strings})


class ColumnDataset(Dataset[Any]):
    """A map-style dataset over columns of equal length, of which DataLoader reads whole batches.

    `DataLoader(dataset, batch_size=..., shuffle=True, num_workers=...)` indexes each column once per batch. Samples are
    tuples if the columns are positional arguments, and dicts if they are keyword arguments. Use the default
    `collate_fn`; to use another, pass `sampler=BatchSampler(...)` and `batch_size=None`, which calls
    `dataset[indices]`.

    A column may be a list of chunks, which are indexed as one column without being concatenated. A column of text may
    thus exceed the 2**31 - 1 bytes of a single StringTensor. `a + b` concatenates two datasets with the same columns in
    this way; `torch.utils.data.ConcatDataset` reads them string by string, which is many times slower.

    Args:
        columns: Tensors and StringTensors `[N, ...]`; lists of these, as chunks; StringColumns; or strings in any form
            that `as_strings` accepts.
        named: columns as keyword arguments.

    Raises:
        TypeError: a column is neither a tensor nor strings; positional and keyword arguments are mixed; or there are no
            columns.
        ValueError: the columns differ in length, or the chunks of a column differ in shape or dtype.

    Example:
        >>> text = StringTensor.from_list(["a", "b", "c"])
        >>> dataset = ColumnDataset(text=text, label=torch.tensor([0, 1, 0]))
        >>> for batch in torch.utils.data.DataLoader(dataset, batch_size=2):
        ...     print(batch["text"].tolist(), batch["label"])
        ['a', 'b'] tensor([0, 1])
        ['c'] tensor([0])
        >>> ColumnDataset(text=[text, text[:1]])[[0, 3]]["text"].tolist()
        ['a', 'a']
    """

    def __init__(self, *columns: Any, **named: Any) -> None:
        if bool(columns) == bool(named):
            raise TypeError("ColumnDataset: expected columns, either all positional or all by name")
        given: dict[Any, Any] = dict(named) or dict(enumerate(columns))
        self.columns = {name: _column(name, column) for name, column in given.items()}
        self.named = bool(named)
        # Flat columns of strings, which StringColumn takes from by one native call.
        self._as_columns: dict[Any, StringColumn] = {}
        sizes = {name: len(column) for name, column in self.columns.items()}
        if len(set(sizes.values())) != 1:
            raise ValueError(f"ColumnDataset: expected columns of one length, got {sizes}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __add__(self, other: Dataset[Any]) -> Any:
        """Concatenates two datasets."""
        if not isinstance(other, ColumnDataset) or self.columns.keys() != other.columns.keys():
            return super().__add__(other)
        columns = {n: joined(c, other.columns[n]) for n, c in self.columns.items()}
        return ColumnDataset(**columns) if self.named else ColumnDataset(*columns.values())

    def __getitem__(self, index: Any) -> Any:
        """Returns the rows at an int, a slice, a list or tensor of ints, or a mask."""
        if self.named:
            return {name: column[index] for name, column in self.columns.items()}
        return tuple(column[index] for column in self.columns.values())

    def __getitems__(self, indices: Sequence[int]) -> list[_Rows]:
        return [_Rows(self, indices)]

    def _rows_to_send(self, indices: Sequence[int]) -> Any:
        """The rows at `indices`, for a process that pickles them for another one and does nothing else with them."""
        ints: Any = (
            _convert.int64_bytes(indices) if type(indices) is list and indices and is_eager() else None
        )
        index: Tensor | None = None
        rows: dict[Any, Any] = {}
        for name, column in self.columns.items():
            flat = None if ints is None else self._flat_column(name, column)
            found: Any = None if flat is None else flat._gather_to_send(ints)
            if found is None:
                index = index_tensor(indices) if index is None else index
                found = column[index]
            rows[name] = found
        return rows if self.named else tuple(rows.values())

    def _flat_column(self, name: Any, column: Any) -> StringColumn | None:
        """A column of strings `[n]` as StringColumn, None for other columns."""
        if isinstance(column, StringColumn):
            return column
        kept = self._as_columns.get(name)
        if kept is not None and kept.chunks[0] is column:
            return kept
        if not isinstance(column, StringTensor) or column.ndim != 1:
            return None
        self._as_columns[name] = kept = StringColumn([column])
        return kept


def _column(name: Any, column: Any) -> Any:
    """Converts a column to a tensor, a StringTensor, or Chunks of these."""
    if isinstance(column, (Tensor, StringTensor, StringColumn)):
        return column
    try:
        if isinstance(column, (list, tuple)) and column and isinstance(column[0], (Tensor, StringTensor)):
            chunks = Chunks(column)
            vectors = isinstance(column[0], StringTensor) and column[0].ndim == 1
            return StringColumn(chunks.chunks) if vectors else chunks
        strings = as_strings(column)
    except (TypeError, ValueError) as error:
        text = str(error).removeprefix("as_strings: ")
        text = advise_as_strings(text, "column") if text.endswith(PASS_MISSING) else text
        raise type(error)(f"ColumnDataset: column {name!r}: {text}") from None
    if not isinstance(strings, StringTensor):
        raise TypeError(
            f"ColumnDataset: expected column {name!r} to be tensors or strings, got a column of lists"
        )
    return strings


def joined(*columns: Any) -> Any:
    """Columns as one: a StringColumn, or the list of chunks of other columns."""
    strings = any(isinstance(c, StringColumn) for c in columns)
    if strings:
        columns = tuple(c if isinstance(c, StringColumn) else StringColumn(_chunks_of(c)) for c in columns)
    chunks = [chunk for c in columns for chunk in _chunks_of(c)]
    return StringColumn._of_ranges(chunks) if strings else chunks


def _chunks_of(column: Any) -> list[Any]:
    return column.chunks if isinstance(column, Chunks) else [column]
