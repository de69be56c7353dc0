"""Methods that remove characters at the ends of each string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops.methods._base import Methods
from torch_stringops.ops import strip

if TYPE_CHECKING:
    from typing_extensions import Self


class StripMethods(Methods):
    """Strings without characters at their ends."""

    __slots__ = ()

    def strip(self, chars: str | bytes | None = None) -> Self:
        """Removes leading and trailing characters of each string, like Python's `str.strip`.

        A byte that is not part of a valid code point is a character, which is removed only if `chars` contains it.

        Args:
            chars: the characters to remove, in any order; None for Unicode whitespace, as in `str.isspace`.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["  to be ", "or\\u3000"]).strip().tolist()
            ['to be', 'or']
            >>> StringTensor.from_list(["--to--", "(or)"]).strip("()-").tolist()
            ['to', 'or']
        """
        return strip._string_strip(self, chars)

    def lstrip(self, chars: str | bytes | None = None) -> Self:
        """Removes leading characters of each string, like Python's `str.lstrip`. See `strip`.

        Args:
            chars: the characters to remove, in any order; None for Unicode whitespace.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["  to be ", "or "]).lstrip().tolist()
            ['to be ', 'or ']
        """
        return strip._string_lstrip(self, chars)

    def rstrip(self, chars: str | bytes | None = None) -> Self:
        """Removes trailing characters of each string, like Python's `str.rstrip`. See `strip`.

        Args:
            chars: the characters to remove, in any order; None for Unicode whitespace.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["1.500", "20"]).rstrip("0").tolist()
            ['1.5', '2']
        """
        return strip._string_rstrip(self, chars)

    def remove_prefix(self, prefix: str | bytes) -> Self:
        """Removes `prefix` from the strings that begin with it, like Python's `str.removeprefix`.

        Bytes are compared, so that the strings need not be valid UTF-8.

        Args:
            prefix: removed once.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["##ing", "play"]).remove_prefix("##").tolist()
            ['ing', 'play']
        """
        return strip._string_remove_prefix(self, prefix)

    def remove_suffix(self, suffix: str | bytes) -> Self:
        """Removes `suffix` from the strings that end with it, like Python's `str.removesuffix`.

        Bytes are compared, so that the strings need not be valid UTF-8.

        Args:
            suffix: removed once.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["a.txt", "b.csv"]).remove_suffix(".txt").tolist()
            ['a', 'b.csv']
        """
        return strip._string_remove_suffix(self, suffix)
