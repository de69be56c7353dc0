"""The work of write_tokens: shards of documents, which any process may write, in any order and more than once.

A folder that is written holds `unfinished.json`, the settings, and for each shard that is whole a record, a small file
of JSON that is written after the shard. When all are there, `manifest.json` takes the place of both.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from torch_stringops._atomic import replacing
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.functions.build import string_concat
from torch_stringops.functions.hash import string_hash
from torch_stringops.pretrain.token_shards import FORMATS, NDArray
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword.tokenizer import SubwordTokenizer

_OP = "write_tokens"
_VERSION = 1
MANIFEST, _UNFINISHED = "manifest.json", "unfinished.json"
# Texts are encoded in pieces of about this many bytes, so that their int64 ids stay in the cache.
_PIECE_BYTES = 2**20
# The bytes of the strings of a tensor are fewer than this, as its offsets are int32.
_MAX_STRINGS = 2**31

Json = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """All that the files of a folder depend on. `ranges` are the documents of each shard."""

    column: StringColumn
    tokenizer: SubwordTokenizer
    folder: Path
    format: str
    dtype: str
    eos_id: int | None
    ranges: list[tuple[int, int]]

    @property
    def settings(self) -> Json:
        """What is equal for all shards of a folder."""
        return {
            "version": _VERSION,
            "format": self.format,
            "dtype": self.dtype,
            "eos_id": self.eos_id,
            "tokenizer": hash_of(self.tokenizer),
            "documents": len(self.column),
            "shards": len(self.ranges),
        }

    def begin(self) -> None:
        """Writes the settings to the folder, or compares them with those in it.

        Raises:
            ValueError: the folder holds tokens of other settings, or other files of such names.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        mine = self.settings
        for name in (MANIFEST, _UNFINISHED):
            theirs = read_json(_OP, self.folder / name)
            if theirs is None:
                continue
            theirs = theirs if name == _UNFINISHED else {**theirs, "shards": len(theirs.get("shards", ()))}
            for key, value in mine.items():
                if theirs.get(key) != value:
                    raise ValueError(
                        f"{_OP}: {self.folder}: expected a folder that is empty, or written with the same arguments, "
                        f"got one of another `{key}`: {theirs.get(key)!r}, here {value!r} (choose another folder)"
                    )
            return
        _write_json(self.folder / _UNFINISHED, mine)

    def records(self) -> list[Json | None]:
        """The records of the shards that are whole."""
        manifest = read_json(_OP, self.folder / MANIFEST)
        found = (
            [read_json(_OP, self._stem(i).with_suffix(".json")) for i in range(len(self.ranges))]
            if manifest is None
            else manifest["shards"]
        )
        return [record if self._is_whole(i, record) else None for i, record in enumerate(found)]

    def _is_whole(self, shard: int, record: Json | None) -> bool:
        """Whether the files of a shard hold as many documents and tokens as its record says."""
        if record is None:
            return False
        try:
            files = FORMATS[self.format].open(_OP, self._stem(shard))
        except (FileNotFoundError, ValueError):
            return False
        return (len(files.starts) - 1, len(files.ids)) == (record["documents"], record["tokens"])

    def write(self, shard: int, record: Json | None) -> Json:
        """Writes a shard and its record, or compares the text of its documents with that of its record.

        Raises:
            ValueError: the text is another one.
        """
        text, size = hashlib.sha256(), 0
        parts, counts = [np.empty(0, self.dtype)], [np.empty(0, np.int64)]
        for piece in self._documents(*self.ranges[shard]):
            text.update(string_hash(piece).numpy().data)
            size += num_bytes(piece)
            if record is None:
                found, ends = self.tokenizer.encode(piece)
                parts.append(found.numpy().astype(self.dtype))
                counts.append(np.diff(ends.numpy()))
        if record is not None:
            if record["text"] != text.hexdigest():
                raise ValueError(
                    f"{_OP}: expected the documents of which {self.folder} holds tokens, got others in rows "
                    f"[{self.ranges[shard][0]}, {self.ranges[shard][1]}) (choose another folder)"
                )
            return record
        ids, lengths = self._ended(np.concatenate(parts), np.concatenate(counts))
        FORMATS[self.format].write(self._stem(shard), ids, lengths)
        record = {
            "name": self._stem(shard).name,
            "documents": len(lengths),
            "tokens": len(ids),
            "bytes": size,
            "text": text.hexdigest(),
        }
        _write_json(self._stem(shard).with_suffix(".json"), record)
        return record

    def end(self, records: list[Json]) -> Json:
        """Writes the manifest, and removes what stands for an unfinished folder."""
        manifest = self.settings
        for key in ("documents", "tokens", "bytes"):
            manifest[key] = sum(record[key] for record in records)
        manifest["shards"] = records
        if read_json(_OP, self.folder / MANIFEST) != manifest:
            _write_json(self.folder / MANIFEST, manifest)
        for path in (
            self.folder / _UNFINISHED,
            *(self._stem(i).with_suffix(".json") for i in range(len(records))),
        ):
            with suppress(FileNotFoundError):
                path.unlink()
        return manifest

    def _stem(self, shard: int) -> Path:
        return self.folder / f"shard-{shard:05d}"

    def _documents(self, start: int, stop: int) -> Iterator[StringTensor]:
        """Documents [start, stop) in pieces. Only chunks smaller than a piece are joined, which copies them."""
        starts = self.column.starts
        cuts, filled = [start], _PIECE_BYTES
        for i in range(bisect_right(starts, start), bisect_left(starts, stop)):
            size = self.column._num_bytes(i) if starts[i] < starts[i + 1] else 0
            filled += size
            if filled > _PIECE_BYTES:
                cuts.append(starts[i])
                filled = size
        for begin, end in pairwise([*cuts, stop]):
            yield from pieces(self.column[begin:end])

    def _ended(self, ids: NDArray, lengths: NDArray) -> tuple[NDArray, NDArray]:
        """The ids of documents, each with the id at its end, and the number of ids of each."""
        if self.eos_id is None:
            return ids, lengths
        starts = np.concatenate([[0], np.cumsum(lengths)])
        if (len(ids) + len(lengths)) * ids.itemsize >= _MAX_STRINGS:
            return np.insert(ids, starts[1:], self.eos_id), lengths + 1
        # Concatenating the bytes of ids as strings copies each document at once: np.insert copies id by id.
        offsets = (starts * ids.itemsize).astype(np.int32)
        rows = StringTensor(torch.from_numpy(ids.view(np.uint8)), torch.from_numpy(offsets))
        ended = string_concat(rows, np.array(self.eos_id, self.dtype).tobytes())
        return ended.data.numpy().view(self.dtype), lengths + 1


