"""Methods for the normalization forms of Unicode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_stringops._types import NormalForm
from torch_stringops.methods._base import Methods
from torch_stringops.ops import normalize

if TYPE_CHECKING:
    from typing_extensions import Self


class NormalizeMethods(Methods):
    """Strings in a normalization form."""

    __slots__ = ()

    def normalize(self, form: NormalForm) -> Self:
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
        return normalize._string_normalize(self, form)

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
        return normalize._string_strip_accents(self)
