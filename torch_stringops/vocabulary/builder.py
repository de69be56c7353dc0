"""VocabularyBuilder: counts words in pieces, on any number of machines, in bounded memory."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import torch
from torch import Tensor

from torch_stringops._atomic import replacing
from torch_stringops._checks import MAX_BYTES, check_int, utf8
from torch_stringops._counting import Counter, _chunks
from torch_stringops._names import named_class
from torch_stringops._types import OptionalStrings, Text
from torch_stringops.functions.split import string_split_ragged
from torch_stringops.ops.split import delimiter_or_whitespace
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary._spills import Spill, Words, naming, write_spill
from torch_stringops.vocabulary.vocabulary import Vocabulary

# Partitions that are too large are divided again, by hashes of other seeds.
_MAX_SEED = 4
_VERSION = 1
# Inputs are counted in pieces of about a 100th of `max_bytes`, and at least so many bytes, since the words of a piece
# may all be distinct and take 12 times their bytes while they are counted.
_MIN_PIECE = 2**14
# The words of a partition take about 10 times the bytes of its file while they are counted.
_PARTITION_MEMORY = 10


class _Counts(NamedTuple):
    """All that a builder has counted. It is replaced as a whole, so that an interrupt leaves the one or the other."""

    spills: tuple[Spill, ...]
    next: int  # the order of the words of spills is less
    spilled: int  # strings of spills
    counter: Counter


@named_class
class VocabularyBuilder:
    """Counts strings for a Vocabulary, piece by piece, on one or many machines, in bounded memory.

    `build` returns the vocabulary that `Vocabulary.from_strings` or `from_text` returns for all strings at once. Shards
    are counted apart, in any processes or machines: a builder can be pickled and saved, and `merge` adds the counts of
    another.
    Counts are always exact: words that exceed `max_bytes` of memory go to files in a temporary folder, divided by
    their hash, of which `build` reads one part at a time. It holds the words that it selects in memory. An `add` or
    `merge` that an interrupt or a full disk ends leaves a builder that can be used: `num_strings` is the number of
    strings that it has counted.

    Args:
        max_bytes: bytes of memory that the builder takes, at most 2**31 - 1: about 3 million words of 10 bytes for each
            GB. Inputs, the words that `build` returns, and single strings that are longer are not counted. Less than 16
            MB has little effect, since tensors and files take a few.
        folder: where the temporary folder is created. Default: as `tempfile`.

    Attributes:
        num_strings: the number of strings that have been counted.

    Raises:
        TypeError, ValueError: an argument is not as above.
        OSError: by methods, a file of the temporary folder cannot be written or read.

    Example:
        >>> parts = [VocabularyBuilder().add_text(text) for text in (["to be"], ["or not", "to be"])]
        >>> builder = VocabularyBuilder()
        >>> for part in parts:
        ...     _ = builder.merge(part)
        >>> builder.build(min_frequency=2).tokens.tolist()
        ['<pad>', '<unk>', 'to', 'be']
    """

    def __init__(
        self,
        *,
        max_bytes: int = 2**30,
        folder: str | PathLike[str] | None = None,
    ) -> None:
        self.max_bytes = check_int("VocabularyBuilder", "max_bytes", max_bytes, 1, MAX_BYTES)
        self._parent = folder
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._counts = _Counts((), 0, 0, Counter())

    @property
    def num_strings(self) -> int:
        return self._counts.spilled + self._counts.counter.num_strings

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
        for chunk in self._read("VocabularyBuilder.add", input, missing):
            self._counts.counter.add(chunk)
            self._limit()
        return self

    def add_text(
        self,
        input: OptionalStrings | Iterable[OptionalStrings],
        delimiter: Text | None = "",
        *,
        skip_empty: bool = False,
        missing: Text | None = None,
    ) -> VocabularyBuilder:
        """Counts the pieces of strings at a delimiter, as `Vocabulary.from_text` does: by default, words.

        Args:
            input, missing: as in `add`.
            delimiter: the delimiter; `""` or None for whitespace.
            skip_empty: drop empty pieces.

        Returns:
            This builder.
        """
        op = "VocabularyBuilder.add_text"
        delimiter = utf8(op, "delimiter", delimiter_or_whitespace(delimiter))
        for chunk in self._read(op, input, missing):
            self._counts.counter.add(string_split_ragged(chunk, delimiter, skip_empty=skip_empty)[0])
            self._limit()
        return self

    def _read(self, op: str, input: Any, missing: Text | None) -> Iterator[StringTensor]:
        size = max(_MIN_PIECE, self.max_bytes // 100)
        pieces = getattr(input, "_pieces", None)  # of a StringColumn
        return _cut(_chunks(input if pieces is None else pieces(size), op, missing, size), size)

    def merge(self, other: VocabularyBuilder) -> VocabularyBuilder:
        """Adds the counts of another builder, as if its strings had been added after those of this one.

        Raises:
            TypeError: `other` is not a VocabularyBuilder.
        """
        if not isinstance(other, VocabularyBuilder):
            raise TypeError(f"VocabularyBuilder.merge: expected a VocabularyBuilder, got {type(other).__name__}")
        memory, theirs = other._in_memory(), other._counts
        if theirs.spills:
            self._spill()
            first, spilled = self._counts.next, self._counts.spilled + theirs.spilled
            spill = self._write(p._replace(order=p.order + first) for p in other._sums(theirs.spills))
            counter = Counter()
            counter.add_counts(memory.words, memory.counts, theirs.counter.num_strings)
            self._counts = _Counts((*self._counts.spills, spill), first + theirs.next, spilled, counter)
        else:
            self._counts.counter.add_counts(memory.words, memory.counts, other.num_strings)
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
        with naming(path), replacing(path) as file:
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

    def _in_memory(self) -> Words:
        _, first, _, counter = self._counts
        counter.merge()
        order = torch.arange(first, first + len(counter.words), device="cpu")
        return Words(counter.words, counter.counts, order)

    def _limit(self) -> None:
        # A merge takes no more than `max_bytes`, and is worth it: at least a third of the words are pending.
        counter = self._counts.counter
        if counter.merge_bytes() > self.max_bytes * 3 // 4:
            counter.merge()
            if counter.merge_bytes() > self.max_bytes // 2:
                self._spill()

    def _spill(self) -> None:
        """Moves the words in memory to a file, which is listed when it is whole."""
        memory = self._in_memory()
        if len(memory.words):
            spills, first, spilled, counter = self._counts
            spill = self._write([memory])
            # One assignment lists the file and drops the words.
            self._counts = _Counts(
                (*spills, spill), first + len(memory.words), spilled + counter.num_strings, Counter()
            )

    def _write(self, pieces: Iterable[Words]) -> Spill:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="vocabulary", dir=self._parent)
        return write_spill(pieces, self._folder.name, 1)

    def _sums(self, spills: Sequence[Spill], seed: int = 1) -> Iterator[Words]:
        """The words of each partition, which no other one has."""
        limit = max(_MIN_PIECE, self.max_bytes // _PARTITION_MEMORY)
        for number in range(len(spills[0].places) if spills else 0):
            size = sum(count for spill in spills for _, count in spill.places[number])
            pieces = (piece for spill in spills for piece in spill.read(number))
            if size > limit and seed < _MAX_SEED:
                # By another hash, in a file of its own.
                with tempfile.TemporaryDirectory(dir=os.path.dirname(spills[0].path)) as folder:
                    yield from self._sums([write_spill(pieces, folder, seed + 1)], seed + 1)
            elif size:
                yield Words.sum(list(pieces))

    def _count(self, before: StringTensor, min_frequency: int, max_size: int | None) -> tuple[StringTensor, Tensor]:
        """The distinct strings in order of first appearance; of those on disk, without some that cannot be tokens."""
        if not self._counts.spills:
            memory = self._in_memory()
            return memory.words, memory.counts
        self._spill()
        kept: list[Words] = []
        for piece in self._sums(self._counts.spills):
            chosen = piece.counts >= min_frequency
            if max_size is not None:
                rank = np.lexsort([piece.order.numpy(), -piece.counts.numpy()])
                chosen[torch.from_numpy(rank[max_size:])] = False
            kept.append(piece.select((chosen | piece.words.isin(before)).nonzero().flatten()))
        words, counts, order = zip(*kept, strict=True)
        by_order = torch.cat(order).argsort()
        return torch.cat(words)[by_order], torch.cat(counts)[by_order]  # type: ignore[return-value]

    def _save(self, file: BinaryIO) -> None:
        spills, first, *_ = self._counts
        settings = [_VERSION, self.max_bytes, self.num_strings, first, bool(spills)]
        np.save(file, np.asarray(settings, dtype=np.int64))
        self._in_memory().write(file)
        for piece in self._sums(spills):
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


def _load(file: BinaryIO, max_bytes: int | None, folder: str | PathLike[str] | None) -> VocabularyBuilder:
    settings = np.load(file, allow_pickle=False).tolist()
    if not isinstance(settings, list) or len(settings) != 5 or settings[0] != _VERSION:
        raise ValueError("expected a file of VocabularyBuilder.save")
    _, limit, num_strings, first, has_spills = settings
    builder = VocabularyBuilder(max_bytes=limit if max_bytes is None else max_bytes, folder=folder)
    memory = Words.read(file)

    def pieces() -> Iterator[Words]:
        while np.load(file, allow_pickle=False).tolist() == [1]:
            yield Words.read(file)

    spills = (builder._write(pieces()),) if has_spills else ()
    in_memory = num_strings if not has_spills else 0
    counter = Counter()
    counter.add_counts(memory.words, memory.counts, in_memory)
    builder._counts = _Counts(spills, first, num_strings - in_memory, counter)
    builder._limit()
    return builder


def _from_bytes(raw: bytes) -> VocabularyBuilder:
    return _load(io.BytesIO(raw), None, None)
