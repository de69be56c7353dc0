"""Methods that tell whether the characters of each string are of a class."""

from __future__ import annotations

from torch import Tensor

from torch_stringops.methods._base import Methods
from torch_stringops.ops import classes


class ClassMethods(Methods):
    """Classes of characters."""

    __slots__ = ()

    def is_alpha(self) -> Tensor:
        """Tells whether each string has only letters, and at least one, like Python's `str.isalpha`.

        A string with bytes that are not part of a valid code point is False.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list(["ab", "é日", "a1", ""]).is_alpha().tolist()
            [True, True, False, False]
        """
        return classes._string_is_alpha(self)

    def is_digit(self) -> Tensor:
        """Tells whether each string has only digits, and at least one, like Python's `str.isdigit`.

        Digits of all scripts count, and superscripts. A string with bytes that are not part of a valid code point is
        False.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list(["12", "٣", "x²", "-1"]).is_digit().tolist()
            [True, True, False, False]
        """
        return classes._string_is_digit(self)

    def is_space(self) -> Tensor:
        """Tells whether each string has only whitespace, and at least one character, like Python's `str.isspace`.

        A string with bytes that are not part of a valid code point is False.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list([" \\n", "\\u3000", " a", ""]).is_space().tolist()
            [True, True, False, False]
        """
        return classes._string_is_space(self)

    def is_upper(self) -> Tensor:
        """Tells whether each string has upper-case characters and none of another case, like `str.isupper`.

        Characters without case may occur. A string with bytes that are not part of a valid code point is False.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list(["AB1", "É!", "Ab", "1"]).is_upper().tolist()
            [True, True, False, False]
        """
        return classes._string_is_upper(self)

    def is_lower(self) -> Tensor:
        """Tells whether each string has lower-case characters and none of another case, like `str.islower`.

        Characters without case may occur. A string with bytes that are not part of a valid code point is False.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list(["ab1", "é!", "Ab", "1"]).is_lower().tolist()
            [True, True, False, False]
        """
        return classes._string_is_lower(self)

    def is_alnum(self) -> Tensor:
        """Tells whether each string has only letters and numbers, and at least one, like Python's `str.isalnum`.

        A string with bytes that are not part of a valid code point is False.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list(["a1", "½日", "a b", ""]).is_alnum().tolist()
            [True, True, False, False]
        """
        return classes._string_is_alnum(self)

    def is_ascii(self) -> Tensor:
        """Tells whether each string has only ASCII characters, like Python's `str.isascii`: also the empty string.

        Returns:
            bool `[*S]`.

        Example:
            >>> StringTensor.from_list(["ab 1", "", "é"]).is_ascii().tolist()
            [True, True, False]
        """
        return classes._string_is_ascii(self)
