"""Methods of regular expressions.

Syntax and matches are the same in all of them; the docstring of `regex_contains` says what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from torch_stringops._types import Unit
from torch_stringops.methods._base import Methods
from torch_stringops.ops import regex

if TYPE_CHECKING:
    from typing_extensions import Self


class RegexMethods(Methods):
    """Regular expressions of RE2's syntax: tests, replacement, extraction and splitting."""

    __slots__ = ()

    def regex_contains(self, pattern: str) -> Tensor:
        r"""Tests whether each string contains a match of a regular expression, like Python's `re.search`.

        Regular expressions have the syntax of RE2, in UTF-8. `\d`, `\w`, `\s` (without U+000B) and `\b` are ASCII,
        `\pL` and the like are Unicode (`unicode_version()`). Of the matches that begin at the leftmost position, the
        first is taken, as in Perl and Python: `a|ab` matches "a" of "ab". If what is repeated can be empty, as
        in `(?:a*|b)+`, repetitions go on after an empty one, as in RE2. In addition to RE2's syntax,
        look-aheads of one character (`(?=[a-z])`, `(?!\S)`), possessive repetitions of one character (`\s++`,
        `[a-z]?+`, `\d{1,3}+`) and the properties of UAX 29, such as `\p{Word_Break=ALetter}`, are supported.
        The patterns by which tokenizers of language models split text thus work unchanged. Back-references,
        look-behind and other look-aheads are not supported. `$` matches at the end of the string, not before
        a final newline as in Python; with `(?m)`, at the end of each line. This holds for all `regex_*`
        functions. docs/reliability.md has the limits of patterns.

        Finding all matches takes time proportional to the strings.

        Args:
            pattern: regular expression.

        Returns:
            bool `[*S]`.

        Raises:
            ValueError: `pattern` does not compile (the message names the fault, its position in code points, and what
                to write instead), or a string is not UTF-8 (the message gives its position).

        See also: `regex_full_match`, `regex_find_all_ragged`.

        Example:
            >>> StringTensor.from_list(["tel. 030", "mail"]).regex_contains(r"\d+")
            tensor([ True, False])
        """
        return regex._regex_contains(self, pattern)

    def regex_full_match(self, pattern: str) -> Tensor:
        r"""Tests whether a regular expression matches all of each string, like Python's `re.fullmatch`.

        Spec: ONNX RegexFullMatch-20. The syntax is that of `regex_contains`.

        Args:
            pattern: regular expression.

        Returns:
            bool `[*S]`.

        Raises:
            ValueError: as `regex_contains`.

        Example:
            >>> StringTensor.from_list(["1.5", "v1.5", "15"]).regex_full_match(r"\d+\.\d+")
            tensor([ True, False, False])
        """
        return regex._regex_full_match(self, pattern)

    def regex_count(self, pattern: str) -> Tensor:
        r"""Counts the non-overlapping matches of a regular expression in each string.

        The syntax is that of `regex_contains`, the matches are those that `regex_find_all_ragged` finds.

        Args:
            pattern: regular expression.

        Returns:
            int64 `[*S]`.

        Raises:
            ValueError: as `regex_contains`.

        See also: `string_count`, for the occurrences of a text.

        Example:
            >>> StringTensor.from_list(["3 apples, 4 pears", ""]).regex_count(r"\d")
            tensor([2, 0])
        """
        return regex._regex_count(self, pattern)

    def regex_find(self, pattern: str, group: int = 0, unit: Unit = "codepoint") -> tuple[Tensor, Tensor]:
        r"""Finds the first match of a regular expression in each string, or a group of it, like Python's `re.search`.

        The syntax is that of `regex_contains`.

        Args:
            pattern: regular expression.
            group: number of the group in parentheses; 0 for the whole match.
            unit: "codepoint" or "byte", of the positions, as in `string_find`.

        Returns:
            int64 `[*S]` twice: where the match or its group begins, and the position after its end, from the start of
            the string; -1 and -1 if there is no match, or the group is not part of it.

        Raises:
            ValueError: as `regex_contains`; `pattern` has no such group; or `unit` is not one of these.

        See also: `regex_extract`, for the text of a group; `regex_find_all_spans_ragged`, for all matches.

        Example:
            >>> s = StringTensor.from_list(["id=75", "été 7", "x"])
            >>> s.regex_find(r"\d+")
            (tensor([ 3,  4, -1]), tensor([ 5,  5, -1]))
            >>> s.regex_find(r"id=(\d+)", group=1)
            (tensor([ 3, -1, -1]), tensor([ 5, -1, -1]))
        """
        begin, end = regex._regex_find(self, pattern, group, unit).unbind(-1)
        return begin, end

    def regex_replace(self, pattern: str, rewrite: str, count: int = -1) -> Self:
        r"""Replaces the matches of a regular expression in each string, like Python's `re.sub`.

        The syntax is that of `regex_contains`, the matches are those that `regex_find_all_ragged` finds.

        Args:
            pattern: regular expression.
            rewrite: the replacement, in which `\1` to `\9` are the groups of the match ("" for a group that is not part
                of it), `\0` is the match, and `\\` is a backslash, as in RE2.
            count: maximum number of replacements per string; negative for no limit, as in `string_replace`. 0 is an
                error, since it means no limit in `re.sub` but no replacement in `str.replace`.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: as `regex_contains`; `rewrite` has another backslash, or a group that `pattern` does not have;
                `count` is 0; or the result exceeds 2**31 - 1 bytes.

        Example:
            >>> s = StringTensor.from_list(["2026-11-22", "a-b-c"])
            >>> s.regex_replace(r"(\d+)-(\d+)-(\d+)", r"\3.\2.\1").tolist()
            ['22.11.2026', 'a-b-c']
            >>> s.regex_replace("-", "", count=1).tolist()
            ['202611-22', 'ab-c']
        """
        return regex._regex_replace(self, pattern, rewrite, regex.check_limit(count))

    def regex_extract(self, pattern: str, group: int = -1) -> Self:
        r"""Extracts a group of the first match of a regular expression from each string.

        The syntax is that of `regex_contains`.

        Args:
            pattern: regular expression.
            group: number of the group in parentheses; 0 for the whole match. -1 means 1, or 0 if there is no
                group.

        Returns:
            Strings `[*S]`, compact; "" if there is no match, or the group is not part of it. `regex_find` tells
            these from a group that matches "".

        Raises:
            ValueError: as `regex_contains`; or `pattern` has no such group.

        See also: `regex_find_all_ragged`, for all matches.

        Example:
            >>> s = StringTensor.from_list(["id=7 name=x", "name=y"])
            >>> s.regex_extract(r"id=(\d+)").tolist()
            ['7', '']
            >>> s.regex_extract(r"name=.").tolist()
            ['name=x', 'name=y']
        """
        return regex._regex_extract(self, pattern, group)

    def regex_extract_groups(self, pattern: str) -> dict[str, Self]:
        r"""Extracts all groups of the first match of a regular expression from each string, in one pass.

        The syntax is that of `regex_contains`. As in polars' `str.extract_groups`, the key of a group is its name, or
        its number from 1 as a string: "2" is the second group, whether the first one has a name or not.

        Args:
            pattern: regular expression.

        Returns:
            For each group in parentheses, in their order, strings `[*S]`; "" if there is no match, or the group is not
            part of it. All share one `data`: `contiguous` copies those of a group that is kept alone.

        Raises:
            ValueError: as `regex_contains`; two groups have the same name; the texts of all groups together exceed
                2**31 - 1 bytes, or have more than 2**31 - 1 offsets.

        See also: `regex_extract`, for one group; `regex_find`, to tell "" from no match.

        Example:
            >>> s = StringTensor.from_list(["GET /a 200", "-"])
            >>> groups = s.regex_extract_groups(r"(?P<method>[A-Z]+) (\S+) (?P<status>\d+)")
            >>> {name: group.tolist() for name, group in groups.items()}
            {'method': ['GET', ''], '2': ['/a', ''], 'status': ['200', '']}
        """
        return regex._regex_extract_groups(self, pattern)

    def regex_split_ragged(self, pattern: str) -> tuple[Self, Tensor]:
        r"""Splits each string at the matches of a regular expression, like Python's `re.split` without groups.

        The syntax is that of `regex_contains`, the matches are those that `regex_find_all_ragged` finds. Pieces may be
        empty, and groups in parentheses are not part of the result.

        Args:
            pattern: regular expression.

        Returns:
            The pieces, strings `[T]`, and `row_splits`, int64 `[N + 1]`: the pieces of string `i` are at positions
            `row_splits[i]` to `row_splits[i + 1]`, at least one of each string.

        Raises:
            ValueError: as `regex_contains`; or the result exceeds 2**31 - 1 bytes or pieces.

        See also: `split_ragged`, for a delimiter; `tokenizer_ragged`, without empty pieces.

        Example:
            >>> pieces, row_splits = StringTensor.from_list(["a, b;c", "d"]).regex_split_ragged(r"[,;]\s*")
            >>> pieces.tolist(), row_splits.tolist()
            (['a', 'b', 'c', 'd'], [0, 3, 4])
        """
        return regex._regex_split_ragged(self, pattern)

    def regex_split_spans_ragged(self, pattern: str, unit: Unit = "byte") -> tuple[Tensor, Tensor]:
        r"""Returns where the pieces of `regex_split_ragged` are in each string.

        Args:
            pattern: regular expression.
            unit: "byte" or "codepoint", of the positions, as in `string_find`.

        Returns:
            int64 `[T, 2]`: where each piece begins, and the position after its end, from the start of the
            string; and `row_splits`, int64 `[N + 1]`.

        Raises:
            ValueError: as `regex_contains`.

        Example:
            >>> spans, row_splits = StringTensor.from_list(["a, b", "d"]).regex_split_spans_ragged(r"[,;]\s*")
            >>> spans.tolist(), row_splits.tolist()
            ([[0, 1], [3, 4], [0, 1]], [0, 2, 3])
        """
        return regex._regex_split_spans_ragged(self, pattern, unit)

    def regex_find_all_ragged(self, pattern: str, group: int = 0) -> tuple[Self, Tensor]:
        r"""Finds all matches of a regular expression in each string, like Python's `re.findall`.

        The syntax is that of `regex_contains`. Matches are found from left to right and do not overlap. An empty match
        may follow directly after another match, as in Python. After an empty match the search goes on at the next code
        point; only for patterns that prefer an empty match to a longer one, like `a*?`, or that repeat what can be
        empty, does Python find more.

        Args:
            pattern: regular expression.
            group: number of the group in parentheses to return of each match; 0 for the whole match.

        Returns:
            The matches, strings `[T]` ("" for a group that is not part of its match), and `row_splits`, int64
            `[N + 1]`: the matches in string `i` are at positions `row_splits[i]` to `row_splits[i + 1]`.

        Raises:
            ValueError: as `regex_contains`; `pattern` has no such group; or the result exceeds 2**31 - 1 bytes or
                matches.

        See also: `tokenizer_ragged`, which takes the longest match and no empty ones.

        Example:
            >>> matches, row_splits = StringTensor.from_list(["3 apples, 4 pears", ""]).regex_find_all_ragged(r"\d")
            >>> matches.tolist(), row_splits.tolist()
            (['3', '4'], [0, 2, 2])
        """
        return regex._regex_find_all_ragged(self, pattern, group)

    def regex_find_all_spans_ragged(self, pattern: str, group: int = 0, unit: Unit = "byte") -> tuple[Tensor, Tensor]:
        r"""Returns where the matches of `regex_find_all_ragged` are in each string.

        Args:
            pattern: regular expression.
            group: number of the group in parentheses to return of each match; 0 for the whole match.
            unit: "byte" or "codepoint", of the positions, as in `string_find`.

        Returns:
            int64 `[T, 2]`: where each match begins, and the position after its end, from the start of the
            string, -1 and -1 for a group that is not part of its match; and `row_splits`, int64 `[N + 1]`.

        Raises:
            ValueError: as `regex_find_all_ragged`.

        Example:
            >>> spans, row_splits = StringTensor.from_list(["3 apples, 4 pears"]).regex_find_all_spans_ragged(r"\d")
            >>> spans.tolist(), row_splits.tolist()
            ([[0, 1], [10, 11]], [0, 2])
            >>> StringTensor.from_list(["é1"]).regex_find_all_spans_ragged(r"\d", unit="codepoint")[0]
            tensor([[1, 2]])
        """
        return regex._regex_find_all_spans_ragged(self, pattern, group, unit)
