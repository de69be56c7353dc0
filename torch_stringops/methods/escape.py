"""Methods that write bytes as text of few characters, for files, messages and URLs, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops._checks import choice_error
from torch_stringops._types import UnquoteErrors
from torch_stringops.methods._base import Methods
from torch_stringops.ops import encoding, escape

if TYPE_CHECKING:
    from typing_extensions import Self


class EscapeMethods(Methods):
    """Base64 and percent-encoding."""

    __slots__ = ()

    def base64(self, urlsafe: bool = False) -> Self:
        """Encodes the bytes of each string in base64, like Python's `base64.b64encode`.

        Spec: RFC 4648, with padding and without line breaks.

        Args:
            urlsafe: use the alphabet for URLs and names of files, with "-" and "_" instead of "+" and "/", like
                `base64.urlsafe_b64encode`.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.

        See also: `string_unbase64`, the inverse; `string_hex`.

        Example:
            >>> StringTensor.from_list(["café", "", b"\\xff\\xef"]).base64().tolist()
            ['Y2Fmw6k=', '', '/+8=']
            >>> StringTensor.from_list([b"\\xff\\xef"]).base64(urlsafe=True).rstrip("=").tolist()
            ['_-8']
        """
        return escape._string_base64(self, urlsafe)

    def unbase64(self, urlsafe: bool = False) -> Self:
        """Decodes strings of base64, like Python's `base64.b64decode(s, validate=True)`; the inverse of `base64`.

        Every string has one encoding: unused bits of the last character must be zero, unlike in Python.

        Spec: RFC 4648, without characters outside the alphabet, line breaks among them.

        Args:
            urlsafe: decode the alphabet for URLs, with "-" and "_" instead of "+" and "/"; the padding may be missing
                then, as in JSON Web Tokens.

        Returns:
            Strings `[*S]`, compact. They need not be valid UTF-8.

        Raises:
            ValueError: a string is not of this form; the message gives the index of the first.

        Example:
            >>> StringTensor.from_list(["Y2Fmw6k=", ""]).unbase64().tolist()
            ['café', '']
            >>> StringTensor.from_list(["eyJhIjoxfQ"]).unbase64(urlsafe=True).tolist()
            ['{"a":1}']
        """
        return escape._string_unbase64(self, urlsafe)

    def url_quote(self, safe: str | bytes = "/") -> Self:
        """Percent-encodes each string for URLs, like `urllib.parse.quote`.

        ASCII letters and digits and "_.-~" stay as they are. Every other byte becomes "%" and two hexadecimal
        digits. For forms, where a space is "+", follow it by `.replace("%20", "+")`, with "+" not in `safe`.

        Spec: RFC 3986.

        Args:
            safe: other characters of ASCII that stay as they are.

        Returns:
            Strings `[*S]`, compact, of ASCII characters.

        Raises:
            ValueError: `safe` has characters that are not of ASCII, or the result exceeds 2**31 - 1 bytes.

        See also: `string_url_unquote`, the inverse.

        Example:
            >>> StringTensor.from_list(["a b/é", "50%"]).url_quote().tolist()
            ['a%20b/%C3%A9', '50%25']
            >>> StringTensor.from_list(["a b/é"]).url_quote(safe="").tolist()
            ['a%20b%2F%C3%A9']
        """
        return escape._string_url_quote(self, safe)

    def url_unquote(self, errors: UnquoteErrors = "replace") -> Self:
        """Replaces each "%" and two hexadecimal digits by the byte they stand for, like `urllib.parse.unquote`.

        A "%" without two digits after it stays as it is. For forms, where a space is "+", apply `.replace("+", " ")`
        first.

        Args:
            errors: for bytes that are not UTF-8 then: "replace" replaces them by U+FFFD and "ignore" leaves them out,
                as `string_repair` does; "surrogateescape" keeps the bytes, as `urllib.parse.unquote_to_bytes` does.

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: `errors` is not one of these, or the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["a%20b/%C3%A9", "50%", "%E6%97"]).url_unquote().tolist()
            ['a b/é', '50%', '\\ufffd']
        """
        if errors not in ("replace", "ignore", "surrogateescape"):
            choices = "'replace', 'ignore' or 'surrogateescape'"
            raise choice_error("string_url_unquote", "errors", choices, errors)
        strings = escape._string_url_unquote(self)
        return strings if errors == "surrogateescape" else encoding._string_repair(strings, errors)
