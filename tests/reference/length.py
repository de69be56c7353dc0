"""The oracles of string_length and string_width, on one string.

The width follows wcwidth's `wcswidth`, with the ranges of code points of its release 0.2.13, as recorded.
"""

import json
from pathlib import Path

_GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "width.json").read_text(encoding="utf-8"))
ZERO, WIDE, EMOJI = (
    {c for part in _GOLDEN[name].split() for a, b in [part.split("-")] for c in range(int(a, 16), int(b, 16) + 1)}
    for name in ("zero", "wide", "emoji")
)


def string_length_ref(string: bytes, unit: str = "codepoint") -> int:
    return len(string if unit == "byte" else string.decode(errors="surrogateescape"))


def string_width_ref(string: bytes) -> int:
    codes = iter(map(ord, string.decode(errors="surrogateescape")))
    width = 0
    last = 0  # the last character that takes a column
    for code in codes:
        if 0 < code < 0x20 or 0x7F <= code < 0xA0:
            return -1
        if code == 0x200D:
            next(codes, None)
        elif code == 0xFE0F:
            width += last in EMOJI
            last = 0
        elif code not in ZERO:
            width += 1 + (code in WIDE)
            last = code
    return width
