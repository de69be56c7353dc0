"""Collating of string tensors, and a dataset that reads whole batches.

Importing torch_stringops registers StringTensor with `default_collate`, which then stacks StringTensors, also in tuples
and dicts. Workers share the memory of StringTensors copy-on-write, since their tensors are never written. They copy a
list of `str`, page by page, since reading a Python object writes its reference count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from torch import Tensor
from torch.utils.data import ConcatDataset, Dataset
from torch.utils.data._utils.collate import collate, default_collate_fn_map

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._arguments import strings_argument
from torch_stringops._names import named, named_class
from torch_stringops._tracing import is_eager
from torch_stringops._types import Index, NumbersLike, OptionalStrings
from torch_stringops.data.batches.of_objects import filled, table_columns, to_column
from torch_stringops.data.batches.samples import Samples
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.data.columns.ragged_column import RaggedColumn
from torch_stringops.data.tables.values import Missing
from torch_stringops.functions.joining import stack
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.indexing import index_tensor

__all__ = ["ColumnDataset", "collate_strings"]


def _collate_string_tensors(batch: Any, *, collate_fn_map: Any = None) -> StringTensor:
    # StringTensor.__getitems__ returns a StringTensor.
    return (batch if isinstance(batch, StringTensor) else stack(list(batch))).contiguous()


def _collate_strings(batch: Any, *, collate_fn_map: Any = None) -> StringTensor:
    return strings_argument("collate_strings", "samples", list(batch))


default_collate_fn_map.update({StringTensor: _collate_string_tensors})


@named
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


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # The rows at an index: a tuple or a dict of the rows of each column.
    Sample = TypeVar("Sample", default=Any)
else:
    from typing import TypeVar

    Sample = TypeVar("Sample")

# Rows of a column of lists: the elements of one row, or values and row splits of several.
Rows: TypeAlias = StringTensor | Tensor | tuple[StringTensor | Tensor, Tensor]
ColumnLike: TypeAlias = (
    OptionalStrings
    | NumbersLike
    | StringColumn
    | Sequence[StringTensor]
    | Sequence[Tensor]
    | tuple[StringTensor | StringColumn | Tensor, Tensor]  # rows of lists, as values and row splits
)


@named_class
class ColumnDataset(Dataset[Sample]):
    """A map-style dataset of columns of equal length, from which DataLoader reads whole batches.

    `DataLoader(dataset, batch_size=..., shuffle=True, num_workers=...)` indexes each column once per batch.
    Samples are tuples if the columns are positional arguments, and dicts if they are keyword arguments. The
    default `collate_fn` takes the rows of a batch at once. Any other one gets the list of samples, as from
    other map-style datasets. With `sampler=BatchSampler(...)` and `batch_size=None`, DataLoader calls
    `dataset[indices]` instead.

    A column may be a list of chunks. Those of strings `[n]` are indexed as one StringColumn without being concatenated,
    so that a column of text may exceed the 2**31 - 1 bytes of a single StringTensor. `a + b` concatenates two datasets
    with the same columns; `torch.utils.data.ConcatDataset` reads them row by row, which is many times slower.

    Args:
        columns: Tensors and StringTensors `[N, ...]`; lists of these, as chunks; StringColumns; or strings in
            any form that `as_strings` accepts. Numbers and bools in lists, NumPy arrays, and columns of
            pandas, polars, pyarrow and Hugging Face become tensors of the dtype of the column, or of
            `torch.tensor` for lists. A column of lists is a tuple `(values, row_splits)`: a tensor or
            strings, and int64 `[N + 1]`. A batch then has `(values, row_splits)` of its rows.
        named: columns as keyword arguments. `**frame` passes those of a pandas DataFrame; see also `from_table`.

    Raises:
        TypeError: a column consists of other values, such as dates; positional and keyword arguments are mixed; or
            there are no columns.
        ValueError: a string or a number is missing; the columns differ in length, or the chunks of a column differ in
            shape or dtype.

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

    @overload
    def __init__(self: ColumnDataset[tuple[Rows, ...]], first: ColumnLike, /, *columns: ColumnLike) -> None: ...
    @overload
    def __init__(self: ColumnDataset[dict[str, Rows]], /, **named: ColumnLike) -> None: ...

    def __init__(self, /, *columns: ColumnLike, **named: ColumnLike) -> None:
        if bool(columns) == bool(named):
            raise TypeError("ColumnDataset: expected columns, either all positional or all by name")
        given: dict[Any, Any] = dict(named) or dict(enumerate(columns))
        self.columns = {name: to_column(name, column) for name, column in given.items()}
        self.named = bool(named)
        # Flat columns of strings, which StringColumn takes from by one native call.
        self._as_columns: dict[Any, StringColumn] = {}
        sizes = {name: len(column) for name, column in self.columns.items()}
        if len(set(sizes.values())) != 1:
            raise ValueError(f"ColumnDataset: expected columns of one length, got {sizes}")

    @classmethod
    def from_table(cls, table: object, *, missing: Missing = None) -> ColumnDataset[dict[str, Rows]]:
        """Creates a dataset of the columns of a table, whose samples are dicts.

        Args:
            table: a DataFrame of pandas or polars, a Table or RecordBatch of pyarrow, a Dataset of Hugging Face, or a
                dict of columns. Columns are as in the constructor.
            missing: replaces missing values, as in `read_csv`; NaN of pandas is one. Default: None, a missing value
                is an error.

        Raises:
            TypeError: `table` is not one of these, or the name of a column is not a str.
            TypeError, ValueError: a column is not as in the constructor.

        Example:
            >>> import pandas
            >>> frame = pandas.DataFrame({"text": ["a", "b"], "label": [0, 1]})
            >>> ColumnDataset.from_table(frame)[1]["label"]
            tensor(1)
            >>> frame = pandas.DataFrame({"text": ["a", None], "label": [0, None]})
            >>> dataset = ColumnDataset.from_table(frame, missing={"text": "", "label": -1})
            >>> dataset[[1]]["label"]
            tensor([-1.], dtype=torch.float64)
        """
        op = "ColumnDataset.from_table"
        return cls(**filled(op, table_columns(op, table), missing))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __add__(self, other: ColumnDataset[Sample]) -> ColumnDataset[Sample]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self, other: Dataset[Sample]) -> ConcatDataset[Sample]: ...

    def __add__(self, other: Dataset[Sample]) -> Dataset[Any]:
        """Concatenates two datasets."""
        if not isinstance(other, ColumnDataset) or self.columns.keys() != other.columns.keys():
            return super().__add__(other)
        columns = {n: joined(c, other.columns[n]) for n, c in self.columns.items()}
        return ColumnDataset(**columns) if self.named else ColumnDataset(*columns.values())

    def __getitem__(self, index: Index) -> Sample:
        """Returns the rows at an int, a slice, a list or tensor of ints, or a mask."""
        if isinstance(index, str) or (isinstance(index, list | tuple) and isinstance([*index, 0][0], str)):
            got = "str" if isinstance(index, str) else f"a {type(index).__name__} of str"
            key = "name" if self.named else "position"
            raise TypeError(
                "ColumnDataset: expected an index of rows (an int, a slice, a list or tensor of ints, or a mask), "
                f"got {got} (`.columns[{key}]` is a column)"
            )
        if self.named:
            return {name: column[index] for name, column in self.columns.items()}  # type: ignore[return-value]
        return tuple(column[index] for column in self.columns.values())  # type: ignore[return-value]

    def __getitems__(self, indices: Sequence[int]) -> Samples:
        return Samples(self, indices)

    def _rows(self, indices: Sequence[int]) -> Any:
        """The rows at `indices`, as default_collate returns them."""
        if type(self).__getitem__ is not ColumnDataset.__getitem__:
            return self[index_tensor(indices)]
        ints: Any = _convert.int64_bytes(indices) if type(indices) is list and indices and is_eager() else None
        index: Tensor | None = None
        rows: dict[Any, Any] = {}
        for name, column in self.columns.items():
            flat = None if ints is None else self._flat_column(name, column)
            found: Any = None if flat is None else flat._gather_batch(ints)
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


def joined(a: Any, b: Any) -> Any:
    """Two columns as one."""
    if isinstance(a, RaggedColumn) and isinstance(b, RaggedColumn):
        return RaggedColumn.join([a, b])
    if isinstance(a, RaggedColumn) or isinstance(b, RaggedColumn):
        raise TypeError("ColumnDataset: expected a column of lists in both datasets or in neither")
    if not (isinstance(a, StringColumn) or isinstance(b, StringColumn)):
        return [a, b]
    return StringColumn._of_ranges([chunk for column in (a, b) for chunk in getattr(column, "chunks", [column])])
