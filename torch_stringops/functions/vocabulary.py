"""Words and their numbers."""

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops.ops import vocabulary as ops
from torch_stringops.string_tensor import StringTensor


def vocab_build(input: StringTensor) -> Tensor:
    """Build the table with which `vocab_encode` looks words up.

    `Vocabulary` does this by itself. The table depends on nothing but the words. It is fit to be a buffer of
    a module, less to be kept on disk: another version may have another layout (`vocab_encode` then says so),
    and building it takes less time than reading it. An exported model contains it. Words in order of
    frequency, the most frequent first, make lookups fastest.

    Args:
        input: distinct strings `[V]`; the number of a word is its position.

    Returns:
        uint8 `[T]`, opaque: about 32 bytes a word, and the words longer than 11 bytes.

    Raises:
        ValueError: two strings are equal; the error names both positions.

    Example:
        >>> from torch_stringops import vocab_encode
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> vocab_encode(StringTensor.from_list(["be", "or"]), table).tolist()
        [1, -1]
    """
    return ops.vocab_build(strings_argument("vocab_build", "input", input))


def vocab_encode(
    input: StringTensor, table: Tensor, *, unknown_id: int = -1, num_oov_buckets: int = 0
) -> Tensor:
    """Look each string up in a vocabulary.

    Args:
        input: strings `[*S]`.
        table: uint8 `[T]`, from `vocab_build`, of a vocabulary of V words.
        unknown_id: what a string gets that is not in the vocabulary.
        num_oov_buckets: where positive, such a string gets `V + XXH3(string) % num_oov_buckets` instead. XXH3
            is the 64-bit one with seed 0, over the string's bytes: equal on every machine and in every
            version.

    Returns:
        int64 `[*S]`.

    Raises:
        ValueError: `table` is not a table, or `num_oov_buckets` is not within [0, 2**62].

    See also: Vocabulary, which keeps the words and the table together.

    Example:
        >>> from torch_stringops import vocab_build
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> vocab_encode(StringTensor.from_list([["to", "be"], ["or", "not"]]), table, unknown_id=9).tolist()
        [[0, 1], [9, 9]]
    """
    input = strings_argument("vocab_encode", "input", input)
    check_tensor("vocab_encode", "table", table)
    return ops.vocab_encode(input, table, unknown_id=unknown_id, num_oov_buckets=num_oov_buckets)


def string_unique(input: StringTensor) -> tuple[StringTensor, Tensor, Tensor]:
    """Find the distinct strings, in order of first appearance.

    Unlike `torch.unique` it does not sort. Strings are equal when their bytes are.

    Args:
        input: strings `[*S]`.

    Returns:
        unique: strings `[U]`, each distinct string once, compact.
        inverse: int64 `[*S]`, where each string of `input` is in `unique`.
        counts: int64 `[U]`, how often each occurs.

    Raises:
        ValueError: the distinct strings take more than 2**31 - 1 bytes, which only overlapping ones can.

    Example:
        >>> words = StringTensor.from_list(["to", "be", "or", "not", "to", "be"])
        >>> unique, inverse, counts = string_unique(words)
        >>> unique.tolist(), inverse.tolist(), counts.tolist()
        (['to', 'be', 'or', 'not'], [0, 1, 2, 3, 0, 1], [2, 2, 1, 1])
    """
    input = strings_argument("string_unique", "input", input)
    return ops.string_unique(input)
