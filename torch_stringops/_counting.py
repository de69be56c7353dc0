"""Counts the distinct strings of text that comes in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import MAX_BYTES
from torch_stringops.functions.split import string_split_ragged
from torch_stringops.functions.vocabulary import string_unique
from torch_stringops.string_tensor import StringTensor

# Strings of an iterable of str that become one part.
_STRINGS_PER_PART = 2**16
# As many words as this, about 20 MB, may wait in any case, which spares the merges of a small vocabulary.
_MIN_WAITING = 2**20


def count_strings(
    input: StringTensor | Iterable[Any], delimiter: str | bytes | None, op: str, *, skip_empty: bool = False
) -> tuple[StringTensor, Tensor]:
    """Find the distinct strings, in order of first appearance, and how often each occurs, int64 `[U]`.

    Args:
        input: strings of any shape; or an iterable of such, and of single `str` or `bytes`, taken one part at a time.
        delimiter: what to cut the strings at first, as `string_split_ragged` does; None to leave them whole.
        op: the name that errors begin with.
        skip_empty: leave out the empty pieces, or strings.
    """
    counter = _Counter()
    for part in _parts(input, op):
        if delimiter is not None:
            part, _ = string_split_ragged(part, delimiter, skip_empty=skip_empty)
        elif skip_empty:
            part = part.masked_select(part != "")
        counter.add(part)
    counter.merge()
    return counter.words, counter.counts


class _Counter:
    """Words with their counts, and parts that wait to be merged into them.

    A merge hashes all that is known again. It waits until what waits is as large as what is known, so that merging
    takes time in proportion to the distinct words of the parts, however many parts there are.
    """

    def __init__(self) -> None:
        self.words = StringTensor.from_list([])
        self.counts = torch.zeros(0, dtype=torch.int64, device="cpu")
        self._waiting: list[tuple[StringTensor, Tensor]] = []
        self._num_waiting = 0
        self._num_bytes = 0  # of the words, and of what waits

    def add(self, part: StringTensor) -> None:
        words, _, counts = string_unique(part)
        num_bytes = words.data.numel()
        if self._num_bytes + num_bytes > MAX_BYTES:  # more than a merge can put into one tensor
            self.merge()
        self._waiting.append((words, counts))
        self._num_waiting += len(words)
        self._num_bytes += num_bytes
        if self._num_waiting >= max(len(self.words), _MIN_WAITING):
            self.merge()

    def merge(self) -> None:
        if not self._waiting:
            return
        if len(self.words) == 0 and len(self._waiting) == 1:
            self.words, self.counts = self._waiting[0]
        else:
            # What is known comes first, and parts come in their order, so each word keeps its place.
            words, counts = zip((self.words, self.counts), *self._waiting, strict=True)
            self.words, numbers, _ = string_unique(torch.cat(words))  # type: ignore[arg-type]
            self.counts = self.counts.new_zeros(len(self.words)).index_add(0, numbers, torch.cat(counts))
        self._waiting, self._num_waiting, self._num_bytes = [], 0, self.words.data.numel()


def _parts(input: Any, op: str) -> Iterator[StringTensor]:
    if _is_one_part(input):
        yield strings_argument(op, "input", input).cpu()
        return
    if isinstance(input, Mapping | Set) or not hasattr(input, "__iter__"):
        cure = " (pass a list: its order decides the ids)" if isinstance(input, Mapping | Set) else ""
        raise TypeError(
            f"{op}: expected a StringTensor, a list of str, or an iterable of these, got {type(input).__name__}{cure}"
        )
    strings: list[str | bytes] = []
    for part in input:
        if isinstance(part, str | bytes):
            strings.append(part)
            if len(strings) < _STRINGS_PER_PART:
                continue
        if strings:
            yield StringTensor.from_list(strings)
            strings = []
        if not isinstance(part, str | bytes):
            yield strings_argument(op, "input", part).cpu()
    if strings:
        yield StringTensor.from_list(strings)


def _is_one_part(input: Any) -> bool:
    if isinstance(input, list | tuple):
        return not input or isinstance(input[0], str | bytes)
    columns = ("__arrow_c_array__", "__arrow_c_stream__", "__array__")
    if isinstance(input, StringTensor | str | bytes) or any(hasattr(input, name) for name in columns):
        return True
    # A column of a Hugging Face dataset; one of a stream has no length, and is iterated.
    return hasattr(input, "column_name") and hasattr(input, "__len__")
