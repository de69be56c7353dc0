"""N-grams of characters and of words."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import as_int, utf8
from torch_stringops._function_of import function_of
from torch_stringops._names import named
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


string_char_ngrams_ragged = function_of(StringTensor.char_ngrams_ragged)
