"""BM25: a module that scores texts for queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype as check_dtype_of
from torch_stringops._checks import check_int, check_number, check_rank
from torch_stringops._module_state import ModuleState
from torch_stringops._names import named_class
from torch_stringops._tracing import can_read
from torch_stringops._types import Accents, Analysis, StringsLike
from torch_stringops.nn._analyzer import TOKEN_PATTERN
from torch_stringops.nn._learning import Rows
from torch_stringops.nn._row_counts import rows_of
from torch_stringops.nn._term_counter import TermCounter
from torch_stringops.nn.count_vectorizer import check_dtype
from torch_stringops.ops.ragged import checked_lengths
from torch_stringops.ops.ragged_rows import segments
from torch_stringops.string_tensor import StringTensor

if TYPE_CHECKING:
    from typing_extensions import Self

# Scores are added for so many pairs of a query's term and a text at a time, which take 24 bytes each.
_PAIRS_PER_STEP = 2**22


@named_class
class BM25(TermCounter, ModuleState):
    r"""A module that scores texts for queries by Okapi BM25.

    A query's score for a text is the sum, over the terms of the query, each as often as the query has it, of
    `idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average))`. f is how often the text has the term, length its
    number of terms, and average that of all texts. `idf` is `ln(1 + (N - n + 0.5) / (n + 0.5))`, where n of N texts
    have the term, as in Lucene; it is positive for every term.

    The defaults of `k1` and `b` are those of rank_bm25. Lucene has 1.2 and 0.75, and leaves out the constant
    `k1 + 1`, which does not change the order.

    Each term has a list of the texts that contain it, with its share of the score (postings). `state_dict` contains the
    terms and the postings.

    Args:
        k1: how much repeated terms count, at least 0.
        b: how much the length of a text counts, within [0, 1].
        strip_accents: as in `CountVectorizer`, like those that follow.
        lowercase: change the texts to lower case first.
        preprocessor: a function in place of these two steps.
        tokenizer: a function in place of `token_pattern`.
        stop_words: a list of words that are dropped, or "english", the list of scikit-learn if it is installed.
        token_pattern: a regular expression of words.
        ngram_range: least and greatest number of words or characters of an n-gram.
        analyzer: "word", "char", "char_wb" or a function.
        dtype: of the scores: torch.float32 or float64.

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: an argument is not as above.

    Example:
        >>> search = BM25().fit(["to be or not to be", "let it be", "the rest is silence"])
        >>> search(["to be", "silence", "new"])
        tensor([[1.8446, 0.5455, 0.0000],
                [0.0000, 0.0000, 1.0160],
                [0.0000, 0.0000, 0.0000]])
    """

    _names = ("splits", "texts", "scores", "num_texts")
    _kind = "postings"

    def __init__(
        self,
        k1: float = 1.5,
        b: float = 0.75,
        *,
        strip_accents: Accents | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[StringTensor], StringTensor] | None = None,
        tokenizer: Callable[[StringTensor], Rows] | None = None,
        stop_words: StringsLike | None = None,
        token_pattern: str = TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Analysis | Callable[[StringTensor], Rows] = "word",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
        )
        self.k1, self.b = _number("k1", k1, float("inf")), _number("b", b, 1)
        self.dtype = check_dtype("BM25", dtype, (torch.float32, torch.float64))
        self._set_terms(StringTensor.from_list([]))
        none = torch.zeros(0, dtype=torch.int64, device="cpu")
        self._postings = _Postings(torch.zeros(1, dtype=torch.int64, device="cpu"), none, none.to(dtype), 0)
        self._mark()

    def fit(self, input: StringsLike) -> Self:
        """Learns the texts that are to be found.

        Args:
            input: texts, strings `[D]`, in any form that `as_strings` accepts.

        Returns:
            The module.

        Raises:
            ValueError: the texts have no terms.
        """
        strings = self._documents(input)
        terms, in_texts, _ = self._learn(strings)
        if len(terms) == 0:
            raise ValueError("BM25.fit: expected texts with terms, got none (all tokens may be stop words)")
        self._set_terms(terms)
        counts = self._counts(strings)
        num_texts, texts = len(strings), rows_of(counts.crow)
        times = counts.values.double()
        lengths = times.new_zeros(num_texts).index_add(0, texts, times)
        discount = self.k1 * (1 - self.b + self.b * lengths / lengths.mean())
        idf = torch.log1p((num_texts - in_texts + 0.5) / (in_texts.double() + 0.5))
        scores = idf[counts.columns] * times * ((self.k1 + 1) / (times + discount[texts]))
        columns, order = counts.columns.sort(stable=True)
        bounds = torch.arange(len(terms) + 1, device="cpu")
        splits = torch.searchsorted(columns, bounds)
        self._postings = _Postings(splits, texts[order], scores[order].to(self.dtype), num_texts)
        self._mark()
        return self

    def forward(self, input: StringsLike) -> Tensor:
        """Returns the score of each text for each query.

        Args:
            input: queries, strings `[Q]`, in any form that `as_strings` accepts.

        Returns:
            `[Q, D]`, of `dtype`, in the order of the texts of `fit`.

        Raises:
            RuntimeError: the module has no texts yet.

        See also: `torch.topk`, for the best texts.
        """
        strings = self._documents(input)
        self._check_fitted()
        postings = self._postings
        ids, row_splits = self._ids(strings, self.vocabulary)
        num_queries, known = row_splits.shape[0] - 1, ids >= 0
        first = rows_of(row_splits)[known] * postings.num_texts  # position of the query's first score
        starts = postings.splits[ids[known]]
        lengths = postings.splits[ids[known] + 1] - starts
        scores = postings.scores.new_zeros(num_queries * postings.num_texts)
        for part in _steps(lengths):
            at = segments(starts[part], lengths[part])
            to = torch.repeat_interleave(first[part], lengths[part]) + postings.texts[at]
            scores = scores.index_add(0, to, postings.scores[at])
        return scores.reshape(num_queries, postings.num_texts)

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, input: StringsLike) -> Tensor: ...

    def extra_repr(self) -> str:
        return f"k1={self.k1}, b={self.b}, num_texts={self._postings.num_texts}"

    def _check_fitted(self) -> None:
        super()._check_fitted()
        self._check_broadcast()
        terms, lists = len(self.vocabulary), self._postings.splits.shape[0] - 1
        if terms != lists:
            raise RuntimeError(f"BM25: expected postings of {terms} terms, got {lists} (call fit, or load_state_dict)")

    def _state(self) -> dict[str, Tensor]:
        splits, texts, scores, num_texts = self._postings
        return {
            "splits": splits,
            "texts": texts,
            "scores": scores,
            "num_texts": torch.tensor(num_texts, device="cpu"),
        }

    def _load(self, tensors: dict[str, Any]) -> None:
        for name, rank in (("splits", 1), ("texts", 1), ("scores", 1), ("num_texts", 0)):
            check_dtype_of("BM25", name, tensors[name], self.dtype if name == "scores" else torch.int64)
            check_rank("BM25", name, tensors[name], rank)
        splits, texts, scores = (tensors[name].clone() for name in ("splits", "texts", "scores"))
        num_texts = check_int("BM25", "num_texts", int(tensors["num_texts"]), 0, 2**31 - 1)
        checked_lengths(splits, texts.shape[0], "BM25")
        if scores.shape != texts.shape:
            raise ValueError(f"BM25: expected as many `scores` as `texts`, got {len(scores)} and {len(texts)}")
        if len(texts) and not 0 <= int(texts.min()) <= int(texts.max()) < num_texts:
            raise ValueError(f"BM25: expected `texts` within [0, {num_texts - 1}]")
        self._postings = _Postings(splits, texts, scores, num_texts)
        self._mark()


class _Postings(NamedTuple):
    """The texts of each term, in ascending order, and its share of their scores."""

    splits: Tensor  # int64 [V + 1]
    texts: Tensor  # int64 [P]
    scores: Tensor  # [P]
    num_texts: int


def _steps(lengths: Tensor) -> Iterator[slice]:
    """Parts of lists of postings with a limited number of these; all at once while they are traced."""
    if not can_read(lengths):
        yield slice(None)
        return
    ends = lengths.cumsum(0)
    total = int(ends[-1]) if len(ends) else 0
    steps = torch.arange(1 + total // _PAIRS_PER_STEP, device="cpu") * _PAIRS_PER_STEP
    cuts = [*torch.searchsorted(ends, steps).tolist(), len(ends)]
    for begin, end in pairwise(cuts):
        yield slice(begin, end)


def _number(name: str, value: Any, most: float) -> float:
    checked = check_number("BM25", name, value)
    if not (0 <= checked <= most and isfinite(checked)):
        raise ValueError(
            f"BM25: expected `{name}` " + (">= 0 and finite" if most > 1 else "within [0, 1]") + f", got {value}"
        )
    return checked
