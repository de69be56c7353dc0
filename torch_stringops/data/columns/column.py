"""A column of strings of any size, in chunks that are indexed as one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_int
from torch_stringops._chunks import Chunks
from torch_stringops._names import named_class
from torch_stringops._tracing import can_read
from torch_stringops._types import ArrowArray, ArrowStream, Index, StringsLike
from torch_stringops.data.columns.chunk_memory import ChunkMemory
from torch_stringops.data.columns.file_lines import FileLines
from torch_stringops.data.columns.threads import in_threads
from torch_stringops.data.columns.unread_strings import UnreadStrings
from torch_stringops.data.columns.watched_files import WatchedFiles
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.ranges import strings_at
from torch_stringops.tensor.serialization import MAX_SENT_BYTES, from_bytes

_OP = "StringColumn"
# Iteration cuts chunks into pieces of about this many bytes.
PIECE_BYTES = 2**26
# From this number of strings on, the operator takes them, on several threads.
_MANY_STRINGS = 2**16
# From this number on, strings of files that are read on demand are taken chunk by chunk.
_MANY_READ = 2**14

NDArray = np.ndarray[Any, Any]
R = TypeVar("R")


@named_class
class StringColumn(Chunks):
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
        # Whether some strings are read from files when they are used.
        self._is_read = any(type(chunk) is FileLines for chunk in chunks)

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

    def map(
        self, function: Callable[[StringTensor], StringTensor], *, threads: int = 0, progress: bool = False
    ) -> StringColumn:
        """Applies a function to the strings, piece by piece. Its results are the chunks of a new column.

        Args:
            function: a function of a StringTensor `[n]`, one of the pieces that iteration gives.
            threads: the number of threads that call it at the same time. Default: 0, the calling thread does.
            progress: show progress on standard error.
        """
        return StringColumn(self._applied(function, "map", threads, progress))

    def filter(
        self, function: Callable[[StringTensor], Tensor], *, threads: int = 0, progress: bool = False
    ) -> StringColumn:
        """Returns the strings for which a function is True, in order.

        Args:
            function: a function from a StringTensor `[n]`, one of the pieces that iteration gives, to bool
                `[n]`.
            threads: the number of threads that call it at the same time. Default: 0, the calling thread does.
            progress: show progress on standard error.

        Raises:
            ValueError: a result is not boolean, or not of the shape of its argument.

        Example:
            >>> StringColumn([["to", "be"], ["or", "not"]]).filter(lambda s: s.length() == 2)[:].tolist()
            ['to', 'be', 'or']
        """

        def kept(strings: StringTensor) -> StringTensor:
            return strings[_mask(f"{_OP}.filter", function(strings), strings)]

        return StringColumn(self._applied(kept, "filter", threads, progress))

    def count(self, function: Callable[[StringTensor], Tensor], *, threads: int = 0, progress: bool = False) -> int:
        """Returns the number of strings for which a function is True. Arguments and errors are those of `filter`.

        Example:
            >>> StringColumn([["to", "be"], ["or", "not"]]).count(lambda s: s.contains("o"))
            3
        """

        def counted(strings: StringTensor) -> int:
            return int(_mask(f"{_OP}.count", function(strings), strings).sum())

        return sum(self._applied(counted, "count", threads, progress))

    def _applied(self, function: Callable[[StringTensor], R], name: str, threads: int, progress: bool) -> Iterator[R]:
        """The results for the pieces of all strings, in order."""
        threads = check_int(f"{_OP}.{name}", "threads", threads, 0)
        results = in_threads(function, self, threads, 2 * threads) if threads else map(function, self)
        done, start = 0, time.perf_counter()
        for (_, stop, size), result in zip(self._ranges(PIECE_BYTES), results, strict=True):
            yield result
            if progress:
                done += size
                rate = done / 1e6 / max(time.perf_counter() - start, 1e-9)
                text = f"{_OP}.{name}: {stop:,} of {len(self):,} strings, {done / 1e6:,.0f} MB, {rate:,.0f} MB/s"
                print(f"\r{text}", end="\n" if stop == len(self) else "", file=sys.stderr, flush=True)

    if TYPE_CHECKING:  # of Chunks, which also hold Tensors

        def __getitem__(self, index: Index) -> StringTensor: ...

    def __repr__(self) -> str:
        return f"StringColumn({len(self):,} strings in {len(self.chunks):,} chunks)"

    def __reduce__(self) -> tuple[Callable[..., StringColumn], tuple[Any, ...]]:
        return self._origin or (StringColumn._of_ranges, (self.chunks,))

    def _num_bytes(self, i: int) -> int:
        """The bytes of a chunk that is not empty."""
        chunk = self.chunks[i]
        if isinstance(chunk, FileLines):
            return chunk.num_bytes
        self._check_range(self.starts[i], self.starts[i] + 1)
        first, last = chunk.offsets.flatten()[[0, -1]].tolist()
        return int(last - first)

    def _check_range(self, start: int, stop: int) -> None:
        """Raises OSError if a mapped file of strings [start, stop) has been truncated."""
        if self._files is not None:
            self._files.check_range(start, stop)

    def _row(self, at: int) -> Any:
        self._check_range(at % max(len(self), 1), at % max(len(self), 1) + 1)
        row = super()._row(at)
        return row if row.ndim == 0 else row[0]

    def _range(self, start: int, stop: int) -> Any:
        self._check_range(start, stop)
        return super()._range(start, stop)

    def _join(self, slices: list[Any]) -> Any:
        return super()._join([rows if rows.ndim == 1 else rows.reshape(-1) for rows in slices])

    def _gather(self, index: Tensor) -> Any:
        if self._is_read:
            return self._gather_read(index.numpy())
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

    def _gather_batch(self, index: bytearray, unread: bool) -> StringTensor | None:
        """`_gather` for few positions; `unread` if the result is sent to another process.

        Positions are the bytes of int64, since making a tensor takes longer than taking the strings of a batch. None if
        the operator is to take them.
        """
        found = None if self._is_read else self._gather_bytes(index)
        if found is None:
            return None
        data, offsets = found
        if unread and len(data) + len(offsets) <= MAX_SENT_BYTES:
            return UnreadStrings.of(data, offsets)
        return _of_bytes(data, offsets)

    def _gather_read(self, at: NDArray) -> StringTensor:
        """The strings at positions, of chunks that are read from files and of others."""
        self._check(at)
        at = np.where(at < 0, at + len(self), at)
        chunk_of = np.searchsorted(self.starts[:-1], at, side="right") - 1
        few: list[bytes] = [b""] * len(at)
        many: list[tuple[NDArray, StringTensor]] = []
        for i in np.unique(chunk_of).tolist():
            (where,) = (chunk_of == i).nonzero()
            rows = at[where] - self.starts[i]
            chunk = self.chunks[i]
            self._check_range(self.starts[i], self.starts[i] + 1)
            if len(at) >= _MANY_READ:
                many.append((where, chunk[torch.from_numpy(rows)].reshape(-1)))
                continue
            if isinstance(chunk, FileLines):
                strings = chunk.strings(rows)
            else:
                strings = chunk[torch.from_numpy(rows)].reshape(-1).tolist(as_bytes=True)
            for k, string in zip(where.tolist(), strings, strict=True):
                few[k] = string
        if not many:
            return StringTensor.from_list(few)
        order = np.concatenate([where for where, _ in many]).argsort()
        gathered: Any = torch.cat([strings for _, strings in many])  # type: ignore[misc]
        found: StringTensor = gathered[torch.from_numpy(order)]
        return found

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
