"""Methods that change the case of each string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops._types import CaseAction, StringsLike
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

    def normalizer(
        self,
        *,
        case_change_action: CaseAction = "NONE",
        is_case_sensitive: bool = False,
        stopwords: StringsLike | None = None,
    ) -> Self:
        """Removes the strings that are stop words, and changes the case of the others.

        Spec: ONNX StringNormalizer-10, without `locale`: case is Unicode's, as in `lower` and `upper`. Without
        `is_case_sensitive`, strings are equal if their case foldings are, so that "STRASSE" removes "straße". The
        reference implementation of ONNX also removes accents, empty strings and stop words within strings, which the
        specification does not mention. Differences from onnxruntime: see docs/differences.md.

        Args:
            case_change_action: "NONE", "LOWER" or "UPPER", of the strings that are left.
            is_case_sensitive: whether stop words must be equal in case.
            stopwords: strings, in any form that `as_strings` accepts; None to remove no string.

        Returns:
            Strings `[R]`, or `[1, R]` for strings of shape `[1, C]`, compact. R is the number of strings that are left,
            which depends on the data. If all are removed, the result is one empty string.

        Raises:
            ValueError: the shape is neither `[C]` nor `[1, C]`; `case_change_action` is not one of these; the result
                exceeds 2**31 - 1 bytes.

        See also: `lower`, `isin`.

        Example:
            >>> s = StringTensor.from_list(["The", "café", "of", "the", "Étoile"])
            >>> s.normalizer(case_change_action="UPPER", stopwords=["the", "of"]).tolist()
            ['CAFÉ', 'ÉTOILE']
            >>> s[2:4].normalizer(stopwords=["the", "of"]).tolist()
            ['']
        """
        if stopwords is None:
            removed = self._new(self.data.new_empty(0), self.offsets.new_zeros(1))
        else:
            removed = self._argument("string_normalizer", "stopwords", stopwords)
        return case._string_normalizer(
            self,
            removed,
            case_change_action=case_change_action,
            is_case_sensitive=is_case_sensitive,
        )
