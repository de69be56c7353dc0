"""Methods that join strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops.methods._base import Methods
from torch_stringops.ops import join

if TYPE_CHECKING:
    from typing_extensions import Self


class JoinMethods(Methods):
    """Joining along an axis."""

    __slots__ = ()

    def join(self, separator: str | bytes = "", dim: int = -1) -> Self:
        """Joins the strings along axis `dim`, like Python's `separator.join`.

        Args:
            separator: inserted between adjacent strings.
            dim: the axis to join along.

        Returns:
            Strings `[*S]` without axis `dim`, compact; "" if the axis has size 0.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.
            IndexError: `dim` is out of range.

        Example:
            >>> StringTensor.from_list([["to", "be"], ["or", "not"]]).join(" ").tolist()
            ['to be', 'or not']
        """
        return join._string_join(self, separator, dim)
