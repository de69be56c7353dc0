"""Methods that change the case of each string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops.methods._base import Methods
from torch_stringops.ops import case

if TYPE_CHECKING:
    from typing_extensions import Self


class CaseMethods(Methods):
    """The case of strings, as in Python's `str`, by the tables of `unicode_version()`."""

    __slots__ = ()

    def lower(self) -> Self:
        """Changes each string to lower case, like Python's `str.lower`.

        A capital sigma at the end of a word becomes a final one, "ς". Bytes that are not part of a valid code point
        stay as they are. To compare strings without case, use `casefold`.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["Hello", "ÉTÉ", "ΟΔΟΣ"]).lower().tolist()
            ['hello', 'été', 'οδος']
        """
        return case._string_lower(self)

    def upper(self) -> Self:
        """Changes each string to upper case, like Python's `str.upper`.

        A character may become several: "ß" becomes "SS". Bytes that are not part of a valid code point stay as they
        are.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["Hello", "straße", "ﬁn"]).upper().tolist()
            ['HELLO', 'STRASSE', 'FIN']
        """
        return case._string_upper(self)

    def casefold(self) -> Self:
        """Removes distinctions of case, like Python's `str.casefold`, so that strings compare without case.

        Bytes that are not part of a valid code point stay as they are.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["Straße", "STRASSE", "ΟΔΟΣ"]).casefold().tolist()
            ['strasse', 'strasse', 'οδοσ']
        """
        return case._string_casefold(self)

    def title(self) -> Self:
        """Changes the first letter of each word to title case and the others to lower case, like Python's `str.title`.

        A word is a run of characters that have case, so that one begins after an apostrophe. Bytes that are not part
        of a valid code point stay as they are, and end a word.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["the end", "they're", "ǆ"]).title().tolist()
            ['The End', "They'Re", 'ǅ']
        """
        return case._string_title(self)

    def capitalize(self) -> Self:
        """Changes the first character to title case and the others to lower case, like Python's `str.capitalize`.

        Bytes that are not part of a valid code point stay as they are.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["the END", " éTÉ", "ßa"]).capitalize().tolist()
            ['The end', ' été', 'Ssa']
        """
        return case._string_capitalize(self)

    def swapcase(self) -> Self:
        """Changes upper case to lower case and lower case to upper case, like Python's `str.swapcase`.

        Bytes that are not part of a valid code point stay as they are.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["Hello", "éTÉ", "ß"]).swapcase().tolist()
            ['hELLO', 'Été', 'SS']
        """
        return case._string_swapcase(self)
