"""The module TfIdfVectorizer of ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

import torch_stringops
from torch_stringops._names import named_class
from torch_stringops._types import IntsLike, NumbersLike, StringsLike, Weighting
from torch_stringops.onnx._strings_buffer import StringsBuffer


@named_class
class TfIdfVectorizer(nn.Module):
    """Counts the n-grams of a pool in each row, and weights the counts. See `tfidf_vectorizer`.

    Spec: ONNX TfIdfVectorizer-9.

    Args:
        max_gram_length: the longest n-grams that are counted.
        max_skip_count: the maximum number of elements between two elements of an n-gram.
        min_gram_length: the shortest n-grams that are counted.
        mode: "TF", "IDF" or "TFIDF".
        ngram_counts: where 1-grams, 2-grams and so on begin in the pool.
        ngram_indexes: the position of each n-gram in the output.
        pool_int64s: the elements of all n-grams, if the input is of integers.
        pool_strings: the same if the input is of strings.
        weights: the weight of each n-gram. By default 1.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> count = ops.TfIdfVectorizer(max_gram_length=1, max_skip_count=0, min_gram_length=1, mode="TF",
        ...                             ngram_counts=[0], ngram_indexes=[0, 1], pool_strings=["to", "be"])
        >>> count(["to", "be", "or", "not", "to", "be"])
        tensor([2., 2.])
    """

    ngram_indexes: Tensor
    pool_int64s: Tensor | None
    weights: Tensor | None

    def __init__(
        self,
        *,
        max_gram_length: int,
        max_skip_count: int,
        min_gram_length: int,
        mode: Weighting,
        ngram_counts: Sequence[int],
        ngram_indexes: IntsLike,
        pool_int64s: IntsLike | None = None,
        pool_strings: StringsLike | None = None,
        weights: NumbersLike | None = None,
    ) -> None:
        super().__init__()
        if (pool_int64s is None) == (pool_strings is None):
            raise ValueError("TfIdfVectorizer: expected one of `pool_int64s` and `pool_strings`")
        self.lengths = {
            "max_gram_length": max_gram_length,
            "max_skip_count": max_skip_count,
            "min_gram_length": min_gram_length,
        }
        self.mode, self.ngram_counts = mode, list(ngram_counts)
        indexes = torch.as_tensor(ngram_indexes, dtype=torch.int64, device="cpu")
        if indexes.numel() and not 0 <= int(indexes.min()) <= int(indexes.max()) < 2**31:
            raise ValueError("TfIdfVectorizer: expected `ngram_indexes` within [0, 2**31)")
        self.num_outputs = int(indexes.max()) + 1 if indexes.numel() else 0
        self.register_buffer("ngram_indexes", indexes)
        pool = None if pool_int64s is None else torch.as_tensor(pool_int64s, dtype=torch.int64, device="cpu")
        self.register_buffer("pool_int64s", pool)
        self.pool_strings = (
            None if pool_strings is None else StringsBuffer(pool_strings, "TfIdfVectorizer", "pool_strings")
        )
        given = None if weights is None else torch.as_tensor(weights, dtype=torch.float32, device="cpu")
        self.register_buffer("weights", given)

    def forward(self, X: StringsLike | Tensor) -> Tensor:
        """Returns float32 `[num_outputs]` of a row `[C]`, or `[N, num_outputs]` of rows `[N, C]`."""
        return torch_stringops.tfidf_vectorizer(
            X,
            mode=self.mode,
            ngram_counts=self.ngram_counts,
            ngram_indexes=self.ngram_indexes,
            pool_int64s=self.pool_int64s,
            pool_strings=None if self.pool_strings is None else self.pool_strings(),
            weights=self.weights,
            num_outputs=self.num_outputs,
            **self.lengths,
        )

    if TYPE_CHECKING:

        def __call__(self, X: StringsLike | Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return f"mode={self.mode!r}, num_outputs={self.num_outputs}"
