"""VocabularyBuilder: counts words in pieces, on any number of machines."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, BinaryIO

import numpy as np
import torch

from torch_stringops._atomic import replacing
from torch_stringops._checks import utf8
from torch_stringops._counting import Counter, _chunks
from torch_stringops._names import named_class
from torch_stringops._types import OptionalStrings, Text
from torch_stringops.functions.split import string_split_ragged
from torch_stringops.ops.split import delimiter_or_whitespace
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary.vocabulary import Vocabulary

_VERSION = 2


@named_class
class VocabularyBuilder:
    """Counts strings for a Vocabulary, piece by piece, on one or many machines.

    `build` returns the vocabulary that `Vocabulary.from_strings` or `from_text` returns for all strings at once. Shards
    are counted apart, in any processes or machines: a builder can be pickled and saved, and `merge` adds the counts of
    another. The distinct strings are held in memory. An `add` or `merge` that an interrupt ends leaves a builder that
    can be used: `num_strings` is the number of strings that it has counted.

    Attributes:
        num_strings: the number of strings that have been counted.

    Example:
        >>> parts = [VocabularyBuilder().add_text(text) for text in (["to be"], ["or not", "to be"])]
        >>> builder = VocabularyBuilder()
        >>> for part in parts:
        ...     _ = builder.merge(part)
        >>> builder.build(min_frequency=2).tokens.tolist()
        ['<pad>', '<unk>', 'to', 'be']
    """

    def __init__(self) -> None:
        self._counter = Counter()

    @property
    def num_strings(self) -> int:
        return self._counter.num_strings

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
        for chunk in _chunks(input, "VocabularyBuilder.add", missing):
            self._counter.add(chunk)
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
        for chunk in _chunks(input, op, missing):
            self._counter.add(string_split_ragged(chunk, delimiter, skip_empty=skip_empty)[0])
        return self

    def merge(self, other: VocabularyBuilder) -> VocabularyBuilder:
        """Adds the counts of another builder, as if its strings had been added after those of this one.

        Raises:
            TypeError: `other` is not a VocabularyBuilder.
        """
        if not isinstance(other, VocabularyBuilder):
            raise TypeError(f"VocabularyBuilder.merge: expected a VocabularyBuilder, got {type(other).__name__}")
        other._counter.merge()
        self._counter.add_counts(other._counter.words, other._counter.counts, other.num_strings)
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
        self._counter.merge()
        return Vocabulary._from_counts(
            "VocabularyBuilder.build",
            lambda: (self._counter.words, self._counter.counts),
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
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     VocabularyBuilder().add(["a", "b", "a"]).save(folder + "/counts")
            ...     VocabularyBuilder.load(folder + "/counts").build().tokens.tolist()
            ['<pad>', '<unk>', 'a', 'b']
        """
        with replacing(path) as file:
            self._save(file)

    @staticmethod
    def load(path: str | PathLike[str]) -> VocabularyBuilder:
        """Reads a builder from a file of `save`.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is truncated, or was not written by `save`.
        """
        with open(path, "rb") as file:
            try:
                return _load(file)
            except (ValueError, EOFError, IndexError) as error:
                raise ValueError(f"VocabularyBuilder.load: {path}: {error}") from None

    def __reduce__(self) -> Any:
        file = io.BytesIO()
        self._save(file)
        return _from_bytes, (file.getvalue(),)

    def __repr__(self) -> str:
        return f"VocabularyBuilder({self.num_strings:,} strings)"

    def _save(self, file: BinaryIO) -> None:
        self._counter.merge()
        words = self._counter.words.contiguous()
        np.save(file, np.asarray([_VERSION, self.num_strings], dtype=np.int64))
        for t in (words.data, words.offsets, self._counter.counts):
            np.save(file, t.numpy())


def _load(file: BinaryIO) -> VocabularyBuilder:
    arrays = [np.load(file, allow_pickle=False) for _ in range(4)]
    dtypes = [np.int64, np.uint8, np.int32, np.int64]
    if any(a.dtype != d or a.ndim != 1 for a, d in zip(arrays, dtypes, strict=True)) or len(arrays[0]) != 2:
        raise ValueError("expected a file of VocabularyBuilder.save")
    version, num_strings = arrays[0].tolist()
    if version != _VERSION:
        raise ValueError(f"expected a file of version {_VERSION}, got {version}")
    words = StringTensor(torch.from_numpy(arrays[1]), torch.from_numpy(arrays[2])).validate()
    if len(words) != len(arrays[3]):
        raise ValueError("expected a count for each word")
    builder = VocabularyBuilder()
    builder._counter.add_counts(words, torch.from_numpy(arrays[3]), num_strings)
    return builder


def _from_bytes(raw: bytes) -> VocabularyBuilder:
    return _load(io.BytesIO(raw))
