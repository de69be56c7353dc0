"""All code points, and those on which Python's `str` agrees with the tables, if its Unicode version is another."""

import json
import unicodedata
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

import torch_stringops

CODEPOINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]

# Checksums of results for all code points, as the Python gave them that has the tables' version.
RECORDED = json.loads((Path(__file__).parents[1] / "golden" / "unicode.json").read_text(encoding="utf-8"))["checksums"]


def codepoint_strings(before: str = "", after: str = "") -> tuple[Tensor, Tensor]:
    """A string for each code point: `before`, it, `after`. Data and offsets."""
    data = "".join(f"{before}{c}{after}" for c in CODEPOINTS).encode()
    numbers = np.array([*range(0xD800), *range(0xE000, 0x110000)])
    sizes = 1 + (numbers >= 0x80) + (numbers >= 0x800) + (numbers >= 0x10000) + len((before + after).encode())
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return torch.frombuffer(bytearray(data), dtype=torch.uint8), torch.from_numpy(offsets)


def checksum(data: Tensor) -> int:
    return zlib.crc32(data.numpy().tobytes())


PYTHONS, OURS = (
    tuple(map(int, version.split("."))) for version in (unicodedata.unidata_version, torch_stringops.unicode_version())
)


# Letters of Unicode 3.2 that got an upper case in Unicode 16.
NEW_UPPER = "\u019b\u0264"


def agrees_with_python(c: str) -> bool:
    """Whether classes and case of `c` are the same in both versions.

    They are for a code point that is assigned in both. Two changes are known: modifier letters became lower case in
    Unicode 15, and a few marks changed category in Unicode 14. If Python is newer, what is assigned in the tables'
    version is not known; Python knows what Unicode 3.2 had.
    """
    if PYTHONS == OURS:
        return True
    if PYTHONS > OURS:
        old, new = unicodedata.ucd_3_2_0.category(c), unicodedata.category(c)
        return old not in ("Cn", "Lm", "Co") and new != "Lm" and c not in NEW_UPPER
    changed = ["Cn"] + ["Lm"] * (PYTHONS < (15,)) + ["Mc", "Mn"] * (PYTHONS < (14,))
    return unicodedata.category(c) not in changed
