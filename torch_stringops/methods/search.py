"""Methods that search in each string, for one string or for as many others, and replace what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_stringops._checks import utf8
from torch_stringops._native import has_case
from torch_stringops._types import StringsLike, Unit
from torch_stringops.methods._base import Methods
from torch_stringops.ops import regex, search

if TYPE_CHECKING:
    from typing_extensions import Self


class SearchMethods(Methods):
    """Positions and numbers of occurrences, prefixes, suffixes, replacement."""

    __slots__ = ()

    def _sub(self, op: str, sub: StringsLike, ignore_case: bool) -> tuple[str | bytes | Self, bool]:
        """A literal as it is, so that it is an attribute of a traced operator; other strings converted.

        And whether case is ignored: not if that of a literal cannot differ.
        """
        if not isinstance(sub, (str, bytes)):
            return self._argument(op, "sub", sub), ignore_case
        return sub, ignore_case and has_case(op, "sub", sub)

    def _position(
        self,
        op: str,
        find: search.Search,
        sub: StringsLike,
        unit: Unit,
        start: int,
        end: int | None,
        ignore_case: bool,
    ) -> Tensor:
        if ignore_case and unit == "byte":
            raise ValueError(
                f"{op}: expected `unit` to be 'codepoint' with `ignore_case`, got 'byte' (letters that differ only in "
                "case may have different numbers of bytes)"
            )
        sub, folds = self._sub(op, sub, ignore_case)
        if start == 0 and end is None:
            return find(self, sub, unit, ignore_case=folds)
        return search.positions_in(op, find, self, sub, unit, start, end, folds)

    def _test(self, op: str, test: search.Search, sub: StringsLike, ignore_case: bool) -> Tensor:
        sub, folds = self._sub(op, sub, ignore_case)
        return test(self, sub, ignore_case=folds)

    def _with_any(self, op: str, test: search.Search, sub: StringsLike, ignore_case: bool) -> Tensor:
        """`test` of `sub`, or whether it holds for any string of a tuple."""
        if not isinstance(sub, tuple):
            return self._test(op, test, sub, ignore_case)
        for i, one in enumerate(sub):
            if not isinstance(one, (str, bytes)):
                raise TypeError(
                    f"{op}: expected `sub[{i}]` to be str or bytes, got {type(one).__name__} "
                    "(pass a list to compare strings one by one)"
                )
        found = [self._test(op, test, one, ignore_case) for one in sub]
        return torch.stack(found).any(0) if found else test(self, "").logical_not()

    def find(
        self,
        sub: StringsLike,
        unit: Unit = "codepoint",
        *,
        start: int = 0,
        end: int | None = None,
        ignore_case: bool = False,
    ) -> Tensor:
        """Returns the position of the first occurrence of `sub` in each string, or -1, like `str.find`.

        The bytes of `sub` are searched for, so that neither `sub` nor the strings need to be valid UTF-8.

        Args:
            sub: the string to search for, `str` or `bytes`; or strings `[*R]`, one for each, in any form that
                `as_strings` accepts. `S` and `R` must broadcast. "" is found at 0. `bytes` that are not UTF-8
                cannot be traced.
            unit: "codepoint", as in Python, or "byte". A byte that is not part of a valid code point counts as one
                code point.
            start: where the search begins in each string, in `unit`; negative positions count from the end of
                the string, as in Python.
            end: where the search ends; None for the end of the string. The result counts from the start of
                the string.
            ignore_case: whether letters are equal that differ only in case, by Unicode's simple case folding: "ẞ"
                equals "ß", but not "ss". Only with "codepoint". The bytes of the folded `sub` are searched for in
                the folded strings, so that `sub` should be UTF-8.

        Returns:
            int64 `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: `unit` is not one of these, or "byte" with `ignore_case`; or the shapes do not broadcast.

        See also: `string_rfind`, `string_contains`, `string_count`; `regex_find`, for a regular expression.

        Example:
            >>> s = StringTensor.from_list(["été", "tee"])
            >>> s.find("t"), s.find("t", unit="byte"), s.find(["é", "x"])
            (tensor([1, 0]), tensor([2, 0]), tensor([ 0, -1]))
            >>> s.find("e", start=1), s.find("É", ignore_case=True)
            (tensor([-1,  1]), tensor([ 0, -1]))
        """
        return self._position("string_find", search._string_find, sub, unit, start, end, ignore_case)

    def rfind(
        self,
        sub: StringsLike,
        unit: Unit = "codepoint",
        *,
        start: int = 0,
        end: int | None = None,
        ignore_case: bool = False,
    ) -> Tensor:
        """Returns the position of the last occurrence of `sub` in each string, or -1, like `str.rfind`.

        The arguments are those of `string_find`.

        Args:
            sub: the string to search for, or strings `[*R]`, as in `string_find`. "" is found at the end.
            unit: "codepoint" or "byte".
            start: where the search begins in each string.
            end: where the search ends; None for the end of the string.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            int64 `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: as `string_find`.

        Example:
            >>> s = StringTensor.from_list(["a/b/c", "été"])
            >>> s.rfind("/"), s.rfind("/", end=3), s.rfind(["c", "é"])
            (tensor([ 3, -1]), tensor([ 1, -1]), tensor([4, 2]))
        """
        return self._position("string_rfind", search._string_rfind, sub, unit, start, end, ignore_case)

    def contains(self, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
        """Returns whether `sub` occurs in each string, like Python's `sub in s`.

        Args:
            sub: the string to search for, or strings `[*R]`, as in `string_find`.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            bool `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: the shapes do not broadcast.

        Example:
            >>> StringTensor.from_list(["to be", "or"]).contains("be")
            tensor([ True, False])
        """
        return self._test("string_contains", search._string_contains, sub, ignore_case)

    def count(self, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
        """Returns the number of non-overlapping occurrences of `sub` in each string, like `str.count`.

        Args:
            sub: the string to search for, or strings `[*R]`, as in `string_find`. The number of "" is the number of
                code points plus one; a byte that is not part of a valid code point counts as one.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            int64 `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: the shapes do not broadcast.

        Example:
            >>> StringTensor.from_list(["banana", "nnn"]).count("an")
            tensor([2, 0])
            >>> StringTensor.from_list(["banana", "nnn"]).count(["ana", "nn"])
            tensor([1, 1])
        """
        return self._test("string_count", search._string_count, sub, ignore_case)

    def startswith(self, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
        """Returns whether each string begins with `sub`, like `str.startswith`.

        Args:
            sub: the prefix, or strings `[*R]`, as in `string_find`; or a tuple of `str` or `bytes`, of which
                any may be the prefix, as in Python. A list is compared element by element.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            bool `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: the shapes do not broadcast.

        Example:
            >>> StringTensor.from_list(["word", "sword"]).startswith("wo")
            tensor([ True, False])
            >>> StringTensor.from_list(["word", "sword"]).startswith(("wo", "sw"))
            tensor([True, True])
        """
        return self._with_any("string_startswith", search._string_startswith, sub, ignore_case)

    def endswith(self, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
        """Returns whether each string ends with `sub`, like `str.endswith`.

        Args:
            sub: the suffix, or strings `[*R]`, as in `string_find`; or a tuple of `str` or `bytes`, of which
                any may be the suffix, as in Python. A list is compared element by element.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            bool `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: the shapes do not broadcast.

        Example:
            >>> StringTensor.from_list(["a.txt", "b.py"]).endswith([".txt", ".txt"])
            tensor([ True, False])
        """
        return self._with_any("string_endswith", search._string_endswith, sub, ignore_case)

    def replace(self, old: str | bytes, new: str | bytes, count: int = -1, *, ignore_case: bool = False) -> Self:
        """Replaces the occurrences of `old` in each string, from left to right, like `str.replace`.

        The bytes of `old` are searched for, so that neither `old` nor the strings need to be valid UTF-8.

        Args:
            old: the string to replace. "" inserts `new` before each code point and at the end; a byte that is not
                part of a valid code point counts as one.
            new: the string that replaces it.
            count: the maximum number of replacements in each string; negative for no limit.
            ignore_case: whether letters are equal that differ only in case, as in `string_find`.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes; or `ignore_case` is given, and a string, `old` or `new` is
                not valid UTF-8.

        Example:
            >>> StringTensor.from_list(["to be", "or not to be"]).replace("be", "do").tolist()
            ['to do', 'or not to do']
            >>> StringTensor.from_list(["été"]).replace("", "-", count=2).tolist()
            ['-é-té']
        """
        if not ignore_case or not old or count == 0:
            return search._string_replace(self, old, new, count)
        # Between \Q and \E, characters stand for themselves.
        literal = _text("old", old).replace("\\E", r"\E\\E\Q")
        rewrite = _text("new", new).replace("\\", r"\\")
        return regex._regex_replace(self, rf"(?i)\Q{literal}\E", rewrite, max(count, -1))


def _text(name: str, value: str | bytes) -> str:
    if isinstance(value, str):
        return value
    try:
        return utf8("string_replace", name, value).decode()
    except UnicodeDecodeError:
        raise ValueError(f"string_replace: expected `{name}` to be UTF-8 with `ignore_case`") from None
