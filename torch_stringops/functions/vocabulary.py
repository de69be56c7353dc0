"""Vocabularies: distinct strings and their ids."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.ops import vocabulary as ops
from torch_stringops.string_tensor import StringTensor


@named
def vocab_build(input: StringsLike) -> Tensor:
    """Builds the hash table that `vocab_encode` uses to look up words.

    `Vocabulary` builds and holds such a table. The table depends only on the words. It can be a buffer of a module and
    is part of an exported model, but should not be saved separately: its layout may change between versions
    (`vocab_encode` checks it), and building it is faster than reading it.

    Args:
        input: distinct strings `[V]`; the id of a word is its position.

    Returns:
        uint8 `[T]`, opaque: about 25 bytes for each word of up to 11 bytes, 50 up to 27, 100 up to 59, and 25 and its
        length for longer ones.

    Raises:
        ValueError: two strings are equal; the message gives both positions.

    Example:
        >>> from torch_stringops import vocab_encode
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> vocab_encode(StringTensor.from_list(["be", "or"]), table).tolist()
        [1, -1]
    """
    return ops._vocab_build(strings_argument("vocab_build", "input", input))


@named
def vocab_encode(input: StringsLike, table: Tensor, *, unknown_id: int = -1, num_oov_buckets: int = 0) -> Tensor:
    """Returns the vocabulary ids of strings.

    Args:
        input: strings `[*S]`.
        table: uint8 `[T]`, from `vocab_build`, of a vocabulary of V words.
        unknown_id: the id of strings that are not in the vocabulary.
        num_oov_buckets: if positive, such a string gets the id `V + XXH3(string) % num_oov_buckets` instead. XXH3 is
            the 64-bit hash with seed 0 of the string's bytes, which is the same on every machine and in every version.

    Returns:
        int64 `[*S]`.

    Raises:
        ValueError: `table` is not a table of `vocab_build`, or `num_oov_buckets` is not within [0, 2**62].

    See also: Vocabulary, which holds the words and the table.

    Example:
        >>> from torch_stringops import vocab_build
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> vocab_encode(StringTensor.from_list([["to", "be"], ["or", "not"]]), table, unknown_id=9).tolist()
        [[0, 1], [9, 9]]
    """
    input = strings_argument("vocab_encode", "input", input)
    check_tensor("vocab_encode", "table", table)
    return ops._vocab_encode(input, table, unknown_id=unknown_id, num_oov_buckets=num_oov_buckets)


@named
def string_unique(input: StringsLike) -> tuple[StringTensor, Tensor, Tensor]:
    """Returns the distinct strings, in order of first appearance.

    Unlike `torch.unique`, it does not sort. Strings are equal if their bytes are equal.

    Args:
        input: strings `[*S]`.

    Returns:
        unique: strings `[U]`, the distinct strings, compact.
        inverse: int64 `[*S]`, the position in `unique` of each string of `input`.
        counts: int64 `[U]`, the number of occurrences of each distinct string.

    Raises:
        ValueError: overlapping distinct strings exceed 2**31 - 1 bytes in total.

    See also: `StringTensor.unique`, which sorts.

    Example:
        >>> words = StringTensor.from_list(["to", "be", "or", "not", "to", "be"])
        >>> unique, inverse, counts = string_unique(words)
        >>> unique.tolist(), inverse.tolist(), counts.tolist()
        (['to', 'be', 'or', 'not'], [0, 1, 2, 3, 0, 1], [2, 2, 1, 1])
    """
    input = strings_argument("string_unique", "input", input)
    return ops._string_unique(input)
