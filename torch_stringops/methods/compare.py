"""Methods that compare strings."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from torch_stringops._types import Metric, StringsLike, Unit
from torch_stringops.methods._base import Methods
from torch_stringops.ops import compare
from torch_stringops.ops.case import folded
from torch_stringops.tensor import strings
from torch_stringops.tensor.strings import Strings


class CompareMethods(Methods):
    """Equality, order, membership, distance."""

    __slots__ = ()

    def eq(self, other: StringsLike, *, ignore_case: bool = False) -> Tensor:
        """Computes element-wise equality with `other`, with broadcasting. Same as `==`.

        Args:
            other: strings, in any form that `as_strings` accepts.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            bool, of the broadcast shape.

        Example:
            >>> StringTensor.from_list(["a", "b"]).eq("b")
            tensor([False,  True])
            >>> StringTensor.from_list(["a", "b"]) == ["a", "c"]
            tensor([ True, False])
        """
        return compare._string_equal(*folded(self, self._argument("eq", "other", other), ignore_case))

    def ne(self, other: StringsLike) -> Tensor:
        """Computes element-wise inequality with `other`, with broadcasting. Same as `!=`."""
        return ~self.eq(other)

    def less(self, other: StringsLike) -> Tensor:
        """Computes element-wise `self < other`, with broadcasting. Same as `<` and `lt`.

        Strings are compared by their bytes: for UTF-8, by code points, like Python's `str`.

        Args:
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
        return compare._string_less(self, self._argument("string_less", "other", other))

    def less_equal(self, other: StringsLike) -> Tensor:
        """Computes element-wise `self <= other`, with broadcasting. Same as `<=` and `le`. See `less`.

        Args:
            other: strings, in any form that `as_strings` accepts.

        Returns:
            bool, of the broadcast shape.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).less_equal("b")
            tensor([ True,  True, False])
        """
        return compare._string_less_equal(self, self._argument("string_less_equal", "other", other))

    def greater(self, other: StringsLike) -> Tensor:
        """Computes element-wise `self > other`, with broadcasting. Same as `>` and `gt`. See `less`.

        Args:
            other: strings, in any form that `as_strings` accepts.

        Returns:
            bool, of the broadcast shape.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).greater("b")
            tensor([False, False,  True])
        """
        return compare._string_greater(self, self._argument("string_greater", "other", other))

    def greater_equal(self, other: StringsLike) -> Tensor:
        """Computes element-wise `self >= other`, with broadcasting. Same as `>=` and `ge`. See `less`.

        Args:
            other: strings, in any form that `as_strings` accepts.

        Returns:
            bool, of the broadcast shape.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).greater_equal("b")
            tensor([False,  True,  True])
        """
        return compare._string_greater_equal(self, self._argument("string_greater_equal", "other", other))

    lt, le, gt, ge = less, less_equal, greater, greater_equal

    def equal(self, other: Strings) -> bool:
        """Returns True if both tensors have the same shape and the same strings.

        Example:
            >>> StringTensor.from_list(["a"]).equal(StringTensor.from_list([["a"]]))
            False
        """
        if not isinstance(other, Strings):
            raise TypeError(f"equal: expected `other` to be a StringTensor, got {type(other).__name__}")
        return strings.shape(self) == strings.shape(other) and bool(self.eq(other).all())

    def _compare(self, operator: Callable[..., Tensor], name: str, other: StringsLike) -> Tensor:
        try:
            text = self._argument(name, "other", other)
        except TypeError:  # `other` does not hold strings
            return NotImplemented  # type: ignore[no-any-return]
        return operator(self, text)

    def __eq__(self, other: StringsLike) -> Tensor:  # type: ignore[override]
        return self._compare(compare._string_equal, "eq", other)

    def __ne__(self, other: StringsLike) -> Tensor:  # type: ignore[override]
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal

    def __lt__(self, other: StringsLike) -> Tensor:
        return self._compare(compare._string_less, "lt", other)

    def __le__(self, other: StringsLike) -> Tensor:
        return self._compare(compare._string_less_equal, "le", other)

    def __gt__(self, other: StringsLike) -> Tensor:
        return self._compare(compare._string_greater, "gt", other)

    def __ge__(self, other: StringsLike) -> Tensor:
        return self._compare(compare._string_greater_equal, "ge", other)

    # By identity, as for torch.Tensor, since == compares element by element.
    __hash__ = object.__hash__

    def __contains__(self, value: object) -> bool:
        # Like torch.Tensor, this is true if an element is equal, for rank 0 too. For substrings: `"b" in s[0].item()`.
        return isinstance(value, (Strings, str, bytes)) and bool(self.eq(value).any())

    def isin(self, test_elements: StringsLike, *, ignore_case: bool = False) -> Tensor:
        """Returns whether each string is one of the strings of `test_elements`. Same as `torch.isin(s, test)`.

        Strings are equal if their bytes are equal. For many calls with the same strings, a `Vocabulary` of them is
        faster, as it keeps their table.

        Args:
            test_elements: strings of any shape, in any form that `as_strings` accepts.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list(["to", "be", "or", "not"]).isin(["or", "to", "and"])
            tensor([ True, False,  True, False])
        """
        test = self._argument("string_isin", "test_elements", test_elements)
        return compare._string_isin(*folded(self, test, ignore_case))

    def edit_distance(self, other: StringsLike, unit: Unit = "codepoint", *, max_distance: int | None = None) -> Tensor:
        """Computes the Levenshtein distance to `other`, with broadcasting.

        It is the least number of insertions, deletions and substitutions of code points, or of bytes, that make one
        string the other.

        Args:
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
        strings = self._argument("string_edit_distance", "other", other)
        return compare._string_edit_distance(self, strings, unit, max_distance=max_distance)

    def damerau(self, other: StringsLike, unit: Unit = "codepoint", *, max_distance: int | None = None) -> Tensor:
        """Computes the Damerau-Levenshtein distance to `other`, with broadcasting.

        It is the least number of insertions, deletions, substitutions and transpositions of adjacent units that make
        one string the other. It is the unrestricted distance: units between transposed ones may be inserted or
        deleted. Same as rapidfuzz's `DamerauLevenshtein.distance`.

        Args:
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
        strings = self._argument("string_damerau", "other", other)
        return compare._string_damerau(self, strings, unit, max_distance=max_distance)

    def ratio(self, other: StringsLike, unit: Unit = "codepoint") -> Tensor:
        """Computes how similar strings are to `other`, with broadcasting: 1 if equal, 0 if they share no unit.

        It is `1 - d / (m + n)` for strings of `m` and `n` units, where `d` is the least number of insertions and
        deletions that make one string the other. Same as rapidfuzz's `Indel.normalized_similarity`, and as `fuzz.ratio`
        divided by 100.

        Args:
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
        return compare._string_ratio(self, self._argument("string_ratio", "other", other), unit)

    def jaro_winkler(self, other: StringsLike, unit: Unit = "codepoint", *, prefix_weight: float = 0.1) -> Tensor:
        """Computes the Jaro-Winkler similarity to `other`, with broadcasting: 1 if equal, 0 if no units match.

        Same as rapidfuzz's `JaroWinkler.similarity`: Jaro's similarity, which is raised by Winkler's rule if it is
        above 0.7.

        Args:
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
        strings = self._argument("string_jaro_winkler", "other", other)
        return compare._string_jaro_winkler(self, strings, unit, prefix_weight=prefix_weight)

    def jaccard(self, other: StringsLike, ngram: int, unit: Unit = "codepoint") -> Tensor:
        """Computes the Jaccard similarity of sets of n-grams to `other`, with broadcasting.

        It is the number of distinct n-grams in both strings over that in either, which `minhash` estimates. The n-grams
        of a string are its runs of `ngram` code points or bytes; a shorter string, even "", is its only n-gram.

        Args:
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
        return compare._string_jaccard(self, self._argument("string_jaccard", "other", other), ngram, unit)

    def cdist(
        self,
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
        return compare._string_cdist(self, self._argument("string_cdist", "other", other), metric, unit, max_distance)
