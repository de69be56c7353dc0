"""Splitting strings into tokens with regular expressions."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.ops import tokenizer as ops
from torch_stringops.string_tensor import StringTensor


@named
def tokenizer(
    input: StringsLike,
    *,
    mark: bool = False,
    mincharnum: int = 1,
    pad_value: str = "",
    separators: Sequence[str] | None = None,
    tokenexp: str | None = None,
) -> StringTensor:
    r"""Splits each string into tokens with regular expressions, and pads the rows of tokens to the same width.

    `separators` match the text between tokens; `tokenexp` matches the tokens. Exactly one of them must be given.
    Regular expressions have the syntax of `regex_contains`; of the matches that begin at a position, the longest is
    taken. Separators are applied one after the other, each to the pieces that the previous one
    left; anchors match at the ends of a piece. `separators=[""]` and `tokenexp="."` make each code point a token.
    Character classes (`[a-z0-9_]+`, `\w+`, `[ ,;]`, `\s+`) and literals use SIMD instructions instead of the regular
    expression engine.

    Spec: com.microsoft Tokenizer-1, with the outputs of onnxruntime. As in onnxruntime, an empty match of a separator
    also consumes the code point after it. `\C` is not supported.

    Args:
        input: strings `[C]` or `[N, C]`, valid UTF-8.
        mark: insert "\x02" before and "\x03" after the tokens of each string (unless no string has a token).
        mincharnum: minimum number of code points per token; shorter tokens are dropped. As in onnxruntime, the search
            goes on after the first code point of a shorter match: `tokenexp="ab|bcd"` finds "bcd" in "abcd" with 3.
        pad_value: the padding, after the end marker.
        separators: regular expressions of the separators.
        tokenexp: regular expression of the tokens.

    Returns:
        Strings `[C, D]` or `[N, C, D]`, compact. D is the maximum number of tokens per string (plus 2 for the markers),
        which depends on the data; 0 if there are no tokens. If there are no strings, the shape is `[0]`, `[N, 0]` or,
        for `[0, C]`, `[0, 0]`. In a program that was exported for batches of every size, where the rank cannot depend
        on the size, it is `[0, D]`, `[N, 0, D]` or `[0, C, D]`.

    Raises:
        ValueError: neither or both of `separators` and `tokenexp` are given, or one is empty; `mincharnum` is less than
            1, or not 1 if each code point is a token; a regular expression does not compile (the message names the
            fault and its position), or is too large, such as 300 times `[ab]{1000}`; a string is not UTF-8 (the message
            gives its position); the padded result is too large.

    See also: `tokenizer_ragged`, which does not pad; `string_split`.

    Example:
        >>> s = StringTensor.from_list(["Hello World!", "I love torch"])
        >>> tokenizer(s, separators=[" "], pad_value="#").tolist()
        [['Hello', 'World!', '#'], ['I', 'love', 'torch']]
        >>> tokenizer(s, tokenexp="[a-zA-Z]+", mincharnum=5).tolist()
        [['Hello', 'World'], ['torch', '']]
    """
    input = strings_argument("tokenizer", "input", input)
    return ops._tokenizer(
        input,
        mark=mark,
        mincharnum=mincharnum,
        pad_value=pad_value,
        separators=separators,
        tokenexp=tokenexp,
    )


@named
def tokenizer_ragged(
    input: StringsLike,
    *,
    mark: bool = False,
    mincharnum: int = 1,
    separators: Sequence[str] | None = None,
    tokenexp: str | None = None,
) -> tuple[StringTensor, Tensor]:
    r"""Splits each string into tokens with regular expressions, and returns the tokens as ragged rows.

    The tokens are those of `tokenizer`, without padding, which is faster.

    Spec: com.microsoft Tokenizer-1, as `tokenizer`.

    Args:
        input: strings `[*S]`, valid UTF-8; N is their number, and they are taken in row-major order.
        mark: insert "\x02" before and "\x03" after the tokens of each string (unless no string has a token).
        mincharnum: minimum number of code points per token; shorter tokens are dropped. As in onnxruntime, the search
            goes on after the first code point of a shorter match: `tokenexp="ab|bcd"` finds "bcd" in "abcd" with 3.
        separators: regular expressions of the separators.
        tokenexp: regular expression of the tokens.

    Returns:
        tokens: strings `[T]`, compact; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements: the tokens of string i are
            `tokens[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        ValueError: as `tokenizer`.

    See also: `tokenizer`, `string_split_ragged`, `ragged_to_dense`.

    Example:
        >>> tokens, row_splits = tokenizer_ragged(StringTensor.from_list(["x = y+1", "", "z"]), tokenexp=r"\w+|\+")
        >>> tokens.tolist(), row_splits.tolist()
        (['x', 'y', '+', '1', 'z'], [0, 4, 4, 5])
    """
    input = strings_argument("tokenizer_ragged", "input", input)
    return ops._tokenizer_ragged(input, mark=mark, mincharnum=mincharnum, separators=separators, tokenexp=tokenexp)


@named
def tokenize_encode(
    input: StringsLike,
    table: Tensor,
    *,
    mincharnum: int = 1,
    separators: Sequence[str] | None = None,
    tokenexp: str | None = None,
    lower: bool = False,
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
) -> tuple[Tensor, Tensor]:
    r"""Splits each string into tokens with regular expressions, and returns their vocabulary ids as ragged rows.

    Equivalent to `tokenizer_ragged` followed by `vocab_encode`, with `string_lower` in front if `lower` is set, but
    does not allocate memory for the tokens.

    Args:
        input: strings `[*S]`, valid UTF-8; N is their number, and they are taken in row-major order.
        table: uint8 `[L]`, from `vocab_build`, of a vocabulary of V words.
        mincharnum: minimum number of code points per token; shorter tokens are dropped. As in onnxruntime, the search
            goes on after the first code point of a shorter match: `tokenexp="ab|bcd"` finds "bcd" in "abcd" with 3.
        separators: regular expressions of the separators, as in `tokenizer`.
        tokenexp: regular expression of the tokens, as in `tokenizer`.
        lower: convert the strings to lower case first, as `string_lower` does. The patterns then match lower-cased
            text, and lengths in code points and positions in errors are those of the lower-cased text.
        unknown_id: the id of tokens that are not in the vocabulary.
        num_oov_buckets: if positive, such a token gets an id in `[V, V + num_oov_buckets)` instead, as in
            `vocab_encode`.

    Returns:
        ids: int64 `[T]`; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements: the ids of string i are `ids[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        ValueError: as `tokenizer`; or `table` is not a table of `vocab_build`, or `num_oov_buckets` is not within
            [0, 2**62].

    See also: `Vocabulary.tokenize_encode`, which holds the table; `tokenizer_ragged`, `split_encode`.

    Example:
        >>> from torch_stringops import vocab_build
        >>> table = vocab_build(StringTensor.from_list(["to", "be", "!"]))
        >>> s = StringTensor.from_list(["To be!", "Or not to be"])
        >>> ids, row_splits = tokenize_encode(s, table, tokenexp=r"\w+|[^\w\s]", lower=True)
        >>> ids.tolist(), row_splits.tolist()
        ([0, 1, 2, -1, -1, 0, 1], [0, 3, 7])
    """
    input = strings_argument("tokenize_encode", "input", input)
    check_tensor("tokenize_encode", "table", table)
    return ops._tokenize_encode(
        input,
        table,
        mincharnum=mincharnum,
        separators=separators,
        tokenexp=tokenexp,
        lower=lower,
        unknown_id=unknown_id,
        num_oov_buckets=num_oov_buckets,
    )
