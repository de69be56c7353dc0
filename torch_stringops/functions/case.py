"""Upper and lower case of each string."""

from __future__ import annotations

from torch_stringops._arguments import strings_argument
from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._types import CaseAction, StringsLike
from torch_stringops.ops import case
from torch_stringops.string_tensor import StringTensor

string_lower = function_of(StringTensor.lower)
string_upper = function_of(StringTensor.upper)
string_casefold = function_of(StringTensor.casefold)
string_title = function_of(StringTensor.title)
string_capitalize = function_of(StringTensor.capitalize)
string_swapcase = function_of(StringTensor.swapcase)


@named
def string_normalizer(
    input: StringsLike,
    *,
    case_change_action: CaseAction = "NONE",
    is_case_sensitive: bool = False,
    stopwords: StringsLike | None = None,
) -> StringTensor:
    """Removes the strings that are stop words, and changes the case of the others.

    Spec: ONNX StringNormalizer-10, without `locale`: case is Unicode's, as in `string_lower`. Without
    `is_case_sensitive`, strings are equal if their case foldings are, so that "STRASSE" removes "straße". The
    reference implementation of ONNX also removes accents, empty strings and stop words within strings, which the
    specification does not mention. Differences from onnxruntime: see docs/differences.md.

    Args:
        input: strings `[C]` or `[1, C]`, in any form that `as_strings` accepts.
        case_change_action: "NONE", "LOWER" or "UPPER", of the strings that are left.
        is_case_sensitive: whether stop words must be equal in case.
        stopwords: strings, in any form that `as_strings` accepts; None to remove no string.

    Returns:
        Strings `[R]`, or `[1, R]` for strings of shape `[1, C]`, compact. R is the number of strings that are left,
        which depends on the data. If all are removed, the result is one empty string.

    Raises:
        ValueError: the shape is neither `[C]` nor `[1, C]`; `case_change_action` is not one of these; the result
            exceeds 2**31 - 1 bytes.

    See also: `string_lower`, `string_isin`; `string_normalize`, for the normalization forms of Unicode.

    Example:
        >>> s = StringTensor.from_list(["The", "café", "of", "the", "Étoile"])
        >>> string_normalizer(s, case_change_action="UPPER", stopwords=["the", "of"]).tolist()
        ['CAFÉ', 'ÉTOILE']
        >>> string_normalizer(s[2:4], stopwords=["the", "of"]).tolist()
        ['']
    """
    s = strings_argument("string_normalizer", "input", input)
    if stopwords is None:
        removed = s._new(s.data.new_empty(0), s.offsets.new_zeros(1))
    else:
        removed = strings_argument("string_normalizer", "stopwords", stopwords)
    return case._string_normalizer(
        s, removed, case_change_action=case_change_action, is_case_sensitive=is_case_sensitive
    )
