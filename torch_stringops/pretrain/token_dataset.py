"""A dataset of the token ids of documents, in mapped files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from torch_stringops._checks import check_int
from torch_stringops._names import named_class
from torch_stringops.pretrain.token_plan import MANIFEST, Json, read_json
from torch_stringops.pretrain.token_shards import FORMATS, NDArray

_OP = "TokenDataset"


@named_class
class TokenDataset(Dataset[Tensor]):
    r"""A map-style dataset of the token ids that `write_tokens` wrote, in memory-mapped files of any size.

    Without `length`, item i is document i, int64 `[n]`, with the id that ends it. With `length`, item i is
    the window of the ids of all documents that begins at token `i * length`, int64 `[length + 1]`: inputs are
    all but the last id, labels all but the first. The last tokens, which do not fill a window, are left out.
    Negative positions count from the end.

    A file that is truncated while the dataset is in use is an error. DataLoader's workers map the files again.

    Args:
        folder: a folder that `write_tokens` has completed.
        length: the number of inputs of a window. None: items are documents.

    Attributes:
        num_documents: the number of documents.
        num_tokens: the number of tokens of all documents.
        manifest: what `manifest.json` holds.

    Raises:
        OSError: a file cannot be read.
        ValueError: the folder is not complete, or a file is damaged or not the one of the manifest.

    Example:
        >>> import tempfile
        >>> from torch_stringops import SubwordTokenizer
        >>> from torch_stringops.pretrain import write_tokens
        >>> ranks = {bytes([byte]): byte for byte in range(256)}
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\S+|\s+")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = write_tokens(["to be", "or"], tokenizer, folder, eos_id=0, progress=False)
        ...     TokenDataset(folder)[1], TokenDataset(folder, length=4)[1], TokenDataset(folder).num_tokens
        (tensor([111, 114,   0]), tensor([101,   0, 111, 114,   0]), 9)
    """

    def __init__(self, folder: str | os.PathLike[str], length: int | None = None) -> None:
        self.folder = Path(os.path.abspath(folder))
        self.length = None if length is None else check_int(_OP, "length", length, 1)
        self.manifest = _manifest(self.folder)
        self._map()

    def _map(self) -> None:
        format = FORMATS[self.manifest["format"]]
        records = self.manifest["shards"]
        self._shards = [format.open(_OP, self.folder / record["name"]) for record in records]
        for record, shard in zip(records, self._shards, strict=True):
            if (len(shard.starts) - 1, len(shard.ids)) != (record["documents"], record["tokens"]):
                raise ValueError(
                    f"{_OP}: {self.folder / record['name']}: expected {record['documents']} documents and "
                    f"{record['tokens']} tokens, got {len(shard.starts) - 1} and {len(shard.ids)}"
                )
        self._first_documents = np.cumsum([0, *(record["documents"] for record in records)])
        self._first_tokens = np.cumsum([0, *(record["tokens"] for record in records)])

    @property
    def num_documents(self) -> int:
        return int(self._first_documents[-1])

    @property
    def num_tokens(self) -> int:
        return int(self._first_tokens[-1])

    def __len__(self) -> int:
        if self.length is None:
            return self.num_documents
        return max(0, self.num_tokens - 1) // self.length

    def __getitem__(self, index: int) -> Tensor:
        size = len(self)
        at = check_int(_OP, "index", index, -(2**63), 2**63 - 1)
        if not -size <= at < size:
            raise IndexError(f"{_OP}: index {at} is out of bounds for {size} items")
        at %= size
        if self.length is None:
            begin, end = self._bounds(np.array([at]))[0].tolist()
        else:
            begin, end = at * self.length, (at + 1) * self.length + 1
        return torch.from_numpy(self._read(begin, end).astype(np.int64))

    def __getitems__(self, indices: Sequence[int]) -> list[Tensor]:
        return [self[index] for index in indices]

    def __repr__(self) -> str:
        return f"TokenDataset({self.num_documents:,} documents, {self.num_tokens:,} tokens)"

    def _bounds(self, documents: NDArray) -> NDArray:
        """Where documents begin and end among all tokens, int64 `[n, 2]`; of documents int64 `[n]`."""
        found = np.empty([len(documents), 2], np.int64)
        for shard, where, at in self._by_shard(self._first_documents, documents):
            starts = self._shards[shard].starts
            found[where] = np.stack([starts[at], starts[at + 1]], axis=1) + self._first_tokens[shard]
        return found

    def _lengths(self, begin: int, end: int) -> NDArray:
        """The numbers of tokens of documents [begin, end), int64."""
        parts = self._parts(self._first_documents, begin, end)
        lengths = [np.diff(self._shards[shard].starts[a : b + 1]) for shard, a, b in parts]
        return np.concatenate([np.empty(0, np.int64), *lengths])

    def _documents_at(self, tokens: NDArray) -> NDArray:
        """Which document holds each token, int64 `[n]`; of positions among all tokens, int64 `[n]`."""
        found = np.empty(len(tokens), np.int64)
        for shard, where, at in self._by_shard(self._first_tokens, tokens):
            document = np.searchsorted(self._shards[shard].starts, at, side="right") - 1
            found[where] = document + self._first_documents[shard]
        return found

    def _by_shard(self, firsts: NDArray, positions: NDArray) -> Iterator[tuple[int, NDArray, NDArray]]:
        """Each shard of positions of documents or tokens, whose files are checked; which of them; and these in it."""
        shards = np.searchsorted(firsts, positions, side="right") - 1
        for shard in np.unique(shards).tolist():
            (where,) = (shards == shard).nonzero()
            self._shards[shard].check()
            yield shard, where, positions[where] - firsts[shard]

    def _read(self, begin: int, end: int) -> NDArray:
        """Tokens [begin, end) of all, in the type of the files."""
        parts = []
        for shard, a, b in self._parts(self._first_tokens, begin, end):
            self._shards[shard].check()
            parts.append(self._shards[shard].ids[a:b])
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([np.empty(0, self.manifest["dtype"]), *parts])

    @staticmethod
    def _parts(firsts: NDArray, begin: int, end: int) -> list[tuple[int, int, int]]:
        """The shards that hold a range of documents or tokens, and the range in each."""
        found = []
        shard = int(np.searchsorted(firsts, begin, side="right")) - 1
        while begin < end:
            first, stop = int(firsts[shard]), min(end, int(firsts[shard + 1]))
            if begin < stop:
                found.append((shard, begin - first, stop - first))
                begin = stop
            shard += 1
        return found

    def __reduce__(self) -> tuple[Callable[..., TokenDataset], tuple[Any, ...]]:
        return _map_again, (type(self), str(self.folder), self.length, self.manifest)


def _map_again(kind: type[TokenDataset], folder: str, length: int | None, manifest: Json) -> TokenDataset:
    """The dataset in another process. Raises ValueError if the folder holds other tokens now."""
    found = kind(folder, length)
    if found.manifest != manifest:
        raise ValueError(f"{_OP}: {folder}: expected the tokens of the dataset that was sent, got others")
    return found


def _manifest(folder: Path) -> Json:
    path = folder / MANIFEST
    found = read_json(_OP, path)
    if found is None:
        raise ValueError(f"{_OP}: {folder}: expected {MANIFEST}, which write_tokens writes when all shards are there")
    records = found.get("shards")
    if found.get("version") != 1 or found.get("format") not in FORMATS or not isinstance(records, list):
        raise ValueError(f"{_OP}: {path}: expected a manifest of write_tokens, of version 1")
    for record in records:
        name = record.get("name") if isinstance(record, dict) else None
        counts = [record.get(key) for key in ("documents", "tokens")] if name is not None else []
        if (
            not isinstance(name, str)
            or os.path.basename(name) != name
            or not all(type(count) is int and count >= 0 for count in counts)
        ):
            raise ValueError(f"{_OP}: {path}: expected the name and the counts of each shard")
    return found
