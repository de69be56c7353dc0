"""Methods that remove characters at the ends of each string, and those of Unicode's normalization forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops.methods._base import Methods
from torch_stringops.ops import form as form_ops

if TYPE_CHECKING:
    from typing_extensions import Self


class FormMethods(Methods):
    """Strings stripped or normalized."""

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
        return form_ops.string_strip(self, chars)

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
        return form_ops.string_lstrip(self, chars)

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
        return form_ops.string_rstrip(self, chars)

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
        return form_ops.string_remove_prefix(self, prefix)

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
        return form_ops.string_remove_suffix(self, suffix)

    def normalize(self, form: str) -> Self:
        """Brings each string to a normalization form of Unicode, like Python's `unicodedata.normalize`.

        The version of Unicode is `unicode_version()`. A byte that is not part of a valid code point is kept, and
        nothing moves or composes across it.

        Args:
            form: "NFC", "NFD", "NFKC" or "NFKD".

        Returns:
            Strings `[*S]`, compact.

        Raises:
            ValueError: `form` is none of these, or the result exceeds 2**31 - 1 bytes.

        Example:
            >>> StringTensor.from_list(["cafe\u0301", "\ufb01ve \u2460"]).normalize("NFKC").tolist()
            ['café', 'five 1']
        """
        return form_ops.string_normalize(self, form)

    def strip_accents(self) -> Self:
        """Removes accents: the nonspacing marks (general category Mn) of each string in the form NFD.

        This is what BERT's tokenizer does with uncased models. The result is in the form NFD: syllables of Hangul are
        decomposed, and `.normalize("NFC")` composes them again. A byte that is not part of a valid code point is
        kept. scikit-learn's `strip_accents_unicode` does nearly the same in the form NFKD.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["café", "Ångström"]).strip_accents().tolist()
            ['cafe', 'Angstrom']
        """
        return form_ops.string_strip_accents(self)
