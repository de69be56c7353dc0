"""Reads messages of protocol buffers: the fields of a message, without their names and types."""

from __future__ import annotations

from collections.abc import Iterator

# The kinds of fields.
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def fields(op: str, message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and the value of each field: an int, or the bytes of a string, message or fixed number.

    Raises:
        ValueError: the bytes are not a message.
    """
    at = 0
    while at < len(message):
        key, at = (message[at], at + 1) if message[at] < 0x80 else _varint(op, message, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(op, message, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _varint(op, message, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"{op}: expected a model of SentencePiece, got a field of kind {kind} in it")
        if size > len(message) - at:
            raise ValueError(f"{op}: expected a model of SentencePiece, got one that is cut off")
        yield number, message[at : at + size]
        at += size


def _varint(op: str, message: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError(f"{op}: expected a model of SentencePiece, got a number in it that is cut off or too long")
