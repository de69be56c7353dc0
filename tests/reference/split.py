"""Oracles of string_split and string_split_ragged, following ONNX StringSplit-20 in the modes of its reference and of
onnxruntime, and of split_encode: the oracle of string_lower if asked for, of string_split_ragged, then of vocab_encode.

They work on bytes without decoding, as strings need not be valid UTF-8.
"""

from typing import Any

from reference.case import string_lower_ref
from reference.nested import flat, mapped
from reference.vocabulary import vocab_encode_ref

# "If left unset or set to the empty string, the input is split on consecutive whitespace": Python's, in UTF-8.
WHITESPACE = [chr(c).encode() for c in range(0x110000) if not 0xD800 <= c < 0xE000 and chr(c).isspace()]


def _separator(text: bytes, at: int, separators: list[bytes]) -> int:
    return next((len(s) for s in separators if text.startswith(s, at)), 0)


def _words(text: bytes, maxsplit: int, compat: str) -> list[bytes]:
    separators = [b" "] if compat == "onnxruntime" else WHITESPACE
    words: list[bytes] = []
    at = 0
    while True:
        while length := _separator(text, at, separators):
            at += length
        if at == len(text):
            return words
        if len(words) == maxsplit:
            rest = text[at:]
            return [*words, rest.rstrip(b" ") if compat == "onnxruntime" else rest]
        begin = at
        while at < len(text) and not _separator(text, at, separators):
            at += 1
        words.append(text[begin:at])


def split_one(text: bytes, delimiter: str | bytes, maxsplit: int, compat: str, skip_empty: bool = False) -> list[bytes]:
    pieces = _pieces(text, delimiter, maxsplit, compat)
    return [piece for piece in pieces if piece] if skip_empty else pieces


def _pieces(text: bytes, delimiter: str | bytes, maxsplit: int, compat: str) -> list[bytes]:
    delimiter = delimiter.encode() if isinstance(delimiter, str) else delimiter
    if not delimiter:
        return _words(text, maxsplit, compat)
    if not text and compat == "onnxruntime":
        return []
    return text.split(delimiter, maxsplit if maxsplit >= 0 else -1)


def string_split_ref(
    strings: Any,
    delimiter: str | bytes = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[Any, Any]:
    def pieces(text: bytes) -> list[bytes]:
        return split_one(text, delimiter, maxsplit, compat, skip_empty)

    width = max((len(pieces(s)) for s in flat(strings)), default=0)

    def padded(text: bytes) -> list[bytes]:
        return pieces(text) + [b""] * (width - len(pieces(text)))

    return mapped(padded, strings), mapped(lambda s: len(pieces(s)), strings)


def string_split_ragged_ref(
    strings: Any,
    delimiter: str | bytes = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[list[bytes], list[int]]:
    pieces: list[bytes] = []
    row_splits = [0]
    for text in flat(strings):
        pieces += split_one(text, delimiter, maxsplit, compat, skip_empty)
        row_splits.append(len(pieces))
    return pieces, row_splits


def split_encode_ref(
    strings: Any,
    table: Any,
    delimiter: str | bytes = "",
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
    skip_empty: bool = False,
    lower: bool = False,
) -> tuple[list[int], list[int]]:
    if lower:
        strings = [string_lower_ref(text) for text in flat(strings)]
    pieces, row_splits = string_split_ragged_ref(strings, delimiter, skip_empty=skip_empty)
    (ids,) = vocab_encode_ref(pieces, table, unknown_id, num_oov_buckets)
    return ids, row_splits


def string_rsplit_ragged_ref(string: bytes, delimiter: str | bytes = "", maxsplit: int = -1) -> list[bytes]:
    """The pieces of one string."""
    delimiter = delimiter.encode() if isinstance(delimiter, str) else delimiter
    limit = maxsplit if 0 <= maxsplit < 2**62 else -1
    if delimiter:
        return string.rsplit(delimiter, limit)
    # Each invalid byte is a character, which is no whitespace.
    words = string.decode(errors="surrogateescape").rsplit(None, limit)
    return [word.encode(errors="surrogateescape") for word in words]


def string_splitlines_ragged_ref(string: bytes, keepends: bool = False) -> list[bytes]:
    lines = string.decode(errors="surrogateescape").splitlines(keepends)
    return [line.encode(errors="surrogateescape") for line in lines]
