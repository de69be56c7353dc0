"""Methods and operators that build strings from other strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from torch_stringops._checks import check_int, check_unit_or_cluster
from torch_stringops._types import IntegerArray, LengthUnit, StringsLike, Unit
from torch_stringops.methods._base import Methods
from torch_stringops.ops import build
from torch_stringops.tensor.segments import slice_graphemes

if TYPE_CHECKING:
    from typing_extensions import Self


class BuildMethods(Methods):
    """Concatenation by `+`, repetition by `*`, padding and slices, element by element."""

    __slots__ = ()

    def __add__(self, other: StringsLike) -> Self:
        try:
            strings = self._argument("add", "other", other)
        except TypeError:  # `other` does not hold strings
            return NotImplemented
        return build._string_concat([self, strings])

    def __radd__(self, other: StringsLike) -> Self:
        try:
            strings = self._argument("add", "other", other)
        except TypeError:
            return NotImplemented
        return build._string_concat([strings, self])

    def __mul__(self, counts: int | Tensor | IntegerArray) -> Self:
        known = build.as_counts(counts)
        return NotImplemented if known is None else build._string_repeat(self, known)

    __rmul__ = __mul__

    def ljust(self, width: int, fillchar: str | bytes = " ") -> Self:
        """Pads each string on the right to `width` code points, like Python's `str.ljust`.

        A byte that is not part of a valid code point counts as one.

        Args:
            width: the smallest number of code points of a result. Longer strings stay as they are.
            fillchar: the padding, one code point.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: `fillchar` is not one code point, or the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["a", "café", "words"]).ljust(4, ".").tolist()
            ['a...', 'café', 'words']
        """
        return build._string_ljust(self, width, fillchar)

    def rjust(self, width: int, fillchar: str | bytes = " ") -> Self:
        """Pads each string on the left to `width` code points, like Python's `str.rjust`.

        A byte that is not part of a valid code point counts as one.

        Args:
            width: the smallest number of code points of a result. Longer strings stay as they are.
            fillchar: the padding, one code point.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: `fillchar` is not one code point, or the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["7", "-12"]).rjust(4).tolist()
            ['   7', ' -12']
        """
        return build._string_rjust(self, width, fillchar)

    def center(self, width: int, fillchar: str | bytes = " ") -> Self:
        """Pads each string on both sides to `width` code points, like Python's `str.center`.

        If the padding is odd, the extra character is on the left if `width` is odd, else on the right. A byte that is
        not part of a valid code point counts as one.

        Args:
            width: the smallest number of code points of a result. Longer strings stay as they are.
            fillchar: the padding, one code point.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: `fillchar` is not one code point, or the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["a", "bc"]).center(5, "*").tolist()
            ['**a**', '**bc*']
        """
        return build._string_center(self, width, fillchar)

    def zfill(self, width: int) -> Self:
        """Pads each string on the left with zeros to `width` code points, after its sign, like Python's `str.zfill`.

        A byte that is not part of a valid code point counts as one.

        Args:
            width: the smallest number of code points of a result. Longer strings stay as they are.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["42", "-42", "+"]).zfill(5).tolist()
            ['00042', '-0042', '+0000']
        """
        return build._string_zfill(self, width)

    def slice(self, start: int | None, stop: int | None = None, unit: LengthUnit = "codepoint") -> Self:
        """Returns characters or bytes `start` to `stop` of each string, like Python's `s[start:stop]`.

        `s[start:stop]` of a StringTensor slices the tensor instead. A byte that is not part of a valid code point
        counts as one.

        Args:
            start: the first position; negative positions count from the end of each string; None for the beginning.
            stop: the position after the last one, negative ones from the end; None for the end.
            unit: "codepoint", as in Python, "byte", which may cut code points, or "grapheme", the clusters of
                `segments_ragged`.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: `unit` is not one of these, or it is "grapheme" and a string is not valid UTF-8.

        Example:
            >>> s = StringTensor.from_list(["café", "ab", ""])
            >>> s.slice(0, 3).tolist(), s.slice(-2).tolist()
            (['caf', 'ab', ''], ['fé', 'ab', ''])
        """
        check_unit_or_cluster("string_slice", unit)
        start = 0 if start is None else start
        if unit == "grapheme":
            first = check_int("string_slice", "start", start, -(2**63), 2**63 - 1)
            last = None if stop is None else check_int("string_slice", "stop", stop, -(2**63), 2**63 - 1)
            return slice_graphemes(self, first, last, build._string_slice(self, first, last, "codepoint"))
        return build._string_slice(self, start, stop, unit)

    def replace_slice(
        self,
        start: int | None = None,
        stop: int | None = None,
        repl: StringsLike = "",
        unit: Unit = "codepoint",
    ) -> Self:
        """Replaces code points or bytes `start` to `stop` of each string, like `str.slice_replace` of pandas.

        This is assignment to a slice of a list, `characters[start:stop] = repl`: if `stop` is before `start`, `repl` is
        inserted at `start`. A byte that is not part of a valid code point counts as one.

        Args:
            start: the first position; negative positions count from the end of each string; None for the beginning.
            stop: the position after the last one, negative ones from the end; None for the end.
            repl: the string that replaces them, or strings `[*R]`, one for each. `S` and `R` must broadcast.
            unit: "codepoint", as in pandas, or "byte", which may cut code points.

        Returns:
            Strings `[*S]`, or `[*broadcast(S, R)]`, compact.

        Raises:
            ValueError: `unit` is not one of these, the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

        See also: `string_slice`.

        Example:
            >>> StringTensor.from_list(["café", "ab", ""]).replace_slice(1, 3, "--").tolist()
            ['c--é', 'a--', '--']
            >>> StringTensor.from_list(["4111111111111111"]).replace_slice(0, -4, "*" * 12).tolist()
            ['************1111']
        """
        return build.replace_slice(self, start, stop, self._argument("string_replace_slice", "repl", repl), unit)
