"""Methods that compute the length of each string."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._checks import check_unit_or_cluster
from torch_stringops._types import LengthUnit
from torch_stringops.methods._base import Methods
from torch_stringops.ops import length
from torch_stringops.tensor.segments import num_graphemes


class LengthMethods(Methods):
    """Lengths of strings."""

    __slots__ = ()

    def length(self, unit: LengthUnit = "codepoint") -> Tensor:
        """Returns the length of each string, in code points, bytes or the characters that readers see.

        Args:
            unit: "codepoint", as Python's `len`, "byte", or "grapheme", the clusters of `segments_ragged`. A byte that
                is not part of a valid code point counts as one code point.

        Returns:
            int64 `[*S]`.

        Raises:
            ValueError: `unit` is not one of these, or it is "grapheme" and a string is not valid UTF-8.

        Example:
            >>> s = StringTensor.from_list(["café", ""])
            >>> s.length(), s.length("byte")
            (tensor([4, 0]), tensor([5, 0]))
            >>> StringTensor.from_list("\U0001f1e9\U0001f1ea").length("grapheme")
            tensor(1)
        """
        check_unit_or_cluster("string_length", unit)
        if unit == "grapheme":
            return num_graphemes(self)
        return length._string_length(self, unit)

    def width(self) -> Tensor:
        """Returns the number of columns that each string takes in a terminal, like `wcswidth` of the package wcwidth.

        East Asian characters and emoji take two columns, accents and other characters that join the one before none.
        The results are those of wcwidth 0.2.13, with the properties of Unicode `unicode_version()`. A byte that is not
        part of a valid code point takes one column.

        Returns:
            int64 `[*S]`; -1 for strings with a control character, such as a line feed or a tab.

        Example:
            >>> StringTensor.from_list(["café", "cafe\\u0301", "日本語", "a\\tb"]).width()
            tensor([ 4,  4,  6, -1])
        """
        return length._string_width(self)
