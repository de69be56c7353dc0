"""Normalization forms of Unicode, and the removal of accents."""

# Written by tools/write_functions.py, from methods of StringTensor: string_normalize, string_strip_accents

from __future__ import annotations

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import NormalForm, StringsLike
from torch_stringops.string_tensor import StringTensor


def string_normalize(input: StringsLike, form: NormalForm) -> StringTensor:
    """Brings each string to a normalization form of Unicode, like Python's `unicodedata.normalize`.

    The version of Unicode is `unicode_version()`. A byte that is not part of a valid code point is kept, and
    nothing moves or composes across it.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        form: "NFC", "NFD", "NFKC" or "NFKD".

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `form` is none of these, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["cafe\u0301", "\ufb01ve \u2460"]).normalize("NFKC").tolist()
        ['café', 'five 1']
    """
    try:
        return strings_argument("string_normalize", "input", input).normalize(form)
    except ERRORS as error:
        name_error(error, "string_normalize")
        raise


def string_strip_accents(input: StringsLike) -> StringTensor:
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
    try:
        return strings_argument("string_strip_accents", "input", input).strip_accents()
    except ERRORS as error:
        name_error(error, "string_strip_accents")
        raise
