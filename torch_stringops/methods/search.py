"""Methods that search in each string, for one string or for as many others, and replace what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_stringops._types import StringsLike
from torch_stringops.methods._base import Methods
from torch_stringops.ops import search

if TYPE_CHECKING:
    from typing_extensions import Self


class SearchMethods(Methods):
    """Positions and numbers of occurrences, prefixes, suffixes, replacement."""

    __slots__ = ()

    def _sub(self, op: str, sub: StringsLike) -> str | bytes | Self:
        """A literal as it is, so that it is an attribute of a traced operator; other strings converted."""
        return sub if isinstance(sub, (str, bytes)) else self._argument(op, "sub", sub)

    def _with_any(self, op: str, test: search.Search, sub: StringsLike) -> Tensor:
        """`test` of `sub`, or whether it holds for any string of a tuple."""
        if not isinstance(sub, tuple):
            return test(self, self._sub(op, sub))
        for i, one in enumerate(sub):
            if not isinstance(one, (str, bytes)):
                raise TypeError(
                    f"{op}: expected `sub[{i}]` to be str or bytes, got {type(one).__name__} "
                    "(pass a list to compare strings one by one)"
                )
        found = [test(self, one) for one in sub]
        return torch.stack(found).any(0) if found else test(self, "").logical_not()

    def find(self, sub: StringsLike, unit: str = "codepoint") -> Tensor:
        """Returns the position of the first occurrence of `sub` in each string, or -1, like `str.find`.

        The bytes of `sub` are searched for, so that neither `sub` nor the strings need to be valid UTF-8.

        Args:
            sub: the string to search for, `str` or `bytes`; or strings `[*R]`, one for each, in any form that
                `as_strings` accepts. `S` and `R` must broadcast. "" is found at 0. `bytes` that are not UTF-8
                cannot be traced.
            unit: "codepoint", as in Python, or "byte". A byte that is not part of a valid code point counts as one
                code point.

        Returns:
            int64 `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: `unit` is not one of these, or the shapes do not broadcast.

        See also: `string_contains`, `string_count`.

        Example:
            >>> s = StringTensor.from_list(["été", "tee"])
            >>> s.find("t"), s.find("t", unit="byte"), s.find(["é", "x"])
            (tensor([1, 0]), tensor([2, 0]), tensor([ 0, -1]))
        """
        return search._string_find(self, self._sub("string_find", sub), unit)

    def contains(self, sub: StringsLike) -> Tensor:
        """Returns whether `sub` occurs in each string, like Python's `sub in s`.

        Args:
            sub: the string to search for, or strings `[*R]`, as in `string_find`.

        Returns:
            bool `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: the shapes do not broadcast.

        Example:
            >>> StringTensor.from_list(["to be", "or"]).contains("be")
            tensor([ True, False])
        """
        return search._string_contains(self, self._sub("string_contains", sub))

    def count(self, sub: StringsLike) -> Tensor:
        """Returns the number of occurrences of `sub` in each string that do not overlap, like `str.count`.

        Args:
            sub: the string to search for, or strings `[*R]`, as in `string_find`. The number of "" is the number of
                code points plus one; a byte that is not part of a valid code point counts as one.

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
        return search._string_count(self, self._sub("string_count", sub))

    def startswith(self, sub: StringsLike) -> Tensor:
        """Returns whether each string begins with `sub`, like `str.startswith`.

        Args:
            sub: the prefix, or strings `[*R]`, as in `string_find`; or a tuple of `str` or `bytes`, of which any may be
                the prefix, as in Python. Strings in a list are compared one by one.

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
        return self._with_any("string_startswith", search._string_startswith, sub)

    def endswith(self, sub: StringsLike) -> Tensor:
        """Returns whether each string ends with `sub`, like `str.endswith`.

        Args:
            sub: the suffix, or strings `[*R]`, as in `string_find`; or a tuple of `str` or `bytes`, of which any may be
                the suffix, as in Python. Strings in a list are compared one by one.

        Returns:
            bool `[*S]`, or `[*broadcast(S, R)]`.

        Raises:
            ValueError: the shapes do not broadcast.

        Example:
            >>> StringTensor.from_list(["a.txt", "b.py"]).endswith([".txt", ".txt"])
            tensor([ True, False])
        """
        return self._with_any("string_endswith", search._string_endswith, sub)

    def replace(self, old: str | bytes, new: str | bytes, count: int = -1) -> Self:
        """Replaces the occurrences of `old` in each string that do not overlap, from left to right, like `str.replace`.

        The bytes of `old` are searched for, so that neither `old` nor the strings need to be valid UTF-8.

        Args:
            old: the string to replace. "" inserts `new` before each code point and at the end; a byte that is not
                part of a valid code point counts as one.
            new: the string that replaces it.
            count: the maximum number of replacements in each string; negative for no limit.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["to be", "or not to be"]).replace("be", "do").tolist()
            ['to do', 'or not to do']
            >>> StringTensor.from_list(["été"]).replace("", "-", count=2).tolist()
            ['-é-té']
        """
        return search._string_replace(self, old, new, count)
