"""TfidfVectorizer: a module from texts to counts of terms, weighted by how few texts have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops._checks import check_choice, check_rank
from torch_stringops._checks import check_dtype as check_dtype_of
from torch_stringops._module_state import ModuleState
from torch_stringops._names import named_class
from torch_stringops._types import Norm, StringsLike
from torch_stringops.nn._analyzer import passes_on
from torch_stringops.nn._row_counts import RowCounts, normalized_rows, normalized_values
from torch_stringops.nn.count_vectorizer import CountArguments, CountVectorizer

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


@named_class
class TfidfVectorizer(CountVectorizer, ModuleState):
    r"""A module from texts to weighted counts of their terms, with the arguments and results of scikit-learn's.

    The count of a term in a text is multiplied by `ln((1 + N) / (1 + n)) + 1`, where n of N texts have the term, and
    the row of a text is divided by its norm. The terms are those of `CountVectorizer`.

    `state_dict` contains the terms and their weights, `idf_`.

    Args:
        strip_accents, lowercase, preprocessor, tokenizer, stop_words, token_pattern, ngram_range, analyzer: as in
            `CountVectorizer`.
        max_df, min_df, max_features, binary, sparse: as in `CountVectorizer`.
        vocabulary: the terms; `fit` then learns their weights only.
        dtype: of the result: torch.float64 or float32.
        norm: "l2", rows have the Euclidean norm 1; "l1", the absolute values of a row sum to 1; None.
        use_idf: multiply by the weights; False for counts, divided by the norm.
        smooth_idf: add 1 to the numbers of texts, as above; False for `ln(N / n) + 1`.
        sublinear_tf: replace a count by `ln(count) + 1`.

    Attributes:
        idf_: `[V]`, the weight of each term, of `dtype`; empty before `fit`, and without `use_idf`.

    Differences from scikit-learn: see `CountVectorizer`.

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: an argument is not as above.

    Example:
        >>> tfidf = TfidfVectorizer(dtype=torch.float32)
        >>> tfidf.fit_transform(["to be or not", "to be", "let it be"]).to_dense()
        tensor([[0.3452, 0.0000, 0.0000, 0.5845, 0.5845, 0.4445],
                [0.6134, 0.0000, 0.0000, 0.0000, 0.0000, 0.7898],
                [0.3854, 0.6525, 0.6525, 0.0000, 0.0000, 0.0000]])
        >>> tfidf(["be it", "new"]).to_dense()
        tensor([[0.5085, 0.8610, 0.0000, 0.0000, 0.0000, 0.0000],
                [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000]])
    """

    _dtypes = (torch.float64, torch.float32)
    _names = ("idf_",)
    _kind = "weights"

    idf_: Tensor

    @passes_on(CountVectorizer)
    def __init__(
        self,
        *,
        dtype: torch.dtype = torch.float64,
        norm: Norm | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        **counting: Unpack[CountArguments],
    ) -> None:
        super().__init__(dtype=dtype, **counting)
        self.norm = check_choice("TfidfVectorizer", "norm", norm, ("l1", "l2", None))
        self.use_idf, self.smooth_idf = bool(use_idf), bool(smooth_idf)
        self.sublinear_tf = bool(sublinear_tf)
        self.idf_ = torch.zeros(0, dtype=dtype, device="cpu")
        self._mark()

    def fit(self, input: StringsLike) -> Self:
        """Learns the terms of texts and their weights.

        Args:
            input: texts, strings `[N]`, in any form that `as_strings` accepts.

        Returns:
            The module.

        Raises:
            ValueError: as `CountVectorizer.fit`.
        """
        strings = self._documents(input)
        super().fit(strings)
        if self.use_idf:
            counts = self._counts(strings)
            in_texts = torch.bincount(counts.columns, minlength=len(self.vocabulary)).to(self.dtype)
            extra = int(self.smooth_idf)
            self.idf_ = torch.log((len(strings) + extra) / (in_texts + extra)) + 1
            self._mark()
        return self

    def _check_fitted(self) -> None:
        super()._check_fitted()
        self._check_broadcast()
        if self.use_idf and self.idf_.shape[0] != len(self.vocabulary):
            raise RuntimeError(
                f"TfidfVectorizer: expected weights of {len(self.vocabulary)} terms, got {self.idf_.shape[0]} "
                "(call fit, or load_state_dict)"
            )

    def _values(self, counts: RowCounts) -> Tensor:
        values = self._scaled(super()._values(counts))
        if self.use_idf:
            values = values * self.idf_[counts.columns]
        return normalized_values(values, counts.crow, self.norm)

    def _dense(self, counts: Tensor) -> Tensor:
        values = super()._dense(counts)
        values = torch.where(values > 0, self._scaled(values), values)
        return normalized_rows(values * self.idf_ if self.use_idf else values, self.norm)

    def _scaled(self, values: Tensor) -> Tensor:
        return values.log() + 1 if self.sublinear_tf else values

    def _state(self) -> dict[str, Tensor]:
        return {"idf_": self.idf_}

    def _load(self, tensors: dict[str, Any]) -> None:
        weights = tensors["idf_"]
        check_dtype_of("TfidfVectorizer", "idf_", weights, self.dtype)
        check_rank("TfidfVectorizer", "idf_", weights, 1)
        self.idf_ = weights.clone()
        self._mark()
