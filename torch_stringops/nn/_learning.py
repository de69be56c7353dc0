"""Learning a vocabulary from text: counts of tokens, of documents that contain them, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from torch_stringops._arguments import strings_without_missing
from torch_stringops._counting import Counter
from torch_stringops._types import Text
from torch_stringops.functions.ragged_rows import ragged_unique
from torch_stringops.functions.sort import string_argsort
from torch_stringops.interop.python import PASS_MISSING, is_missing
from torch_stringops.interop.strings import is_column
from torch_stringops.ops import vocabulary as vocabulary_ops
from torch_stringops.string_tensor import StringTensor

Rows = tuple[StringTensor, Tensor]

# Single strings of an iterable are gathered to batches of this many.
_STRINGS_PER_BATCH = 2**14


def batches(op: str, data: Any, steps: int | None, missing: Text | None) -> Iterator[StringTensor]:
    """The batches of an iterable; lists, arrays, columns and StringTensors are one batch.

    As in Keras, strings of rank 1 become rows of one string, unless they are a batch of an iterable.
    """
    nested = isinstance(data, list | tuple) and not any(isinstance(item, StringTensor) for item in data)
    if nested or isinstance(data, StringTensor | str | bytes) or is_column(data):
        try:
            strings = strings_without_missing(op, "data", data, missing).cpu()
        except ValueError as error:
            if not nested or str(error).endswith(PASS_MISSING):
                raise
            hint = "a list is one batch: pass iter(data) for batches of different shapes"
            raise ValueError(f"{error} ({hint})") from None
        yield strings.unsqueeze(-1) if strings.dim() == 1 else strings
        return
    if isinstance(data, Mapping | Set) or not hasattr(data, "__iter__"):
        raise TypeError(f"{op}: expected strings or an iterable of batches of strings, got {type(data).__name__}")
    gathered: list[str | bytes] = []
    for item in islice(data, steps):
        if is_missing(item) and missing is not None:
            item = missing
        if isinstance(item, str | bytes):
            gathered.append(item)
            if len(gathered) < _STRINGS_PER_BATCH:
                continue
        if gathered:
            yield StringTensor.from_list(gathered).unsqueeze(-1)
            gathered = []
        if not isinstance(item, str | bytes):
            yield strings_without_missing(op, "data", item, missing).cpu()
    if gathered:
        yield StringTensor.from_list(gathered).unsqueeze(-1)


class Learned:
    """Counts of the tokens of batches of ragged rows; a row is a document."""

    def __init__(self, data: Iterator[StringTensor], rows_of: Callable[[StringTensor], Rows], idf: bool) -> None:
        """Reads all batches.

        Args:
            data: batches of strings.
            rows_of: returns the tokens of a batch and their row splits.
            idf: also count the documents that contain a token, for `idf_weights`.
        """
        self._tokens, self._documents, self.num_documents = Counter(), Counter(), 0
        for batch in data:
            values, row_splits = rows_of(batch)
            self._tokens.add(values)
            if idf:
                self._documents.add(ragged_unique(values, row_splits)[0])
                self.num_documents += row_splits.shape[0] - 1
        self._tokens.merge()
        self._documents.merge()

    def tokens(self, specials: list[str | bytes], limit: int | None) -> StringTensor:
        """The tokens by count, then by their bytes, both descending, without `specials`."""
        words, counts = self._tokens.words, self._tokens.counts
        order = string_argsort(words).flip(0)
        order = order[counts[order].argsort(descending=True, stable=True)]
        words = words[order]
        for special in specials:
            words = words.masked_select(words != special)
        return words if limit is None else words[:limit]

    def idf_weights(self, tokens: StringTensor) -> Tensor:
        """float32 `[V]`: log(1 + documents / (1 + documents with the token))."""
        table = vocabulary_ops._vocab_build(self._documents.words)
        containing = self._documents.counts[vocabulary_ops._vocab_encode(tokens, table)]
        return torch.log(1 + self.num_documents / (1 + containing.double())).float()
