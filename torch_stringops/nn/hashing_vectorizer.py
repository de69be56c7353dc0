"""HashingVectorizer: a module from texts to counts of their terms, in columns that a hash selects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_stringops._checks import check_choice, check_int
from torch_stringops._names import named_class
from torch_stringops._types import Norm, StringsLike
from torch_stringops.nn._analyzer import Analyzer, AnalyzerArguments, passes_on
from torch_stringops.nn._row_counts import RowCounts, count_ids, count_in_chunks, normalized_values
from torch_stringops.nn.count_vectorizer import check_dtype
from torch_stringops.string_tensor import StringTensor

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


@named_class
class HashingVectorizer(Analyzer):
    r"""A module from texts to counts of terms in hashed columns, with the arguments and results of scikit-learn's.

    The column of a term is the absolute value of its MurmurHash3 (32 bits, signed, seed 0), modulo `n_features`. There
    is nothing to learn and no state. The terms are those of `CountVectorizer`.

    Args:
        strip_accents, lowercase, preprocessor, tokenizer, stop_words, token_pattern, ngram_range, analyzer: as in
            `CountVectorizer`.
        n_features: number of columns, within [1, 2**31 - 1].
        binary: set all values to 1 before the norm.
        norm: "l2", rows have the Euclidean norm 1; "l1", the absolute values of a row sum to 1; None.
        alternate_sign: terms whose hash is negative count -1, so that collisions cancel on average.
        dtype: of the result: torch.float64 or float32.
        sparse: whether the result is sparse.

    Differences from scikit-learn: see `CountVectorizer`.

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: an argument is not as above.

    Example:
        >>> hashing = HashingVectorizer(n_features=8, norm=None, sparse=False, dtype=torch.float32)
        >>> hashing(["to be or not to be", "let it be"])
        tensor([[ 0.,  0.,  0.,  2.,  1.,  0., -2.,  1.],
                [-1.,  0.,  0.,  0.,  0.,  0.,  0.,  0.]])
    """

    @passes_on(Analyzer)
    def __init__(
        self,
        *,
        n_features: int = 2**20,
        binary: bool = False,
        norm: Norm | None = "l2",
        alternate_sign: bool = True,
        dtype: torch.dtype = torch.float64,
        sparse: bool = True,
        **text: Unpack[AnalyzerArguments],
    ) -> None:
        super().__init__(**text)
        op = "HashingVectorizer"
        self.n_features = check_int(op, "n_features", n_features, 1, 2**31 - 1)
        self.binary, self.sparse = bool(binary), bool(sparse)
        self.norm = check_choice(op, "norm", norm, ("l1", "l2", None))
        self.alternate_sign = bool(alternate_sign)
        self.dtype = check_dtype(op, dtype, (torch.float64, torch.float32))

    def fit(self, input: StringsLike) -> Self:
        """Checks the texts and returns the module: there is nothing to learn."""
        self._documents(input)
        return self

    def fit_transform(self, input: StringsLike) -> Tensor:
        """Returns the matrix of texts, as a call does."""
        return self(input)

    def forward(self, input: StringsLike) -> Tensor:
        """Returns the matrix of counts, `transform` of scikit-learn.

        Args:
            input: texts, strings `[N]`, in any form that `as_strings` accepts.

        Returns:
            `[N, n_features]`, of `dtype`: sparse in compressed rows, or dense.
        """
        strings = self._documents(input)
        counts = count_in_chunks(strings, self._growth(), self._counts)
        values = torch.ones_like(counts.values) if self.binary else counts.values
        weighted = normalized_values(values.to(self.dtype), counts.crow, self.norm)
        return counts.matrix(weighted, self.n_features, self.sparse)

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, input: StringsLike) -> Tensor: ...

    def _counts(self, strings: StringTensor) -> RowCounts:
        terms, row_splits = self._terms(strings)
        hashes = terms.murmur3(positive=False).to(torch.int64)
        negative = hashes < 0 if self.alternate_sign else None
        return count_ids(hashes.abs() % self.n_features, row_splits, self.n_features, negative)
