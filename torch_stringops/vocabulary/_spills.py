"""Words of a VocabularyBuilder, with their counts, and the files that hold those that exceed its memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import BinaryIO, NamedTuple

import numpy as np
import torch
from torch import Tensor

from torch_stringops._counting import sum_counts
from torch_stringops.functions.vocabulary import string_unique
from torch_stringops.string_tensor import StringTensor

# Words on disk are divided by their hash. A partition is counted at once.
PARTITIONS = 64


class Words(NamedTuple):
    """Distinct words with their counts. Those with a smaller `order`, int64, appeared first."""

    words: StringTensor
    counts: Tensor
    order: Tensor

    def select(self, index: Tensor) -> Words:
        return Words(self.words[index], self.counts[index], self.order[index])

    def write(self, file: BinaryIO) -> None:
        words = self.words.compact()
        for t in (words.data, words.offsets, self.counts, self.order):
            np.save(file, t.numpy(), allow_pickle=False)

    @staticmethod
    def read(file: BinaryIO) -> Words:
        arrays = [np.load(file, allow_pickle=False) for _ in range(4)]
        dtypes = [np.uint8, np.int32, np.int64, np.int64]
        if any(a.dtype != d or a.ndim != 1 for a, d in zip(arrays, dtypes, strict=True)):
            raise ValueError("expected arrays of words, counts and order")
        data, offsets, counts, order = map(torch.from_numpy, arrays)
        words = StringTensor(data, offsets).validate()
        if not len(words) == len(counts) == len(order):
            raise ValueError("expected a count for each word")
        return Words(words, counts, order)

    @staticmethod
    def sum(pieces: Sequence[Words]) -> Words:
        """The words of all pieces, with the sums of their counts."""
        all_words, all_counts, all_order = zip(*pieces, strict=True)
        words, ids, _ = string_unique(torch.cat(all_words))  # type: ignore[arg-type]
        counts = sum_counts("VocabularyBuilder", ids, torch.cat(all_counts), len(words))
        order = torch.zeros_like(counts).scatter_reduce_(0, ids, torch.cat(all_order), "amin", include_self=False)
        return Words(words, counts, order)


class Spill(NamedTuple):
    """A whole file of words, and where those of each partition are in it."""

    path: str
    places: list[list[tuple[int, int]]]  # of each partition: positions and sizes in bytes

    def read(self, partition: int) -> Iterator[Words]:
        """The words of a partition, in the order in which they were written."""
        with open(self.path, "rb") as file:
            for begin, _ in self.places[partition]:
                file.seek(begin)
                try:
                    with naming(self.path):
                        words = Words.read(file)
                except (ValueError, EOFError) as error:
                    raise OSError(f"VocabularyBuilder: {self.path} has changed: {error}") from None
                yield words


@contextmanager
def naming(path: str | PathLike[str]) -> Iterator[None]:
    """Adds the path to errors of a file that do not name it."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def write_spill(pieces: Iterable[Words], folder: str, seed: int) -> Spill:
    """Writes words to a new file, by their hash. It is not that of string_unique, whose table would have crowded parts.

    A file that is not finished is removed.
    """
    places: list[list[tuple[int, int]]] = [[] for _ in range(PARTITIONS)]
    descriptor, path = tempfile.mkstemp(dir=folder)
    try:
        # np.save writes to such a file by its method, whose errors have a number. Closing it writes once more.
        with naming(path), open(descriptor, "w+b") as file:
            for piece in pieces:
                partition = piece.words.hash_bucket(PARTITIONS, seed=seed)
                by_partition = partition.argsort(stable=True)
                ends = torch.bincount(partition, minlength=PARTITIONS).cumsum(0).tolist()
                for place, begin, end in zip(places, [0, *ends], ends, strict=False):
                    if begin < end:
                        at = file.tell()
                        piece.select(by_partition[begin:end]).write(file)
                        place.append((at, file.tell() - at))
    except BaseException:
        os.unlink(path)
        raise
    return Spill(path, places)
