"""Methods that rearrange the characters of each string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops._checks import choice_error
from torch_stringops._types import ReverseUnit
from torch_stringops.methods._base import Methods
from torch_stringops.ops import edit
from torch_stringops.tensor.segments import reverse_graphemes

if TYPE_CHECKING:
    from typing_extensions import Self


class EditMethods(Methods):
    """Strings edited character by character."""

    __slots__ = ()

    def reverse(self, unit: ReverseUnit = "codepoint") -> Self:
        """Reverses the code points of each string, like Python's `s[::-1]`.

        A byte that is not part of a valid code point counts as one. `flip` reverses the order of the strings.

        Args:
            unit: "codepoint", as in Python, or "grapheme", the clusters of `segments_ragged`.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: `unit` is not one of these, or it is "grapheme" and a string is not valid UTF-8.

        Example:
            >>> StringTensor.from_list(["abc", "café"]).reverse().tolist()
            ['cba', 'éfac']
        """
        if not isinstance(unit, str) or unit not in ("codepoint", "grapheme"):
            raise choice_error("string_reverse", "unit", "'codepoint' or 'grapheme'", unit)
        reverse = edit._string_reverse(self)
        return reverse_graphemes(self, reverse) if unit == "grapheme" else reverse
