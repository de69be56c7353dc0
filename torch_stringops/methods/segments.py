"""The method that cuts strings into the units that readers see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from torch_stringops._checks import choice_error
from torch_stringops.methods._base import Methods
from torch_stringops.ops import regex
from torch_stringops.ops._segment_patterns import GRAPHEME

if TYPE_CHECKING:
    from typing_extensions import Self


class SegmentsMethods(Methods):
    """Units of text."""

    __slots__ = ()

    def segments_ragged(self, unit: str = "grapheme") -> tuple[Self, Tensor]:
        """Cuts each string into its grapheme clusters, the characters that readers see.

        They are the extended grapheme clusters of UAX 29, with the properties of Unicode `unicode_version()`: a
        letter and its accents, a syllable of Hangul, a flag, an emoji with its modifiers. Joined, they are the
        string. Their number is `row_splits.diff()`.

        Args:
            unit: "grapheme".

        Returns:
            Ragged strings `[*S, None]` as `(values, row_splits)`: strings `[T]` and int64 `[N + 1]`.

        Raises:
            ValueError: `unit` is not "grapheme"; a string is not valid UTF-8.

        Example:
            >>> s = StringTensor.from_list(["e\\u0301a", "\\U0001f1e9\\U0001f1ea!"])
            >>> values, row_splits = s.segments_ragged()
            >>> values.length(), row_splits.diff()
            (tensor([2, 1, 2, 1]), tensor([2, 2]))
        """
        if not isinstance(unit, str) or unit != "grapheme":
            raise choice_error("string_segments_ragged", "unit", "'grapheme'", unit)
        return regex._regex_find_all_ragged(self, GRAPHEME)
