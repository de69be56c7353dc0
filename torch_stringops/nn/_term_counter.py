"""Base of the modules that have a vocabulary of terms, learned from texts or given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_int
from torch_stringops._counting import Counter
from torch_stringops._types import StringsLike, Text
from torch_stringops.functions.sort import string_argsort
from torch_stringops.nn._analyzer import Analyzer
from torch_stringops.nn._row_counts import RowCounts, chunks, count_ids, count_in_chunks
from torch_stringops.ops import vocabulary as vocabulary_ops
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary.vocabulary import Vocabulary


class TermCounter(Analyzer):
    """Terms with ids in the order of their bytes, and their counts in texts.

    Attributes:
        vocabulary: the terms, a `Vocabulary`.
    """

    def _set_terms(self, terms: StringTensor) -> None:
        self.vocabulary = Vocabulary(terms, num_oov_buckets=0)

    @property
    def vocabulary_(self) -> dict[Text, int]:
        """The column of each term, as in scikit-learn."""
        return {term: column for column, term in enumerate(self.get_feature_names_out())}

    def get_feature_names_out(self) -> list[Text]:
        """Returns the terms in the order of the columns. `vocabulary.tokens` has them as a StringTensor."""
        self._check_fitted()
        names: list[Text] = self.vocabulary.tokens.tolist()
        return names

    def _check_fitted(self) -> None:
        if len(self.vocabulary) == 0:
            op = type(self).__name__
            raise RuntimeError(f"{op}: expected a vocabulary, got none (call fit, or load_state_dict)")

    def _learn(self, strings: StringTensor, binary: bool = False) -> tuple[StringTensor, Tensor, Tensor]:
        """The terms of the texts in order, int64 numbers of texts that have each, and of its occurrences.

        With `binary`, several occurrences in a text count as one.
        """
        in_texts, in_all = Counter(), Counter()
        for part in chunks(strings, self._growth()):
            terms, row_splits = self._terms(part)
            words, ids, occurrences = vocabulary_ops._string_unique(terms)
            texts = torch.bincount(count_ids(ids, row_splits, len(words)).columns, minlength=len(words))
            in_texts.add_counts(words, texts)
            in_all.add_counts(words, texts if binary else occurrences)
        in_texts.merge()
        in_all.merge()  # has the same words in the same order
        order = string_argsort(in_texts.words)
        return in_texts.words[order], in_texts.counts[order], in_all.counts[order]

    def _counts(self, strings: StringTensor) -> RowCounts:
        """How often each text has each term."""
        size = len(self.vocabulary)
        return count_in_chunks(strings, self._growth(), lambda part: count_ids(*self._ids(part, self.vocabulary), size))


def given_terms(op: str, vocabulary: StringsLike | Mapping[str, int] | set[str]) -> StringTensor:
    """The argument `vocabulary` of scikit-learn as strings in the order of the columns."""
    given: Any = vocabulary
    if isinstance(given, Mapping):
        columns = {term: check_int(op, "vocabulary", column, 0) for term, column in given.items()}
        given = sorted(columns, key=columns.__getitem__)
        if [columns[term] for term in given] != list(range(len(given))):
            raise ValueError(f"{op}: expected `vocabulary` with the columns 0 to {len(given) - 1}, each once")
    elif isinstance(given, set | frozenset):
        given = sorted(given)
    terms = strings_argument(op, "vocabulary", given)
    if terms.dim() != 1 or terms.numel() == 0:
        raise ValueError(f"{op}: expected `vocabulary` of rank 1, not empty, got shape {list(terms.shape)}")
    return terms
