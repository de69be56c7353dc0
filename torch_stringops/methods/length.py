"""The method that computes the length of each string."""

from __future__ import annotations

from torch import Tensor

from torch_stringops.methods._base import Methods
from torch_stringops.ops import length


class LengthMethods(Methods):
    """Lengths of strings."""

    __slots__ = ()

    def length(self, unit: str = "codepoint") -> Tensor:
        """Returns the length of each string, in code points or in bytes.

        Args:
            unit: "codepoint", as Python's `len`, or "byte". A byte that is not part of a valid code point counts as
                one code point.

        Returns:
            int64 `[*S]`.

        Raises:
            ValueError: `unit` is not one of these.

        Example:
            >>> s = StringTensor.from_list(["café", ""])
            >>> s.length(), s.length("byte")
            (tensor([4, 0]), tensor([5, 0]))
        """
        return length._string_length(self, unit)
