"""The alphabet of byte-level tokenizers: 256 visible characters, one for each byte, as in GPT-2."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops.functions.joining import cat
from torch_stringops.string_tensor import StringTensor

_VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in set(_VISIBLE)]

# Character -> byte, as tables of str.translate. Other bytes get characters from U+0100 on, in their order.
_BYTES = {byte: byte for byte in _VISIBLE} | {256 + i: byte for i, byte in enumerate(_OTHERS)}
# The byte of each code point, or 256.
_BYTE_OF = torch.tensor([_BYTES.get(code, 256) for code in range(258 + len(_OTHERS))], dtype=torch.int16, device="cpu")
_CHARACTERS = {byte: character for character, byte in _BYTES.items()}


def from_alphabet(token: str) -> bytes | None:
    """The bytes of a token in the alphabet, or None if it has other characters."""
    if not all(ord(character) in _BYTES for character in set(token)):
        return None
    return token.translate(_BYTES).encode("latin-1")


def all_from_alphabet(tokens: StringTensor) -> tuple[StringTensor, Tensor]:
    """The bytes of tokens `[N]` in the alphabet, empty of those with other characters; and which these are."""
    codepoints, row_splits = tokens.codepoints()
    found = _BYTE_OF[codepoints.clamp(max=len(_BYTE_OF) - 1)]
    pieces = StringTensor(found.to(torch.uint8), row_splits.int())
    if not bool((found == 256).any()):
        return pieces, torch.zeros(len(tokens), dtype=torch.bool, device="cpu")
    counts = torch.cat([row_splits.new_zeros(1), (found == 256).cumsum(0)])
    has_others = counts[row_splits[1:]] > counts[row_splits[:-1]]
    places = torch.arange(len(tokens), device="cpu").where(~has_others, -1)
    return cat([pieces, [""]])[places], has_others


def to_alphabet(piece: bytes) -> str:
    """The token of these bytes."""
    return piece.decode("latin-1").translate(_CHARACTERS)
