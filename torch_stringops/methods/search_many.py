"""Methods that search for many strings at once, or for matches of many regular expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torch import Tensor

from torch_stringops._types import StringsLike
from torch_stringops.methods._base import Methods
from torch_stringops.ops import search_many

if TYPE_CHECKING:
    from typing_extensions import Self


class SearchManyMethods(Methods):
    """Many patterns at once, in a time that does not depend on their number."""

    __slots__ = ()

    def contains_any(self, patterns: StringsLike) -> Tensor:
        """Returns whether any of many strings occurs in each string, like `any(p in s for p in patterns)`.

        The time depends on the strings, not on the number of patterns. The automaton of the patterns is
        cached for further calls with the same ones; the first call takes about two microseconds for each of
        them.

        Args:
            patterns: the strings to search for, `[P]`, in any form that `as_strings` accepts. Their bytes are searched
                for, so that neither they nor the strings need to be valid UTF-8. "" occurs in each string.

        Returns:
            bool `[*S]`.

        Raises:
            ValueError: `patterns` are not of rank 1, or have more than 2**22 strings or 2**24 bytes together.

        See also: `string_contains`, for one string; `string_isin`, for whole strings.

        Example:
            >>> StringTensor.from_list(["to be", "or", "not to be"]).contains_any(["be", "not"])
            tensor([ True, False,  True])
        """
        other = self._list("string_contains_any", "patterns", patterns)
        return search_many._string_contains_any(self, other.data, other.offsets)

    def extract_many(self, patterns: StringsLike, overlapping: bool = False) -> tuple[Self, Tensor]:
        """Finds the occurrences of many strings in each string.

        The time depends on the strings, not on the number of patterns. Occurrences are found from left to right and do
        not overlap; of patterns that begin at the same place the longest one is found. In polars' `extract_many`, the
        pattern that ends first is found, and with `leftmost=True` the one that is first in the list: sort its patterns
        by their length, the longest ones first, to get the result of this function.

        Args:
            patterns: the strings to search for, `[P]`, as in `string_contains_any`, none of them empty. In valid UTF-8,
                occurrences of valid patterns are whole code points; others are found wherever their bytes are.
            overlapping: whether to find all occurrences: in the order in which they end, of those that end at one place
                the longest one first, as in polars. Equal patterns count as one.

        Returns:
            The occurrences, strings `[T]`, and `row_splits`, int64 `[N + 1]`: those in string `i` are at positions
            `row_splits[i]` to `row_splits[i + 1]`.

        Raises:
            ValueError: as `string_contains_any`; a pattern is empty; or the result exceeds 2**31 - 1 bytes.

        See also: `regex_find_all_ragged`.

        Example:
            >>> s = StringTensor.from_list(["abcd bc", "x"])
            >>> found, row_splits = s.extract_many(["ab", "abc", "bc"])
            >>> found.tolist(), row_splits.tolist()
            (['abc', 'bc'], [0, 2, 2])
            >>> s.extract_many(["ab", "abc", "bc"], overlapping=True)[0].tolist()
            ['ab', 'abc', 'bc', 'bc']
        """
        other = self._list("string_extract_many", "patterns", patterns)
        return search_many._string_extract_many(self, other.data, other.offsets, overlapping)

    def replace_many(self, patterns: StringsLike, replacements: StringsLike) -> Self:
        """Replaces the occurrences of many strings in each string at once.

        The occurrences are those of `string_extract_many`: from left to right, the longest pattern first, without
        overlaps. What has been replaced is not searched again.

        Args:
            patterns: the strings to search for, `[P]`, as in `string_extract_many`.
            replacements: one string for each pattern, `[P]`, in any form that `as_strings` accepts; or one string for
                all of them. Of equal patterns, the first one counts.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: as `string_extract_many`; or the numbers of patterns and replacements differ.

        See also: `string_translate`, for single characters; `string_replace`, for one string.

        Example:
            >>> s = StringTensor.from_list(["to be", "or not to be"])
            >>> s.replace_many(["to", "be", "or"], ["do", "be", "and"]).tolist()
            ['do be', 'and not do be']
            >>> s.replace_many(["to ", "or "], "").tolist()
            ['be', 'not be']
        """
        op = "string_replace_many"
        other = self._list(op, "patterns", patterns)
        by = self._list(op, "replacements", replacements)
        return search_many._string_replace_many(self, other.data, other.offsets, by.data, by.offsets)

    def translate(self, table: Mapping[str, str | None] | Mapping[int, int | str | None]) -> Self:
        """Replaces single characters of each string by others, by strings, or by nothing, like `str.translate`.

        Args:
            table: what replaces each character: a string, or None for nothing. Characters may be code points, as in
                the tables of `str.maketrans`.

        Returns:
            Strings `[*S]`, compact. Bytes that are not part of a valid code point stay as they are.

        Raises:
            ValueError: a key is not one character, or the result exceeds 2**31 - 1 bytes.

        See also: `string_replace_many`, for longer strings.

        Example:
            >>> s = StringTensor.from_list(["Straße", "a-b"])
            >>> s.translate({"ß": "ss", "-": None}).tolist()
            ['Strasse', 'ab']
            >>> s.translate(str.maketrans("ab", "xy", "-")).tolist()
            ['Strxße', 'xy']
        """
        keys, values = search_many.characters(table)
        return self.replace_many(keys, values)

    def regex_contains_any(self, patterns: StringsLike) -> Tensor:
        r"""Tests whether each string contains a match of any of several regular expressions.

        It equals `regex_contains` of each of them, combined by `any`, but the strings are read once: the patterns are
        compiled together.

        Args:
            patterns: regular expressions, `[P]`, in any form that `as_strings` accepts, of the syntax of
                `regex_contains`. Flags such as `(?i)` hold for their own pattern.

        Returns:
            bool `[*S]`; False if there are no patterns.

        Raises:
            ValueError: a pattern does not compile (the message names its index and its fault), all are too large
                together (docs/reliability.md has the limits), or a string is not UTF-8.

        See also: `string_contains_any`, for many strings that are not regular expressions.

        Example:
            >>> s = StringTensor.from_list(["v1.5", "Error: x", "ok"])
            >>> s.regex_contains_any([r"\d", "(?i)error"])
            tensor([ True,  True, False])
        """
        other = self._list("regex_contains_any", "patterns", patterns)
        return search_many._regex_contains_any(self, other.data, other.offsets)
