"""A column of strings of any size, in chunks that are indexed as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_int
from torch_stringops._names import named_class
from torch_stringops._tracing import can_read
from torch_stringops._types import ArrowArray, ArrowStream, Index, StringsLike
from torch_stringops.data.columns.chunk_memory import ChunkMemory
from torch_stringops.data.columns.threads import in_threads
from torch_stringops.data.columns.watched_files import WatchedFiles
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.indexing import to_index
from torch_stringops.tensor.ranges import strings_at
from torch_stringops.tensor.serialization import from_bytes

_OP = "StringColumn"
# Iteration cuts chunks into pieces of about this many bytes.
PIECE_BYTES = 2**26
# From this number of strings on, the operator takes them, on several threads.
_MANY_STRINGS = 2**16

NDArray = np.ndarray[Any, Any]
R = TypeVar("R")


@named_class
class StringColumn:
    """A column of strings `[N]` in chunks, which are StringTensors. It may exceed the limits of one tensor.

    A column is indexed like a StringTensor of rank 1, across chunks: by an int, a slice, ints in a list or a
    tensor, or a mask. The result is a StringTensor, in a single gather from all chunks. A slice within a
    chunk shares its memory. Positions are int64.

    Iteration gives the strings in order, as StringTensors of about 64 MB, so that functions that take an iterable of
    strings, such as `Vocabulary.from_strings`, also take a column. `len` is the number of strings.

    `ColumnDataset` takes columns. `read_lines` and other readers of `torch_stringops.data` create them from files, and
    `save` and `load` store them.

    Args:
        chunks: StringTensors `[n]`, or strings in any form that `as_strings` accepts; n may be 0.

    Raises:
        TypeError: a chunk does not consist of strings.
        ValueError: the rank of a chunk is not 1.

    Example:
        >>> column = StringColumn([["to", "be"], ["or", "not"]])
        >>> column[[3, 0]].tolist(), column[-1].item(), len(column)
        (['not', 'to'], 'not', 4)
        >>> column[1:3]
        StringTensor(['be', 'or'], shape=[2])
        >>> [strings.tolist() for strings in column.map(lambda s: s.upper())]
        [['TO', 'BE'], ['OR', 'NOT']]
    """

    # A function and its arguments that create an equal column in another process, which then shares mapped memory.
    _origin: tuple[Callable[..., StringColumn], tuple[Any, ...]] | None = None
    # A temporary file that the strings are in, which is removed with the column.
    _temporary: Any = None

    def __init__(self, chunks: Iterable[StringsLike] = ()) -> None:
        if isinstance(chunks, (StringTensor, str, bytes)):
            raise TypeError("StringColumn: expected a list of chunks, got one tensor of strings (pass [strings])")
        found = [strings_argument("StringColumn", f"chunks[{i}]", chunk) for i, chunk in enumerate(chunks)]
        found = found or [StringTensor.from_list([])]
        for i, chunk in enumerate(found):
            if chunk.ndim != 1:
                raise ValueError(
                    f"StringColumn: expected chunks of rank 1, got shape {list(chunk.shape)} at position {i}"
                )
        self._set(found)

    @classmethod
    def _of_ranges(cls, chunks: list[StringTensor]) -> StringColumn:
        """A column of chunks `[n]` or `[n, 1]`; strings of the latter need not be adjacent in their memory."""
        column = object.__new__(cls)
        column._set(chunks or [StringTensor.from_list([])])
        return column

    def _set(self, chunks: list[StringTensor]) -> None:
        self.chunks = chunks
        self.starts = list(accumulate((len(chunk) for chunk in chunks), initial=0))
        self._memory: ChunkMemory | None = None
        self._files = WatchedFiles.of(chunks, self.starts)

    @staticmethod
    def from_arrow(column: ArrowArray | ArrowStream, *, missing: str | bytes | None = None) -> StringColumn:
        """Creates a column from an Arrow column of any size. Chunks of `utf8` or `binary` are zero-copy.

        Args:
            column: as in `StringTensor.from_arrow`; each chunk of a pyarrow ChunkedArray becomes a chunk.
            missing: replaces missing strings. Default: None, a missing string is an error.

        Example:
            >>> import pyarrow
            >>> StringColumn.from_arrow(pyarrow.chunked_array([["a"], ["b", None]]), missing="?")[:].tolist()
            ['a', 'b', '?']
        """
        chunks = getattr(column, "chunks", [column]) if hasattr(column, "iterchunks") else [column]
        return StringColumn([StringTensor.from_arrow(chunk, missing=missing) for chunk in chunks])

    @property
    def shape(self) -> torch.Size:
        """The shape `[N]`."""
        return torch.Size([len(self)])

    def __len__(self) -> int:
        return self.starts[-1]

    def __getitem__(self, index: Index) -> StringTensor:
        """Returns the strings at an int, a slice, a list or tensor of ints, or a bool mask over all strings."""
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 0:
                raise ValueError("step must be greater than zero")  # as torch's
            if step != 1:
                return self._gather(torch.arange(start, max(start, stop), step, device="cpu"))
            return self._range(start, max(start, stop))
        at: Any = to_index(index)
        if type(at) is int:
            if not -len(self) <= at < len(self):
                raise IndexError(f"index {at} is out of bounds for dimension 0 with size {len(self)}")
            return self._range(at % len(self), at % len(self) + 1)[0]
        if not isinstance(at, Tensor):
            got = type(at).__name__
            raise TypeError(f"expected an int, a slice, ints in a list or a tensor, or a mask, got {got}")
        if at.dtype is torch.bool:
            if list(at.shape) != [len(self)]:
                raise IndexError(f"expected a mask of shape [{len(self)}], got shape {list(at.shape)}")
            return self._gather(at.nonzero().flatten())
        strings = self._gather(at.reshape(-1).to("cpu", torch.int64))
        return strings if at.dim() == 1 else strings.reshape(at.shape)

    def __iter__(self) -> Iterator[StringTensor]:
        """Returns the strings in order, as StringTensors `[n]` of about 64 MB, none of them empty."""
        return self._pieces(PIECE_BYTES)

    def _pieces(self, num_bytes: int) -> Iterator[StringTensor]:
        """The strings in order, as StringTensors `[n]` of about as many bytes."""
        return (self._range(start, stop) for start, stop, _ in self._ranges(num_bytes))

    def _ranges(self, num_bytes: int) -> Iterator[tuple[int, int, int]]:
        """Ranges of strings within chunks, each of about as many bytes, and the bytes of each, if all are equal."""
        for i, chunk in enumerate(self.chunks):
            rows = len(chunk)
            if rows == 0:
                continue
            total = self._num_bytes(i)
            size = -(-rows // max(1, total // num_bytes))
            for at in range(0, rows, size):
                count = min(size, rows - at)
                start = self.starts[i] + at
                yield start, start + count, total * count // rows

    def map(self, function: Callable[[StringTensor], StringTensor], *, threads: int = 0) -> StringColumn:
        """Applies a function to the strings, piece by piece. Its results are the chunks of a new column.

        Args:
            function: a function of a StringTensor `[n]`, one of the pieces that iteration gives.
            threads: the number of threads that call it at the same time. Default: 0, the calling thread does.
        """
        return StringColumn(self._applied(function, "map", threads))

    def filter(self, function: Callable[[StringTensor], Tensor], *, threads: int = 0) -> StringColumn:
        """Returns the strings for which a function is True, in order.

        Args:
            function: a function from a StringTensor `[n]`, one of the pieces that iteration gives, to bool
                `[n]`.
            threads: the number of threads that call it at the same time. Default: 0, the calling thread does.

        Raises:
            ValueError: a result is not boolean, or not of the shape of its argument.

        Example:
            >>> StringColumn([["to", "be"], ["or", "not"]]).filter(lambda s: s.length() == 2)[:].tolist()
            ['to', 'be', 'or']
        """

        def kept(strings: StringTensor) -> StringTensor:
            return strings[_mask(f"{_OP}.filter", function(strings), strings)]

        return StringColumn(self._applied(kept, "filter", threads))

    def count(self, function: Callable[[StringTensor], Tensor], *, threads: int = 0) -> int:
        """Returns the number of strings for which a function is True. Arguments and errors are those of `filter`.

        Example:
            >>> StringColumn([["to", "be"], ["or", "not"]]).count(lambda s: s.contains("o"))
            3
        """

        def counted(strings: StringTensor) -> int:
            return int(_mask(f"{_OP}.count", function(strings), strings).sum())

        return sum(self._applied(counted, "count", threads))

    def _applied(self, function: Callable[[StringTensor], R], name: str, threads: int) -> Iterator[R]:
        """The results for the pieces of all strings, in order."""
        threads = check_int(f"{_OP}.{name}", "threads", threads, 0)
        return in_threads(function, self, threads, 2 * threads) if threads else map(function, self)

    def __repr__(self) -> str:
        return f"StringColumn({len(self):,} strings in {len(self.chunks):,} chunks)"

    def __reduce__(self) -> tuple[Callable[..., StringColumn], tuple[Any, ...]]:
        return self._origin or (StringColumn._of_ranges, (self.chunks,))

    def _num_bytes(self, i: int) -> int:
        """The bytes of a chunk that is not empty."""
        chunk = self.chunks[i]
        self._check_range(self.starts[i], self.starts[i] + 1)
        first, last = chunk.offsets.flatten()[[0, -1]].tolist()
        return int(last - first)

    def _check_range(self, start: int, stop: int) -> None:
        """Raises OSError if a mapped file of strings [start, stop) has been truncated."""
        if self._files is not None:
            self._files.check_range(start, stop)

    def _range(self, start: int, stop: int) -> StringTensor:
        """The strings [start, stop), which share the memory of a chunk if they are of one."""
        self._check_range(start, stop)
        first = min(bisect_right(self.starts, start), len(self.chunks)) - 1
        slices: list[Any] = []
        for chunk, begin in zip(self.chunks[first:], self.starts[first:], strict=False):
            if slices and begin >= stop:
                break
            strings = chunk[max(start - begin, 0) : stop - begin]
            slices.append(strings if strings.ndim == 1 else strings.reshape(-1))
        found: StringTensor = slices[0] if len(slices) == 1 else torch.cat(slices)  # type: ignore[assignment]
        return found

    def _gather(self, index: Tensor) -> StringTensor:
        found = self._gather_bytes(index)
        if found is not None:
            return _of_bytes(*found)
        try:
            return strings_at(self.chunks[0], index, *self.chunks[1:])
        except (IndexError, RuntimeError):  # RuntimeError since torch 2.15
            self._check(index.numpy())
            raise

    def _gather_bytes(self, index: Tensor | bytearray) -> tuple[bytearray, bytearray] | None:
        """The bytes and the offsets of the strings at positions; None if the operator is to take them."""
        if self._files is not None:
            self._files.check(index)
        while _is_batch(index):
            memory = self._chunk_memory()
            found = None if memory is None else memory.gather(index)
            if not isinstance(found, int):
                return found
            if found >= 0:
                self._check(np.frombuffer(index, np.int64) if isinstance(index, bytearray) else index.numpy())
            self._memory = None  # a storage has moved
        return None

    def _gather_batch(self, index: bytearray) -> StringTensor | None:
        """`_gather` for few positions.

        Positions are the bytes of int64, since making a tensor takes longer than taking the strings of a batch. None if
        the operator is to take them.
        """
        found = self._gather_bytes(index)
        return None if found is None else _of_bytes(*found)

    def _chunk_memory(self) -> ChunkMemory | None:
        if self._memory is None:
            self._memory = ChunkMemory(self.chunks, self.starts)
        return self._memory if self._memory.is_usable else None

    def _check(self, at: Any) -> None:
        size = len(self)
        if at.size and not (at.min() >= -size and at.max() < size):
            wrong = at[(at < -size) | (at >= size)][0]
            raise IndexError(f"index {wrong} is out of bounds for dimension 0 with size {size}")


def _mask(op: str, mask: Tensor, strings: StringTensor) -> Tensor:
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.shape != strings.shape:
        got = f"{mask.dtype} {list(mask.shape)}" if isinstance(mask, Tensor) else type(mask).__name__
        raise ValueError(f"{op}: expected booleans {list(strings.shape)} from the function, got {got}")
    return mask


def _is_batch(index: Tensor | bytearray) -> bool:
    """Whether no other thread would help to take the strings."""
    if isinstance(index, bytearray):
        count = len(index) // 8
    elif can_read(index):
        count = index.numel()
    else:
        return False
    return count < _MANY_STRINGS or torch.get_num_threads() == 1


def _of_bytes(data: bytearray, offsets: bytearray) -> StringTensor:
    return StringTensor._new(from_bytes(data, torch.uint8), from_bytes(offsets, torch.int32))
