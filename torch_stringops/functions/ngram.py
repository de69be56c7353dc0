"""N-grams of characters and of words."""

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import utf8
from torch_stringops._names import named
from torch_stringops._ragged_arguments import row_splits_argument
from torch_stringops.functions import function_of
from torch_stringops.ops import ngram
from torch_stringops.string_tensor import StringTensor

string_char_ngrams_ragged = function_of(StringTensor.char_ngrams_ragged)


@named
def string_ngrams_ragged(
    input: StringTensor, row_splits: Tensor, n: int | Sequence[int], separator: str | bytes = " "
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
    widths = [n] if isinstance(n, int) else n
    if not isinstance(widths, (list, tuple)) or not all(isinstance(k, int) for k in widths):
        raise TypeError(f"{op}: expected `n` to be an int or a list of ints, got {type(n).__name__}")
    utf8(op, "separator", separator)
    row_splits = row_splits_argument(op, row_splits)
    return ngram.string_ngrams_ragged(strings_argument(op, "input", input), row_splits, widths, separator)
