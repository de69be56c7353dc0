"""Oracles of tokenizer and tokenizer_ragged, following com.microsoft Tokenizer-1 as implemented by onnxruntime; and of
tokenize_encode: the oracle of string_lower if asked for, of tokenizer_ragged, then of vocab_encode.

On code points: every string must be UTF-8, and "all lengths (mincharnum) are counted in code points".
"""

from itertools import accumulate
from typing import Any

from reference.case import string_lower_ref
from reference.nested import flat, mapped
from reference.regex import search
from reference.vocabulary import vocab_encode_ref

START, END = b"\x02", b"\x03"


def separate(text: str, separator: str, mincharnum: int) -> list[str]:
    """Applies one separator to one piece; anchors and word boundaries see only the piece."""
    pieces: list[str] = []
    at = 0
    while at <= len(text):
        found = search(separator, text, at)
        piece = text[at : found[0] if found else len(text)]
        if len(piece) >= mincharnum:  # short pieces are discarded at every stage, empty ones always
            pieces.append(piece)
        if found is None:
            break
        begin, end = found
        # As in onnxruntime, an empty match also removes the next code point.
        at = end if end > begin else begin + 1
    return pieces


def by_separators(text: str, separators: list[str], mincharnum: int) -> list[str]:
    """ "Separators are applied one after the other, in list order, each to the current list of pieces." """
    pieces = [text]
    for separator in separators:
        pieces = [p for piece in pieces for p in separate(piece, separator, mincharnum)]
    return pieces


def by_expression(text: str, tokenexp: str, mincharnum: int) -> list[str]:
    tokens: list[str] = []
    at = 0
    while at <= len(text) and (found := search(tokenexp, text, at)) is not None:
        begin, end = found
        if end - begin >= mincharnum:
            tokens.append(text[begin:end])
            at = end
        else:  # "too short or empty: NOT e, so a later overlapping match can still win"
            at = begin + 1
    return tokens


def tokens_of(string: bytes, mincharnum: int, separators: list[str] | None, tokenexp: str | None) -> list[bytes]:
    text = string.decode()
    if separators == [""] or tokenexp == ".":  # character mode; newlines too, unlike the expression "(.)"
        tokens = list(text)
    elif separators is not None:
        tokens = by_separators(text, separators, mincharnum)
    else:
        assert tokenexp is not None
        tokens = by_expression(text, tokenexp, mincharnum)
    return [token.encode() for token in tokens]


def rows_of(
    strings: list[bytes], mark: bool, mincharnum: int, separators: list[str] | None, tokenexp: str | None
) -> list[list[bytes]]:
    """The tokens of each string with markers. "T == 0: ... [0], EVEN IF mark is set": then no row has markers."""
    rows = [tokens_of(s, mincharnum, separators, tokenexp) for s in strings]
    return [[START, *row, END] for row in rows] if mark and any(rows) else rows


def tokenizer_ref(
    strings: Any,
    *,
    mark: bool,
    mincharnum: int,
    pad_value: str,
    separators: list[str] | None = None,
    tokenexp: str | None = None,
) -> tuple[Any]:
    rows = rows_of(flat(strings), mark, mincharnum, separators, tokenexp)
    width = max(map(len, rows), default=0)  # "padding is global over the whole tensor", "on the right only"
    padded = iter([row + [pad_value.encode()] * (width - len(row)) for row in rows])
    return (mapped(lambda _: next(padded), strings),)


def tokenizer_ragged_ref(
    strings: Any, *, mark: bool, mincharnum: int, separators: list[str] | None = None, tokenexp: str | None = None
) -> tuple[list[bytes], list[int]]:
    rows = rows_of(flat(strings), mark, mincharnum, separators, tokenexp)
    return [token for row in rows for token in row], list(accumulate(map(len, rows), initial=0))


def tokenize_encode_ref(
    strings: Any,
    table: Any,
    *,
    mincharnum: int = 1,
    separators: list[str] | None = None,
    tokenexp: str | None = None,
    lower: bool = False,
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
) -> tuple[list[int], list[int]]:
    text = [string_lower_ref(s) for s in flat(strings)] if lower else flat(strings)
    tokens, row_splits = tokenizer_ragged_ref(
        text, mark=False, mincharnum=mincharnum, separators=separators, tokenexp=tokenexp
    )
    (ids,) = vocab_encode_ref(tokens, table, unknown_id, num_oov_buckets)
    return ids, row_splits
