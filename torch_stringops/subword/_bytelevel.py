"""The alphabet of byte-level tokenizers: 256 visible characters, one for each byte, as in GPT-2."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

_VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in set(_VISIBLE)]

# Character -> byte, as tables of str.translate. Other bytes get characters from U+0100 on, in their order.
_BYTES = {byte: byte for byte in _VISIBLE} | {256 + i: byte for i, byte in enumerate(_OTHERS)}
_CHARACTERS = {byte: character for character, byte in _BYTES.items()}


def from_alphabet(token: str) -> bytes | None:
    """The bytes of a token in the alphabet, or None if it has other characters."""
    if not all(ord(character) in _BYTES for character in set(token)):
        return None
    return token.translate(_BYTES).encode("latin-1")


def all_from_alphabet(tokens: Sequence[str]) -> Sequence[bytes | None]:
    """`from_alphabet` of each token."""
    joined = "".join(tokens)
    if not all(ord(character) in _BYTES for character in set(joined)):
        return [from_alphabet(token) for token in tokens]
    data = joined.translate(_BYTES).encode("latin-1")
    ends = list(accumulate(map(len, tokens)))
    return [data[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def to_alphabet(piece: bytes) -> str:
    """The token of these bytes."""
    return piece.decode("latin-1").translate(_CHARACTERS)
