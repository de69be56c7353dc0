"""Vectors of n-gram counts, as ONNX defines them."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import named
from torch_stringops._types import IntsLike, NumbersLike, StringsLike, Weighting
from torch_stringops.ops import tfidf as ops
from torch_stringops.string_tensor import StringTensor


@named
def tfidf_vectorizer(
    input: StringsLike | Tensor,
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
    num_outputs: int | None = None,
) -> Tensor:
    """Counts, in each row, the n-grams of a pool, and weights the counts: TF, IDF or TFIDF.

    The elements of an n-gram are adjacent in the row, or have as many elements between any two of them, at most
    `max_skip_count`. 1-grams are counted once. Lists are converted at each call; for large pools, pass tensors, for
    which the last pool is kept from one call to the next.

    Spec: ONNX TfIdfVectorizer-9. Differences from onnxruntime: see docs/differences.md.

    Args:
        input: strings, in any form that `as_strings` accepts, or int32 or int64; of shape `[C]` or `[N, C]`.
        max_gram_length: the longest n-grams that are counted.
        max_skip_count: the maximum number of elements between two elements of an n-gram.
        min_gram_length: the shortest n-grams that are counted.
        mode: "TF", counts; "IDF", the weight of each n-gram that occurs; "TFIDF", counts times weights.
        ngram_counts: where 1-grams, 2-grams and so on begin in the pool, in elements.
        ngram_indexes: the position of each n-gram in the output, >= 0: a list, or int64 `[G]`. If several n-grams have
            the same position, their counts are added; in mode "IDF" it has the weight of one of them.
        pool_int64s: the elements of all n-grams, of all lengths in turn, if the input is of integers: a list, or int64
            `[P]`.
        pool_strings: the same if the input is of strings, in any form that `as_strings` accepts.
        weights: the weight of each n-gram: a list, or float32 `[G]`. By default 1.
        num_outputs: the size of the last axis of the result, at most 2**26; by default `max(ngram_indexes) + 1`.
            Tracing needs it if `ngram_indexes` is a tensor, or the size is data-dependent.

    Returns:
        float32 `[num_outputs]` or `[N, num_outputs]`: exact sums, rounded once.

    Raises:
        TypeError: `input` and the pool are not of the same kind, or not exactly one pool is given.
        ValueError: `input` is not of rank 1 or 2; an attribute is out of its range; `ngram_counts`, `ngram_indexes`,
            `weights` and the pool do not match, or the pool has an n-gram twice; the result has more than 2**31 - 1
            elements.

    See also: `ragged_count`, `nn.TextVectorization`.

    Example:
        >>> pool = {"ngram_counts": [0, 2], "pool_strings": ["to", "be", "to", "be", "be", "or"]}
        >>> lengths = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0}
        >>> words = [["to", "be", "or"], ["or", "to", "to"]]
        >>> tfidf_vectorizer(words, mode="TF", ngram_indexes=[0, 1, 2, 3], **lengths, **pool)
        tensor([[1., 1., 1., 1.],
                [2., 0., 0., 0.]])
    """
    if (pool_int64s is None) == (pool_strings is None):
        got = "neither" if pool_strings is None else "both"
        raise TypeError(f"tfidf_vectorizer: expected one of `pool_int64s` and `pool_strings`, got {got}")
    of_ints = isinstance(input, Tensor)
    if of_ints != (pool_strings is None):
        kind = "`pool_int64s` for an input of integers" if of_ints else "`pool_strings` for an input of strings"
        raise TypeError(f"tfidf_vectorizer: expected {kind}, got the other pool")
    values: Tensor | StringTensor
    pool: Tensor | StringTensor
    if isinstance(input, Tensor):
        values, pool = input, ops.int_pool(pool_int64s, input.device)
    else:
        values = strings_argument("tfidf_vectorizer", "input", input)
        pool = values._argument("tfidf_vectorizer", "pool_strings", pool_strings)
    return ops._tfidf_vectorizer(
        values,
        pool,
        ngram_indexes,
        weights,
        num_outputs,
        max_gram_length=max_gram_length,
        max_skip_count=max_skip_count,
        min_gram_length=min_gram_length,
        mode=mode,
        ngram_counts=ngram_counts,
    )