def shard_ranges(column: StringColumn, shard_bytes: int) -> list[tuple[int, int]]:
    """The documents of each shard, about `shard_bytes` of text: parts of large chunks, or several small chunks."""
    found: list[tuple[int, int]] = []
    filled = 0
    for start, stop, size in column._ranges(shard_bytes):
        if found and filled + size <= shard_bytes:
            found[-1] = found[-1][0], stop
            filled += size
        else:
            found.append((start, stop))
            filled = size
    return found


def hash_of(tokenizer: SubwordTokenizer) -> str:
    """The SHA-256 of what a tokenizer was built from, in hexadecimal digits."""
    found = hashlib.sha256()
    for name, tensor in sorted(tokenizer._state().items()):
        found.update(f"{name} {tensor.dtype} {tensor.numel()}\n".encode())
        found.update(tensor.contiguous().numpy().tobytes())
    return found.hexdigest()


def num_bytes(strings: StringTensor) -> int:
    offsets = strings.offsets.numpy()
    return int(offsets[-1]) - int(offsets[0])


def read_json(op: str, path: Path) -> Json | None:
    """The object in a file of this folder; None if there is no file."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"{op}: {path}: expected an object in JSON, as write_tokens writes it")
    return found


def _write_json(path: Path, value: Json) -> None:
    with replacing(path) as file:
        file.write(json.dumps(value, indent=1).encode() + b"\n")


def pieces(strings: StringTensor) -> Iterator[StringTensor]:
    """Cuts strings `[n]` into parts of about _PIECE_BYTES."""
    return StringColumn([strings])._pieces(_PIECE_BYTES)
