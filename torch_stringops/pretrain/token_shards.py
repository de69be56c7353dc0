"""Files of token ids. A shard holds the ids of some documents, one after the other, and where each document begins.

| format | files of a shard | content |
|---|---|---|
| arrow | `.arrow` | an Arrow file of one record batch: `input_ids`, a large list of uint16 or uint32 |
| megatron | `.bin`, `.idx` | Megatron-Core's indexed dataset: the ids; their type, lengths and positions |
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from torch_stringops._atomic import replacing
from torch_stringops.data.files.arrow import pyarrow_module
from torch_stringops.data.files.local import MappedFile

NDArray = np.ndarray[Any, Any]

# The name of the column of Arrow files.
_COLUMN = "input_ids"

# The head of an index of Megatron-Core: the magic, the version 1, the type, the number of sequences, and that of the
# positions of documents among them.
_HEAD = struct.Struct("<9sQBQQ")
_MAGIC = b"MMIDIDX\0\0"
# The number of each type of ids; ids are not stored as floats.
_CODES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 8: "uint16"}


class TokenShard(NamedTuple):
    """A mapped shard.

    Attributes:
        ids: of all documents, unsigned or signed integers `[T]`.
        starts: of each document in `ids`, int64 `[documents + 1]`, the last one T.
        files: what `ids` and `starts` are mapped from.
    """

    ids: NDArray
    starts: NDArray
    files: tuple[MappedFile, ...]

    def check(self) -> None:
        """Raises OSError if a file has been truncated since it was mapped."""
        for file in self.files:
            file.check()


class TokenFormat(ABC):
    """How shards are stored."""

    # The files of a shard. The last one is written last, so that a shard that has it has all.
    suffixes: tuple[str, ...]
    # The names of the types of ids that a file can hold, the smallest one first.
    dtypes: tuple[str, ...]

    @abstractmethod
    def write(self, stem: Path, ids: NDArray, lengths: NDArray) -> None:
        """Writes the ids of documents, and the number of ids of each, to the files of a shard, each one atomically."""

    @abstractmethod
    def open(self, op: str, stem: Path) -> TokenShard:
        """Maps a shard.

        Raises:
            OSError: a file cannot be read.
            ValueError: a file is not of this format, or damaged.
        """


class _Arrow(TokenFormat):
    suffixes = (".arrow",)
    dtypes = ("uint16", "uint32")

    def write(self, stem: Path, ids: NDArray, lengths: NDArray) -> None:
        pa = pyarrow_module("write_tokens")
        lists = pa.LargeListArray.from_arrays(_starts(lengths), pa.array(ids))
        batch = pa.record_batch([lists], names=[_COLUMN])
        with (
            replacing(stem.with_name(stem.name + ".arrow")) as file,
            pa.ipc.new_file(file, batch.schema) as out,
        ):
            out.write_batch(batch)

    def open(self, op: str, stem: Path) -> TokenShard:
        pa = pyarrow_module(op)
        file = MappedFile(op, stem.with_name(stem.name + ".arrow"))
        try:
            reader = pa.ipc.open_file(pa.BufferReader(pa.py_buffer(file.tensor.numpy())))
            if reader.num_record_batches != 1:
                raise ValueError(f"expected one record batch, got {reader.num_record_batches}")
            batch = reader.get_batch(0)
            batch.validate()  # that buffers are as long as their columns, before one is read
            lists = batch.column(_COLUMN)
            allowed = [pa.large_list(pa.from_numpy_dtype(name)) for name in self.dtypes]
            if lists.type not in allowed or any(buffer for buffer in lists.buffers()[::2]):
                raise ValueError(f"expected lists of {' or '.join(self.dtypes)} without nulls, got {lists.type}")
            _, starts, _, ids = (np.frombuffer(buffer or b"", np.uint8) for buffer in lists.buffers())
            ids = ids.view(lists.type.value_type.to_pandas_dtype())[: len(lists.values)]
            found = TokenShard(ids, starts.view(np.int64)[: len(lists) + 1], (file,))
        except (pa.ArrowException, ValueError, KeyError, IndexError) as error:
            raise ValueError(f"{op}: {file.path}: expected a shard of write_tokens: {error}") from None
        return _checked(op, file.path, found)


class _Megatron(TokenFormat):
    suffixes = (".bin", ".idx")
    dtypes = ("uint16", "int32")

    def write(self, stem: Path, ids: NDArray, lengths: NDArray) -> None:
        code = next(code for code, name in _CODES.items() if name == ids.dtype.name)
        count = len(lengths)
        with replacing(stem.with_name(stem.name + ".bin")) as file:
            file.write(ids.data)
        with replacing(stem.with_name(stem.name + ".idx")) as file:
            file.write(_HEAD.pack(_MAGIC, 1, code, count, count + 1))
            file.write(lengths.astype("<i4").data)
            file.write((_starts(lengths)[:-1] * ids.itemsize).astype("<i8").data)
            file.write(np.arange(count + 1, dtype="<i8").data)  # a document is one sequence

    def open(self, op: str, stem: Path) -> TokenShard:
        data, index = (MappedFile(op, stem.with_name(stem.name + suffix)) for suffix in self.suffixes)
        raw = index.tensor.numpy()
        fault = f"{op}: {index.path}: expected an index of Megatron-Core"
        if len(raw) < _HEAD.size:
            raise ValueError(f"{fault}, got {len(raw)} bytes")
        magic, version, code, count, _ = _HEAD.unpack(raw[: _HEAD.size].tobytes())
        if magic != _MAGIC or version != 1 or code not in _CODES:
            raise ValueError(f"{fault} of version 1 with integers")
        if count > (len(raw) - _HEAD.size) // 12:
            raise ValueError(f"{fault} of {count} sequences, got {len(raw)} bytes")
        lengths = np.frombuffer(raw, dtype="<i4", count=count, offset=_HEAD.size)
        positions = np.frombuffer(raw, dtype="<i8", count=count, offset=_HEAD.size + 4 * count)
        dtype = np.dtype(_CODES[code])
        ids = data.tensor.numpy()
        starts = _starts(lengths)
        if len(ids) % dtype.itemsize or not np.array_equal(positions, starts[:-1] * dtype.itemsize):
            raise ValueError(f"{fault} whose sequences follow each other in {data.path.name}")
        return _checked(op, index.path, TokenShard(ids.view(dtype), starts, (data, index)))


FORMATS: dict[str, TokenFormat] = {"arrow": _Arrow(), "megatron": _Megatron()}


def _starts(lengths: NDArray) -> NDArray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _checked(op: str, path: Path, shard: TokenShard) -> TokenShard:
    starts = shard.starts
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(shard.ids) or (np.diff(starts) < 0).any():
        raise ValueError(f"{op}: {path}: expected documents that follow each other, up to the last id")
    return shard
