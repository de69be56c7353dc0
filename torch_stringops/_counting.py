"""Counts the distinct strings of text that is read in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._arguments import strings_without_missing
from torch_stringops._checks import MAX_BYTES
from torch_stringops.functions.split import string_split_ragged
from torch_stringops.functions.vocabulary import string_unique
from torch_stringops.interop.strings import is_column
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.serialization import from_bytes

# Strings and lists of an iterable are gathered to chunks of this many strings, or bytes.
_STRINGS_PER_CHUNK = 2**16
_BYTES_PER_CHUNK = 2**26
# Items with fewer strings are gathered too, since the calls for a chunk take as long as counting 2,000 words.
_SMALL_ITEM = 2**10
# The memory of a word in a merge, in addition to three times its bytes: 12 each for offsets and counts before and
# after, 12 for those of the copy, 24 for its id, range and count, and 60 for its slots in a table that is at least 0.4
# full.
_MERGE_BYTES = 120
# Minimum number of pending words, about 20 MB, before a merge: avoids many merges of a small vocabulary.
_MIN_PENDING = 2**20


def count_strings(
    input: Any,
    delimiter: str | bytes | None,
    op: str,
    *,
    skip_empty: bool = False,
    missing: str | bytes | None = None,
) -> tuple[StringTensor, Tensor]:
    """Returns the distinct strings, in order of first appearance, and their counts, int64 `[U]`.

    Args:
        input: strings of any shape; or an iterable of these and of single `str` or `bytes`, which is read in chunks.
        delimiter: splits the strings first, as `string_split_ragged` does; None does not split them.
        op: the name with which error messages begin.
        skip_empty: drop empty pieces, or empty strings.
        missing: replaces missing strings; None: they are an error.
    """
    counter = Counter()
    for chunk in _chunks(input, op, missing):
        if delimiter is not None:
            chunk, _ = string_split_ragged(chunk, delimiter, skip_empty=skip_empty)
        elif skip_empty:
            chunk = chunk.masked_select(chunk != "")
        counter.add(chunk)
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


class Counter:
    """Words with their counts, and the words of chunks that are not merged into them yet.

    A merge hashes all words again. It takes place when there are as many pending words as merged ones, so that the
    total time is linear in the number of distinct words of the chunks, for any number of chunks.
    """

    def __init__(self) -> None:
        self.words = StringTensor.from_list([])
        self.counts = torch.zeros(0, dtype=torch.int64, device="cpu")
        self._pending: list[tuple[StringTensor, Tensor]] = []
        self._num_pending = 0
        self._num_bytes = 0  # of merged and pending words

    def add(self, chunk: StringTensor) -> None:
        words, _, counts = string_unique(chunk)
        self.add_counts(words, counts)

    def add_counts(self, words: StringTensor, counts: Tensor) -> None:
        """Adds distinct words with their counts."""
        num_bytes = words.data.numel()
        if self._num_bytes + num_bytes > MAX_BYTES:  # too large for a single tensor
            self.merge()
        self._pending.append((words, counts))
        self._num_pending += len(words)
        self._num_bytes += num_bytes
        if self._num_pending >= max(len(self.words), _MIN_PENDING):
            self.merge()

    def merge_bytes(self) -> int:
        """About the memory that a merge takes: the words, a copy of them, the table, and the results."""
        return 3 * self._num_bytes + _MERGE_BYTES * (len(self.words) + self._num_pending)

    def merge(self) -> None:
        if not self._pending:
            return
        if len(self.words) == 0 and len(self._pending) == 1:
            self.words, self.counts = self._pending[0]
        else:
            # Merged words come first, then the chunks in order: words stay in order of first appearance.
            words, counts = zip((self.words, self.counts), *self._pending, strict=True)
            self.words, ids, _ = string_unique(torch.cat(words))  # type: ignore[arg-type]
            self.counts = sum_counts("VocabularyBuilder", ids, torch.cat(counts), len(self.words))
        self._pending, self._num_pending, self._num_bytes = [], 0, self.words.data.numel()


def _chunks(
    input: Any, op: str, missing: str | bytes | None = None, num_bytes: int = _BYTES_PER_CHUNK
) -> Iterator[StringTensor]:
    """The strings of an input; short items of an iterable are gathered to chunks of at most about `num_bytes`."""
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
    limits = _STRINGS_PER_CHUNK, min(num_bytes, _BYTES_PER_CHUNK), _SMALL_ITEM, op
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
