"""The number of tokens of a corpus."""

from __future__ import annotations

from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.pretrain.token_plan import pieces
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword.tokenizer import SubwordTokenizer


@named
def count_tokens(
    column: StringColumn | StringsLike,
    tokenizer: SubwordTokenizer,
    *,
    threads: int = 0,
    progress: bool = False,
) -> int:
    r"""Returns the number of tokens of all strings, without those that the tokenizer's template adds.

    The number is that of `write_tokens` with `add_eos=False`. Counting takes about as long, but no ids are
    kept.

    Args:
        column: strings `[N]`: a column, or strings in any form that StringColumn accepts as a chunk.
        tokenizer: the SubwordTokenizer that encodes the strings.
        threads: the number of threads that call the tokenizer at the same time. Default: 0, the calling
            thread does; it encodes on torch's threads.
        progress: show progress on standard error.

    Raises:
        TypeError, ValueError: an argument is not as above.

    Example:
        >>> from torch_stringops import SubwordTokenizer
        >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256}
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\S+|\s+")
        >>> count_tokens(["to be", "or", ""], tokenizer)
        6
    """
    if not isinstance(tokenizer, SubwordTokenizer):
        raise TypeError(f"count_tokens: expected `tokenizer` to be a SubwordTokenizer, got {type(tokenizer).__name__}")
    rows = column if isinstance(column, StringColumn) else StringColumn([column])

    def counted(strings: StringTensor) -> int:
        return sum(int(tokenizer.encode(piece)[1][-1]) for piece in pieces(strings))

    return sum(rows._applied(counted, "count", threads, progress))
