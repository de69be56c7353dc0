"""Counts the distinct strings of text that is read in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any, NamedTuple

import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._arguments import strings_without_missing
from torch_stringops._checks import MAX_BYTES
from torch_stringops.functions.vocabulary import string_unique
from torch_stringops.interop.strings import is_column
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.serialization import from_bytes

# Strings and lists of an iterable are gathered to chunks of this many strings, or bytes.
_STRINGS_PER_CHUNK = 2**16
_BYTES_PER_CHUNK = 2**26
# Items with fewer strings are gathered too, since the calls for a chunk take as long as counting 2,000 words.
_SMALL_ITEM = 2**10
# Minimum number of pending words, about 20 MB, before a merge: avoids many merges of a small vocabulary.
_MIN_PENDING = 2**20


def count_strings(
    input: Any, op: str, missing: str | bytes | None, pieces_of: Callable[[StringTensor], StringTensor] | None = None
) -> tuple[StringTensor, Tensor]:
    """Returns the distinct strings, in order of first appearance, and their counts, int64 `[U]`.

    Args:
        input: strings of any shape; or an iterable of these and of single `str` or `bytes`, which is read in chunks.
        op: the name with which error messages begin.
        missing: replaces missing strings; None: they are an error.
        pieces_of: returns the strings to count of each chunk. Default: all.
    """
    counter = Counter()
    for chunk in _chunks(input, op, missing):
        counter.add(pieces_of(chunk) if pieces_of else chunk)
    counter.merge()
    return counter.words, counter.counts


def sum_counts(op: str, ids: Tensor, counts: Tensor, size: int) -> Tensor:
    """The sums of the counts of each id, int64 `[size]`. Raises OverflowError if one does not fit int64."""
    sums = torch.zeros(size, dtype=torch.int64, device="cpu").index_add_(0, ids, counts)
    # The upper halves of the counts, and the carry of the lower ones, are the upper half of the sum.
    upper = torch.zeros_like(sums).index_add_(0, ids, counts >> 32)
    lower = torch.zeros_like(sums).index_add_(0, ids, counts & 0xFFFFFFFF)
    upper += lower >> 32
    fits = (upper >= -(2**31)) & (upper < 2**31)
    text = f"{op}: expected counts whose sums are at most 2**63 - 1"
    if torch.compiler.is_compiling():
        torch._assert_async(fits.all(), text)
    elif not bool(fits.all()):
        raise OverflowError(f"{text}, got a larger sum for distinct string {int((~fits).nonzero()[0])}")
    return sums


class _Piece(NamedTuple):
    """Distinct words with their counts, and totals of these words and those before them."""

    words: StringTensor
    counts: Tensor
    num_words: int
    num_bytes: int
    num_strings: int


class Counter:
    """Words with their counts, and the words of chunks that are not merged into them yet.

    A merge hashes all words again. It takes place when there are as many pending words as merged ones, so that the
    total time is linear in the number of distinct words of the chunks, for any number of chunks.

    An interrupt at any time leaves a counter of all strings of a chunk, or of none: a list changes in one step.
    """

    def __init__(self) -> None:
        no_counts = torch.zeros(0, dtype=torch.int64, device="cpu")
        # The merged words, then the pending ones.
        self._pieces = [_Piece(StringTensor.from_list([]), no_counts, 0, 0, 0)]

    @property
    def words(self) -> StringTensor:
        """The merged words. Those that are pending are not among them."""
        return self._pieces[0].words

    @property
    def counts(self) -> Tensor:
        return self._pieces[0].counts

    @property
    def num_strings(self) -> int:
        return self._pieces[-1].num_strings

    def add(self, chunk: StringTensor) -> None:
        words, _, counts = string_unique(chunk)
        self.add_counts(words, counts, chunk.numel())

    def add_counts(self, words: StringTensor, counts: Tensor, num_strings: int = 0) -> None:
        """Adds distinct words with their counts."""
        if self._pieces[-1].num_bytes + words.data.numel() > MAX_BYTES:  # too large for a single tensor
            self.merge()
        _, _, num_words, num_bytes, before = self._pieces[-1]
        num_words += len(words)
        num_bytes += words.data.numel()
        self._pieces.append(_Piece(words, counts, num_words, num_bytes, before + num_strings))
        if num_words - len(self.words) >= max(len(self.words), _MIN_PENDING):
            self.merge()

    def merge(self) -> None:
        if len(self._pieces) == 1:
            return
        if len(self.words) == 0 and len(self._pieces) == 2:
            words, counts = self._pieces[1][:2]
        else:
            # Merged words come first, then the chunks in order: words stay in order of first appearance.
            all_words, all_counts, *_ = zip(*self._pieces, strict=True)
            words, ids, _ = string_unique(torch.cat(all_words))  # type: ignore[arg-type]
            counts = sum_counts("VocabularyBuilder", ids, torch.cat(all_counts), len(words))
        self._pieces = [_Piece(words, counts, len(words), words.data.numel(), self.num_strings)]


def _chunks(input: Any, op: str, missing: str | bytes | None = None) -> Iterator[StringTensor]:
    """The strings of an input; short items of an iterable are gathered to chunks."""
    if _is_one_chunk(input):
        yield strings_without_missing(op, "input", input, missing).cpu()
        return
    if isinstance(input, Mapping | Set) or not hasattr(input, "__iter__"):
        hint = " (pass a list: its order determines the ids)" if isinstance(input, Mapping | Set) else ""
        raise TypeError(
            f"{op}: expected a StringTensor, a list of str, or an iterable of these, got {type(input).__name__}{hint}"
        )
    texts = iter(input)
    data, offsets = bytearray(), bytearray(4)  # of short items
    limits = _STRINGS_PER_CHUNK, _BYTES_PER_CHUNK, _SMALL_ITEM, op
    while True:
        other = _convert.gather_texts(texts, data, offsets, *limits)
        if not other and len(offsets) == 4:
            return
        chunk = strings_without_missing(op, "input", other[0], missing).cpu() if other else None
        if chunk is not None and chunk.numel() < _SMALL_ITEM:
            copies = chunk.reshape(-1).tolist(as_bytes=True)  # the memory may be reused for the next item
            if not _convert.gather_texts(iter([copies]), data, offsets, *limits):
                continue
        if len(offsets) > 4:
            yield StringTensor(from_bytes(data, torch.uint8), from_bytes(offsets, torch.int32))
            data, offsets = bytearray(), bytearray(4)
        if chunk is not None:
            yield chunk


def _is_one_chunk(input: Any) -> bool:
    if isinstance(input, list | tuple):
        return not input or isinstance(input[0], str | bytes)
    return isinstance(input, StringTensor | str | bytes) or is_column(input)
