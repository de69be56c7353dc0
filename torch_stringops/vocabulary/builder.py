"""VocabularyBuilder: counts words in pieces, on any number of machines, in bounded memory."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import torch
from torch import Tensor

from torch_stringops._atomic import replacing
from torch_stringops._checks import MAX_BYTES, check_int, utf8
from torch_stringops._counting import Counter, _chunks, sum_counts
from torch_stringops._names import named_class
from torch_stringops._types import OptionalStrings, Text
from torch_stringops.functions.split import string_split_ragged
from torch_stringops.functions.vocabulary import string_unique
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary.vocabulary import Vocabulary

# Words on disk are divided by their hash. A partition is counted at once.
_PARTITIONS = 64
# Partitions that are too large are divided again, by hashes of other seeds.
_MAX_SEED = 4
_VERSION = 1
# Inputs are counted in pieces of about a 100th of `max_bytes`, and at least so many bytes, since the words of a piece
# may all be distinct and take 12 times their bytes while they are counted.
_MIN_PIECE = 2**14
# The words of a partition take about 10 times the bytes of its file while they are counted.
_PARTITION_MEMORY = 10


class _Words(NamedTuple):
    """Distinct words with their counts. Those with a smaller `order`, int64, appeared first."""

    words: StringTensor
    counts: Tensor
    order: Tensor

    def select(self, index: Tensor) -> _Words:
        return _Words(self.words[index], self.counts[index], self.order[index])

    def write(self, file: BinaryIO) -> None:
        words = self.words.compact()
        for t in (words.data, words.offsets, self.counts, self.order):
            np.save(file, t.numpy(), allow_pickle=False)

    @staticmethod
    def read(file: BinaryIO) -> _Words:
        arrays = [np.load(file, allow_pickle=False) for _ in range(4)]
        dtypes = [np.uint8, np.int32, np.int64, np.int64]
        if any(a.dtype != d or a.ndim != 1 for a, d in zip(arrays, dtypes, strict=True)):
            raise ValueError("expected arrays of words, counts and order")
        data, offsets, counts, order = map(torch.from_numpy, arrays)
        words = StringTensor(data, offsets).validate()
        if not len(words) == len(counts) == len(order):
            raise ValueError("expected a count for each word")
        return _Words(words, counts, order)

    @staticmethod
    def sum(pieces: Sequence[_Words]) -> _Words:
        """The words of all pieces, with the sums of their counts."""
        all_words, all_counts, all_order = zip(*pieces, strict=True)
        words, ids, _ = string_unique(torch.cat(all_words))  # type: ignore[arg-type]
        counts = sum_counts("VocabularyBuilder", ids, torch.cat(all_counts), len(words))
        order = torch.zeros_like(counts).scatter_reduce_(
            0, ids, torch.cat(all_order), "amin", include_self=False
        )
        return _Words(words, counts, order)


@named_class
class VocabularyBuilder:
    """Counts strings for a Vocabulary, piece by piece, on one or many machines, in bounded memory.

    `build` returns the vocabulary that `Vocabulary.from_strings` returns for all strings at once. Shards are counted
    apart, in any processes or machines: a builder can be pickled and saved, and `merge` adds the counts of another.
    Counts are always exact: words that exceed `max_bytes` of memory go to files in a temporary folder, divided by
    their hash, which `build` reads one at a time. It holds the words that it selects in memory.

    Args:
        delimiter: split the strings at this delimiter, and count the pieces, as in `Vocabulary.from_strings`.
        skip_empty: drop empty pieces, or empty strings.
        max_bytes: bytes of memory that the builder takes, at most 2**31 - 1: about 3 million words of 10 bytes for each
            GB. Inputs, the words that `build` returns, and single strings that are longer are not counted. Less than 16
            MB has little effect, since tensors and files take a few.
        folder: where the temporary folder is created. Default: as `tempfile`.

    Raises:
        TypeError, ValueError: an argument is not as above.

    Example:
        >>> parts = [VocabularyBuilder(delimiter="").add(text) for text in (["to be"], ["or not", "to be"])]
        >>> builder = VocabularyBuilder(delimiter="")
        >>> for part in parts:
        ...     _ = builder.merge(part)
        >>> builder.build(min_frequency=2).tokens.tolist()
        ['<pad>', '<unk>', 'to', 'be']
    """

    def __init__(
        self,
        *,
        delimiter: Text | None = None,
        skip_empty: bool = False,
        max_bytes: int = 2**30,
        folder: str | PathLike[str] | None = None,
    ) -> None:
        self.delimiter = None if delimiter is None else utf8("VocabularyBuilder", "delimiter", delimiter)
        self.skip_empty = bool(skip_empty)
        self.max_bytes = check_int("VocabularyBuilder", "max_bytes", max_bytes, 1, MAX_BYTES)
        self.num_strings = 0  # that have been counted
        self._parent = folder
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._counter = Counter()
        self._next = 0  # the order of words on disk is less

    def add(
        self, input: OptionalStrings | Iterable[OptionalStrings], *, missing: Text | None = None
    ) -> VocabularyBuilder:
        """Counts strings.

        Args:
            input: strings of any shape, a list of `str` or `bytes`, a StringColumn, or an iterable of these.
            missing: replaces missing strings, as in `as_strings`. Default: None, a missing string is an error.

        Returns:
            This builder.
        """
        size = max(_MIN_PIECE, self.max_bytes // 100)
        pieces = getattr(input, "_pieces", None)  # of a StringColumn
        given = input if pieces is None else pieces(size)
        for chunk in _cut(_chunks(given, "VocabularyBuilder.add", missing, size), size):
            if self.delimiter is not None:
                chunk, _ = string_split_ragged(chunk, self.delimiter, skip_empty=self.skip_empty)
            elif self.skip_empty:
                chunk = chunk.masked_select(chunk != "")
            self.num_strings += chunk.numel()
            self._counter.add(chunk)
            self._limit()
        return self

    def merge(self, other: VocabularyBuilder) -> VocabularyBuilder:
        """Adds the counts of another builder, as if its strings had been added after those of this one.

        Raises:
            TypeError: `other` is not a VocabularyBuilder.
            ValueError: `delimiter` or `skip_empty` differ.
        """
        if not isinstance(other, VocabularyBuilder):
            raise TypeError(
                f"VocabularyBuilder.merge: expected a VocabularyBuilder, got {type(other).__name__}"
            )
        if (self.delimiter, self.skip_empty) != (other.delimiter, other.skip_empty):
            raise ValueError(
                "VocabularyBuilder.merge: expected builders of equal `delimiter` and `skip_empty`"
            )
        if other._folder is not None:
            self._spill()
            for piece in other._on_disk():
                self._write(piece._replace(order=piece.order + self._next))
            self._next += other._next
        memory = other._in_memory()
        self._counter.add_counts(memory.words, memory.counts)
        self.num_strings += other.num_strings
        self._limit()
        return self

    def build(
        self,
        *,
        max_size: int | None = None,
        min_frequency: int = 1,
        specials: Sequence[Text] = (),
        pad_token: Text | None = "<pad>",
        unknown_token: Text | None = "<unk>",
        num_oov_buckets: int | None = None,
    ) -> Vocabulary:
        """Returns the vocabulary of the strings that have been added.

        Arguments and errors are those of `Vocabulary.from_strings`.

        Example:
            >>> VocabularyBuilder().add(["b", "a", "b"]).build(max_size=3).tokens.tolist()
            ['<pad>', '<unk>', 'b']
        """
        return Vocabulary._from_counts(
            "VocabularyBuilder.build",
            self._count,
            max_size=max_size,
            min_frequency=min_frequency,
            specials=specials,
            pad_token=pad_token,
            unknown_token=unknown_token,
            num_oov_buckets=num_oov_buckets,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the counts to a file, for `load`: atomically, by a temporary file in the same folder.

        Example:
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     VocabularyBuilder().add(["a", "b", "a"]).save(folder + "/counts")
            ...     VocabularyBuilder.load(folder + "/counts").build().tokens.tolist()
            ['<pad>', '<unk>', 'a', 'b']
        """
        with replacing(path) as file:
            self._save(file)

    @staticmethod
    def load(
        path: str | PathLike[str], *, max_bytes: int | None = None, folder: str | PathLike[str] | None = None
    ) -> VocabularyBuilder:
        """Reads a builder from a file of `save`.

        Args:
            path: path of the file.
            max_bytes, folder: as in the constructor. Default of `max_bytes`: that of the saved builder.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is truncated, or was not written by `save`.
        """
        with open(path, "rb") as file:
            try:
                return _load(file, max_bytes, folder)
            except (ValueError, EOFError, IndexError) as error:
                raise ValueError(f"VocabularyBuilder.load: {path}: {error}") from None

    def __reduce__(self) -> Any:
        file = io.BytesIO()
        self._save(file)
        return _from_bytes, (file.getvalue(),)

    def __repr__(self) -> str:
        return f"VocabularyBuilder({self.num_strings:,} strings)"

    def _in_memory(self) -> _Words:
        self._counter.merge()
        words, counts = self._counter.words, self._counter.counts
        return _Words(words, counts, torch.arange(self._next, self._next + len(words), device="cpu"))

    def _limit(self) -> None:
        # A merge takes no more than `max_bytes`, and is worth it: at least a third of the words are pending.
        counter = self._counter
        if counter.merge_bytes() > self.max_bytes * 3 // 4:
            counter.merge()
            if counter.merge_bytes() > self.max_bytes // 2:
                self._spill()

    def _spill(self) -> None:
        memory = self._in_memory()
        if len(memory.words) == 0:
            return
        self._write(memory)
        self._next += len(memory.words)
        self._counter = Counter()

    def _write(self, piece: _Words) -> None:
        """Appends words to the files of their partitions."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="vocabulary", dir=self._parent)
        _partition(piece, Path(self._folder.name), _PARTITIONS, 1)

    def _on_disk(self) -> Iterator[_Words]:
        """The words of each file, which no other file has."""
        if self._folder is not None:
            yield from self._sums(Path(self._folder.name), 1)

    def _sums(self, folder: Path, seed: int) -> Iterator[_Words]:
        limit = max(_MIN_PIECE, self.max_bytes // _PARTITION_MEMORY)
        for number in range(_PARTITIONS):
            path = folder / str(number)
            size = path.stat().st_size if path.exists() else 0
            if size > limit and seed < _MAX_SEED:
                # By another hash, to files of files.
                with tempfile.TemporaryDirectory(dir=folder) as parts:
                    for piece in _read(path):
                        _partition(piece, Path(parts), _PARTITIONS, seed + 1)
                    yield from self._sums(Path(parts), seed + 1)
            elif size:
                yield _Words.sum(list(_read(path)))

    def _count(
        self, before: StringTensor, min_frequency: int, max_size: int | None
    ) -> tuple[StringTensor, Tensor]:
        """The distinct strings in order of first appearance; of those on disk, without some that cannot be tokens."""
        if self._folder is None:
            memory = self._in_memory()
            return memory.words, memory.counts
        self._spill()
        kept: list[_Words] = []
        for piece in self._on_disk():
            chosen = piece.counts >= min_frequency
            if max_size is not None:
                rank = np.lexsort([piece.order.numpy(), -piece.counts.numpy()])
                chosen[torch.from_numpy(rank[max_size:])] = False
            kept.append(piece.select((chosen | piece.words.isin(before)).nonzero().flatten()))
        words, counts, order = zip(*kept, strict=True)
        by_order = torch.cat(order).argsort()
        return torch.cat(words)[by_order], torch.cat(counts)[by_order]  # type: ignore[return-value]

    def _save(self, file: BinaryIO) -> None:
        delimiter = self.delimiter or b""
        settings = [_VERSION, self.delimiter is not None, self.skip_empty, self.max_bytes, self.num_strings]
        np.save(file, np.asarray([*settings, self._next, self._folder is not None], dtype=np.int64))
        np.save(file, np.frombuffer(delimiter, dtype=np.uint8))
        self._in_memory().write(file)
        for piece in self._on_disk():
            np.save(file, np.ones(1, dtype=np.int64))
            piece.write(file)
        np.save(file, np.zeros(1, dtype=np.int64))


def _cut(chunks: Iterable[StringTensor], num_bytes: int) -> Iterator[StringTensor]:
    """The strings of chunks, as StringTensors of at most about as many bytes, but for longer strings."""
    for chunk in chunks:
        if chunk.data.numel() + 4 * chunk.numel() <= num_bytes:
            yield chunk
            continue
        flat = chunk.reshape(-1)
        begin = 0
        while begin < len(flat):
            # Positions in memory, with 4 bytes for each string, so that there are not too many empty ones.
            offsets = flat.offsets[begin : begin + num_bytes // 4 + 2].to(torch.int64)
            at = offsets + 4 * torch.arange(len(offsets), device="cpu")
            count = max(1, int(torch.searchsorted(at, at[0] + num_bytes, right=True)) - 1)
            yield flat[begin : begin + count]
            begin += count


def _partition(piece: _Words, folder: Path, count: int, seed: int) -> None:
    """Appends words to files by their hash. It is not that of string_unique, whose table would have crowded parts."""
    partition = piece.words.hash_bucket(count, seed=seed)
    by_partition = partition.argsort(stable=True)
    ends = torch.bincount(partition, minlength=count).cumsum(0).tolist()
    for number, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if begin < end:
            with open(folder / str(number), "ab") as file:
                piece.select(by_partition[begin:end]).write(file)


def _read(path: Path) -> Iterator[_Words]:
    """The words of a file, in the order in which they were written."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        while file.tell() < size:
            yield _Words.read(file)


def _load(file: BinaryIO, max_bytes: int | None, folder: str | PathLike[str] | None) -> VocabularyBuilder:
    settings = np.load(file, allow_pickle=False).tolist()
    if not isinstance(settings, list) or len(settings) != 7 or settings[0] != _VERSION:
        raise ValueError("expected a file of VocabularyBuilder.save")
    _, has_delimiter, skip_empty, limit, num_strings, first, _ = settings
    delimiter = np.load(file, allow_pickle=False).tobytes()
    builder = VocabularyBuilder(
        delimiter=delimiter if has_delimiter else None,
        skip_empty=bool(skip_empty),
        max_bytes=limit if max_bytes is None else max_bytes,
        folder=folder,
    )
    memory = _Words.read(file)
    while np.load(file, allow_pickle=False).tolist() == [1]:
        builder._write(_Words.read(file))
    builder.num_strings, builder._next = num_strings, first
    builder._counter.add_counts(memory.words, memory.counts)
    builder._limit()
    return builder


def _from_bytes(raw: bytes) -> VocabularyBuilder:
    return _load(io.BytesIO(raw), None, None)
