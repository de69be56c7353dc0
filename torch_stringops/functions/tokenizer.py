"""Strings cut into tokens by regular expressions."""

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops.ops import tokenizer as ops
from torch_stringops.string_tensor import StringTensor


def tokenizer(
    input: StringTensor,
    *,
    mark: bool = False,
    mincharnum: int = 1,
    pad_value: str = "",
    separators: Sequence[str] | None = None,
    tokenexp: str | None = None,
) -> StringTensor:
    r"""Cut each string into tokens, and pad the rows of tokens to one width.

    Either what stands between tokens is given (`separators`), or what a token is (`tokenexp`). Regular expressions are
    RE2's, with Perl's classes, in UTF-8; among matches that begin at one place the longest counts. Separators apply one
    after the other, each to the pieces that the one before left; anchors see the piece. `separators=[""]` and
    `tokenexp="."` make each code point a token. Sets of characters (`[a-z0-9_]+`, `\w+`, `[ ,;]`, `\s+`) and literal
    texts run on the CPU's vector instructions, without the engine.

    Spec: com.microsoft Tokenizer-1, with onnxruntime's outputs. An empty match of a separator takes the code point
    after it along, as there. `\C` is refused.

    Args:
        input: strings `[C]` or `[N, C]`, valid UTF-8.
        mark: put "\x02" before and "\x03" after the tokens of each string.
        mincharnum: fewest code points of a token; shorter ones are dropped.
        pad_value: what missing tokens are; it comes after the end marker.
        separators: regular expressions for what separates tokens.
        tokenexp: a regular expression for tokens.

    Returns:
        Strings `[C, D]` or `[N, C, D]`, compact; D, the most tokens of any string (and 2 for the markers), depends on
        the data. Without any token D is 0. Without any string the shape is `[0]`, `[N, 0]` or, for `[0, C]`, `[0, 0]`;
        in a program that was exported for batches of every size, whose ranks cannot depend on them, it is `[0, D]`,
        `[N, 0, D]` or `[0, C, D]`.

    Raises:
        ValueError: neither or both of `separators` and `tokenexp` are given, or one is empty; `mincharnum` is below 1,
            or not 1 where each code point is a token; a regular expression does not compile (the message quotes the
            fragment at fault); a string is not UTF-8 (the message gives its place); the padded result is too large;
            the patterns take too long, a second and 2 us a byte: one looks ahead without end for each token, as
            `a.*b|a` does, or counts so far that no automaton serves, as `.*a.{900}` does (cut the text into shorter
            strings, or use a pattern that knows its end sooner).

    See also: `tokenizer_ragged`, which does not pad; `string_split`.

    Example:
        >>> s = StringTensor.from_list(["Hello World!", "I love torch"])
        >>> tokenizer(s, separators=[" "], pad_value="#").tolist()
        [['Hello', 'World!', '#'], ['I', 'love', 'torch']]
        >>> tokenizer(s, tokenexp="[a-zA-Z]+", mincharnum=5).tolist()
        [['Hello', 'World'], ['torch', '']]
    """
    input = strings_argument("tokenizer", "input", input)
    return ops.tokenizer(
        input,
        mark=mark,
        mincharnum=mincharnum,
        pad_value=pad_value,
        separators=separators,
        tokenexp=tokenexp,
    )


def tokenizer_ragged(
    input: StringTensor,
    *,
    mark: bool = False,
    mincharnum: int = 1,
    separators: Sequence[str] | None = None,
    tokenexp: str | None = None,
) -> tuple[StringTensor, Tensor]:
    r"""Cut each string into tokens; the tokens of all strings stand one after the other.

    The same tokens as `tokenizer`'s, without padding: faster.

    Spec: com.microsoft Tokenizer-1, as `tokenizer`.

    Args:
        input: strings `[C]` or `[N, C]`, valid UTF-8, taken in row-major order.
        mark: put "\x02" before and "\x03" after the tokens of each string (unless no string has a token).
        mincharnum: fewest code points of a token; shorter ones are dropped.
        separators: regular expressions for what separates tokens.
        tokenexp: a regular expression for tokens.

    Returns:
        tokens: strings `[T]`, compact; T depends on the data.
        row_splits: int64 `[num_strings + 1]`, in elements: string i has the tokens
            `[row_splits[i], row_splits[i + 1])`.

    Raises:
        ValueError: as `tokenizer`.

    See also: `tokenizer`, `string_split_ragged`, `ragged_to_dense`.

    Example:
        >>> tokens, row_splits = tokenizer_ragged(StringTensor.from_list(["x = y+1", "", "z"]), tokenexp=r"\w+|\+")
        >>> tokens.tolist(), row_splits.tolist()
        (['x', 'y', '+', '1', 'z'], [0, 4, 4, 5])
    """
    input = strings_argument("tokenizer_ragged", "input", input)
    return ops.tokenizer_ragged(
        input, mark=mark, mincharnum=mincharnum, separators=separators, tokenexp=tokenexp
    )
