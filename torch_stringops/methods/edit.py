"""Methods that rearrange the characters of each string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops.methods._base import Methods
from torch_stringops.ops import edit

if TYPE_CHECKING:
    from typing_extensions import Self


class EditMethods(Methods):
    """Strings edited character by character."""

    __slots__ = ()

    def reverse(self) -> Self:
        """Reverses the code points of each string, like Python's `s[::-1]`.

        A byte that is not part of a valid code point counts as one. `flip` reverses the order of the strings.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["abc", "café"]).reverse().tolist()
            ['cba', 'éfac']
        """
        return edit._string_reverse(self)
