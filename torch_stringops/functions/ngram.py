"""N-grams of characters and of words."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import as_int, utf8
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._ragged_arguments import row_splits_argument
from torch_stringops._types import IntsLike, StringsLike
from torch_stringops.ops import ngram
from torch_stringops.string_tensor import StringTensor


@named
def string_ngrams_ragged(
    input: StringsLike, row_splits: IntsLike, n: int | Sequence[int], separator: str | bytes = " "
) -> tuple[StringTensor, Tensor]:
    """Joins each `n` adjacent strings of a ragged row: n-grams of words.

    Args:
        input: strings `[T]`, the strings of all rows.
        row_splits: int64 `[N + 1]`, in elements.
        n: number of strings of an n-gram; or several numbers, whose n-grams follow each other in a row in that order.
        separator: inserted between adjacent strings.

    Returns:
        The n-grams, strings `[K]`, and their row splits, int64 `[N + 1]`.

    Raises:
        ValueError: `n` is less than 1, `row_splits` is malformed, or the result exceeds 2**31 - 1 bytes.

    See also: `string_char_ngrams_ragged`; `ragged_ngrams` of ids.

    Example:
        >>> words, row_splits = StringTensor.from_list(["to be or", "not"]).split_ragged()
        >>> ngrams, row_splits = string_ngrams_ragged(words, row_splits, (1, 2))
        >>> ngrams.tolist(), row_splits.tolist()
        (['to', 'be', 'or', 'to be', 'be or', 'not'], [0, 5, 6])
    """
    op = "string_ngrams_ragged"
    expected = "an int or a list of ints"
    widths = [as_int(op, "n", k, expected) for k in (n if isinstance(n, list | tuple) else [n])]
    utf8(op, "separator", separator)
    splits = row_splits_argument(op, row_splits)
    return ngram._string_ngrams_ragged(strings_argument(op, "input", input), splits, widths, separator)


# Written by tools/write_functions.py, from methods of StringTensor: string_char_ngrams_ragged


def string_char_ngrams_ragged(
    input: StringsLike, min: int, max: int, *, marks: bool = False
) -> tuple[StringTensor, Tensor]:
    """Returns the substrings of `min` to `max` code points of each string, as ragged rows.

    They are ordered by where they begin, then by length, as in fastText. A byte that is not part of a
    valid code point counts as one.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        min: minimum number of code points, at least 1.
        max: maximum number of code points.
        marks: mark the beginning of each string by "<" and its end by ">", as fastText does. A mark alone is not an
            n-gram.

    Returns:
        The n-grams, strings `[T]`, and `row_splits`, int64 `[N + 1]`: the n-grams of string `i` are at positions
        `row_splits[i]` to `row_splits[i + 1]`.

    Raises:
        ValueError: `min` is less than 1, `max` is less than `min`, or the result exceeds
            2**31 - 1 bytes or offsets.

    Example:
        >>> ngrams, row_splits = StringTensor.from_list(["été", ""]).char_ngrams_ragged(2, 3)
        >>> ngrams.tolist(), row_splits.tolist()
        (['ét', 'été', 'té'], [0, 3, 3])
        >>> StringTensor.from_list("so").char_ngrams_ragged(1, 3, marks=True)[0].tolist()
        ['<s', '<so', 's', 'so', 'so>', 'o', 'o>']
    """
    try:
        return strings_argument("string_char_ngrams_ragged", "input", input).char_ngrams_ragged(
            min, max, marks=marks
        )
    except ERRORS as error:
        name_error(error, "string_char_ngrams_ragged")
        raise
