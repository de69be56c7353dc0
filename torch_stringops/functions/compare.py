"""Comparison of strings."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._types import Metric, StringsLike, Unit


@named
def string_equal(input: StringsLike, other: StringsLike, *, ignore_case: bool = False) -> Tensor:
    """Computes element-wise equality of strings, byte for byte.

    Same as `input == other` and `torch.eq(input, other)`.

    Args:
        input: strings `[*S]`.
        other: strings `[*R]`. `S` and `R` must broadcast.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        bool `[*broadcast(S, R)]`.

    Raises:
        ValueError: the shapes do not broadcast.

    Example:
        >>> rows = StringTensor.from_list([["a"], ["b"]])
        >>> string_equal(rows, StringTensor.from_list(["a", "b", "c"]))
        tensor([[ True, False, False],
                [False,  True, False]])
    """
    input = strings_argument("string_equal", "input", input)
    return input.eq(strings_argument("string_equal", "other", other), ignore_case=ignore_case)


# Written by tools/write_functions.py, from methods of StringTensor: string_less, string_less_equal, string_greater,
# string_greater_equal, string_isin, string_edit_distance, string_damerau, string_ratio, string_jaro_winkler,
# string_jaccard, string_cdist


def string_less(input: StringsLike, other: StringsLike) -> Tensor:
    """Computes element-wise `self < other`, with broadcasting. Same as `<` and `lt`.

    Strings are compared by their bytes: for UTF-8, by code points, like Python's `str`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.

    Returns:
        bool, of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["a", "b", "c"]).less("b")
        tensor([ True, False, False])
        >>> StringTensor.from_list(["a", "é"]) < ["ab", "z"]
        tensor([ True, False])
    """
    try:
        return strings_argument("string_less", "input", input).less(other)
    except ERRORS as error:
        name_error(error, "string_less")
        raise


def string_less_equal(input: StringsLike, other: StringsLike) -> Tensor:
    """Computes element-wise `self <= other`, with broadcasting. Same as `<=` and `le`. See `less`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.

    Returns:
        bool, of the broadcast shape.

    Example:
        >>> StringTensor.from_list(["a", "b", "c"]).less_equal("b")
        tensor([ True,  True, False])
    """
    try:
        return strings_argument("string_less_equal", "input", input).less_equal(other)
    except ERRORS as error:
        name_error(error, "string_less_equal")
        raise


def string_greater(input: StringsLike, other: StringsLike) -> Tensor:
    """Computes element-wise `self > other`, with broadcasting. Same as `>` and `gt`. See `less`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.

    Returns:
        bool, of the broadcast shape.

    Example:
        >>> StringTensor.from_list(["a", "b", "c"]).greater("b")
        tensor([False, False,  True])
    """
    try:
        return strings_argument("string_greater", "input", input).greater(other)
    except ERRORS as error:
        name_error(error, "string_greater")
        raise


def string_greater_equal(input: StringsLike, other: StringsLike) -> Tensor:
    """Computes element-wise `self >= other`, with broadcasting. Same as `>=` and `ge`. See `less`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.

    Returns:
        bool, of the broadcast shape.

    Example:
        >>> StringTensor.from_list(["a", "b", "c"]).greater_equal("b")
        tensor([False,  True,  True])
    """
    try:
        return strings_argument("string_greater_equal", "input", input).greater_equal(other)
    except ERRORS as error:
        name_error(error, "string_greater_equal")
        raise


def string_isin(input: StringsLike, test_elements: StringsLike, *, ignore_case: bool = False) -> Tensor:
    """Returns whether each string is one of the strings of `test_elements`. Same as `torch.isin(s, test)`.

    Strings are equal if their bytes are equal. For many calls with the same strings, a `Vocabulary` of them is
    faster, as it keeps their table.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        test_elements: strings of any shape, in any form that `as_strings` accepts.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list(["to", "be", "or", "not"]).isin(["or", "to", "and"])
        tensor([ True, False,  True, False])
    """
    try:
        return strings_argument("string_isin", "input", input).isin(test_elements, ignore_case=ignore_case)
    except ERRORS as error:
        name_error(error, "string_isin")
        raise


def string_edit_distance(
    input: StringsLike, other: StringsLike, unit: Unit = "codepoint", *, max_distance: int | None = None
) -> Tensor:
    """Computes the Levenshtein distance to `other`, with broadcasting.

    It is the least number of insertions, deletions and substitutions of code points, or of bytes, that make one
    string the other.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.
        unit: "codepoint" or "byte". A byte that is not part of a valid code point counts as one, which equals
            the same byte alone.
        max_distance: distances up to it are exact; greater ones become `max_distance + 1`, in less time if the
            strings are long or of different lengths.

    Returns:
        int64, of the broadcast shape.

    Raises:
        ValueError: `unit` is not one of these; `max_distance` is negative; the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["kitten", "café"]).edit_distance(["sitting", "cafe"])
        tensor([3, 1])
        >>> names = StringTensor.from_list(["anna", "hannah", "ian"])
        >>> names[:, None].edit_distance(names[None], max_distance=2)
        tensor([[0, 2, 3],
                [2, 0, 3],
                [3, 3, 0]])
    """
    try:
        return strings_argument("string_edit_distance", "input", input).edit_distance(
            other, unit, max_distance=max_distance
        )
    except ERRORS as error:
        name_error(error, "string_edit_distance")
        raise


def string_damerau(
    input: StringsLike, other: StringsLike, unit: Unit = "codepoint", *, max_distance: int | None = None
) -> Tensor:
    """Computes the Damerau-Levenshtein distance to `other`, with broadcasting.

    It is the least number of insertions, deletions, substitutions and transpositions of adjacent units that make
    one string the other. It is the unrestricted distance: units between transposed ones may be inserted or
    deleted. Same as rapidfuzz's `DamerauLevenshtein.distance`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.
        unit: "codepoint" or "byte", see `edit_distance`.
        max_distance: distances up to it are exact; greater ones become `max_distance + 1`, in less time if the
            strings are of different lengths.

    Returns:
        int64, of the broadcast shape.

    Raises:
        ValueError: `unit` is not one of these; `max_distance` is negative; the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["word", "ca"]).damerau(["wrod", "abc"])
        tensor([1, 2])
    """
    try:
        return strings_argument("string_damerau", "input", input).damerau(
            other, unit, max_distance=max_distance
        )
    except ERRORS as error:
        name_error(error, "string_damerau")
        raise


def string_ratio(input: StringsLike, other: StringsLike, unit: Unit = "codepoint") -> Tensor:
    """Computes how similar strings are to `other`, with broadcasting: 1 if equal, 0 if they share no unit.

    It is `1 - d / (m + n)` for strings of `m` and `n` units, where `d` is the least number of insertions and
    deletions that make one string the other. Same as rapidfuzz's `Indel.normalized_similarity`, and as `fuzz.ratio`
    divided by 100.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.
        unit: "codepoint" or "byte", see `edit_distance`.

    Returns:
        float32, of the broadcast shape. Two empty strings have the ratio 1.

    Raises:
        ValueError: `unit` is not one of these; the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["kitten", "abcd"]).ratio(["sitting", "abcd"])
        tensor([0.6154, 1.0000])
    """
    try:
        return strings_argument("string_ratio", "input", input).ratio(other, unit)
    except ERRORS as error:
        name_error(error, "string_ratio")
        raise


def string_jaro_winkler(
    input: StringsLike, other: StringsLike, unit: Unit = "codepoint", *, prefix_weight: float = 0.1
) -> Tensor:
    """Computes the Jaro-Winkler similarity to `other`, with broadcasting: 1 if equal, 0 if no units match.

    Same as rapidfuzz's `JaroWinkler.similarity`: Jaro's similarity, which is raised by Winkler's rule if it is
    above 0.7.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.
        unit: "codepoint" or "byte", see `edit_distance`.
        prefix_weight: the weight of each of the first four units that are equal, at most 0.25. With 0, the result
            is Jaro's similarity.

    Returns:
        float32, of the broadcast shape. Two empty strings have the similarity 1.

    Raises:
        ValueError: `unit` is not one of these; `prefix_weight` is not within [0, 0.25]; the shapes do not
            broadcast.

    Example:
        >>> StringTensor.from_list(["martha", "dwayne"]).jaro_winkler(["marhta", "duane"])
        tensor([0.9611, 0.8400])
    """
    try:
        return strings_argument("string_jaro_winkler", "input", input).jaro_winkler(
            other, unit, prefix_weight=prefix_weight
        )
    except ERRORS as error:
        name_error(error, "string_jaro_winkler")
        raise


def string_jaccard(input: StringsLike, other: StringsLike, ngram: int, unit: Unit = "codepoint") -> Tensor:
    """Computes the Jaccard similarity of sets of n-grams to `other`, with broadcasting.

    It is the number of distinct n-grams in both strings over that in either, which `minhash` estimates. The n-grams
    of a string are its runs of `ngram` code points or bytes; a shorter string, even "", is its only n-gram.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.
        ngram: length of the n-grams, at least 1.
        unit: of `ngram`: "codepoint" or "byte". A byte that is not part of a valid code point counts as one code
            point.

    Returns:
        float32, of the broadcast shape.

    Raises:
        ValueError: `ngram` or `unit` is not as above; the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["to be or not to be", "abc"]).jaccard(["to be or not to me", "ab"], 3)
        tensor([0.8667, 0.0000])
    """
    try:
        return strings_argument("string_jaccard", "input", input).jaccard(other, ngram, unit)
    except ERRORS as error:
        name_error(error, "string_jaccard")
        raise


def string_cdist(
    input: StringsLike,
    other: StringsLike,
    metric: Metric = "levenshtein",
    *,
    unit: Unit = "codepoint",
    max_distance: int | None = None,
) -> Tensor:
    """Compares each string with each of `other`, like `torch.cdist`.

    The result is that of the method of the metric on strings `[*B, N, 1]` and `[*C, 1, M]`. It is faster,
    since each string is prepared once for all pairs.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings `[*C, M]`, in any form that `as_strings` accepts.
        metric: "levenshtein" (see `edit_distance`), "damerau", "ratio" or "jaro_winkler".
        unit: "codepoint" or "byte", see `edit_distance`.
        max_distance: as for `edit_distance` and `damerau`. Similarities have no limit.

    Returns:
        `[*broadcast(B, C), N, M]` for strings `[*B, N]`: int64 for distances, float32 for similarities.

    Raises:
        ValueError: the strings or `other` are of rank 0; `metric` or `unit` is not one of these; `max_distance` is
            negative, or given for a similarity; the leading dimensions do not broadcast.

    Example:
        >>> names = StringTensor.from_list(["anna", "hannah"])
        >>> names.cdist(["ann", "hanna", "ian"])
        tensor([[1, 1, 3],
                [3, 1, 4]])
        >>> names.cdist(["ann", "hanna", "ian"], "ratio")
        tensor([[0.8571, 0.8889, 0.5714],
                [0.6667, 0.9091, 0.4444]])
    """
    try:
        return strings_argument("string_cdist", "input", input).cdist(
            other, metric, unit=unit, max_distance=max_distance
        )
    except ERRORS as error:
        name_error(error, "string_cdist")
        raise
