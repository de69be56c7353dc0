"""The rules of SentencePiece's "precompiled charsmap", and Hugging Face's normalizer of that name, in plain Python."""

import struct
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

# Characters that stay with the next one, and spacing marks that do not stay with the one before.
PREPENDED = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
NOT_SPACING = (
    "\u102b\u102c\u1038\u1062\u1063\u1064\u1067\u1068\u1069\u106a\u106b\u106c\u106d\u1083\u1087\u1088\u1089\u108a"
    "\u108b\u108c\u108f\u109a\u109b\u109c\u1a61\u1a63\u1a64\uaa7b\uaa7d"
)
EXTENDING = "\u200c\u200d\uff9e\uff9f\u0e33\u0eb3"


class Charsmap:
    """A double-array trie of bytes, whose values are positions in texts that end with zero bytes."""

    def __init__(self, blob: bytes) -> None:
        size = int.from_bytes(blob[:4], "little") if len(blob) >= 4 else 0
        self.units = struct.unpack(f"<{size // 4}I", blob[4 : 4 + size // 4 * 4])
        self.texts = blob[4 + size // 4 * 4 :]

    def rules(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """The size of each prefix that has a rule, and what replaces it."""

        def offset(unit: int) -> int:
            return (unit >> 10) << ((unit & 0x200) >> 6)

        if not self.units:
            return
        at = offset(self.units[0])
        for size, byte in enumerate(text, 1):
            at ^= byte
            if at >= len(self.units) or self.units[at] & 0x800000FF != byte:
                return
            unit = self.units[at]
            at ^= offset(unit)
            if unit >> 8 & 1:
                value = self.units[at] & 0x7FFFFFFF
                yield size, self.texts[value : self.texts.index(b"\0", value)]

    def longest(self, text: bytes) -> tuple[int, bytes] | None:
        return max(self.rules(text), default=None)

    def shortest(self, text: str) -> str | None:
        raw = text.encode(errors="surrogateescape").split(b"\0")[0]
        return next((by.decode() for _, by in self.rules(raw)), None)


def is_control(c: str) -> bool:
    tags = "\U000e0020" <= c <= "\U000e007f"
    return unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cf") and c not in PREPENDED + EXTENDING and not tags


def joins(text: str, at: int) -> bool:
    """Whether a character belongs to the grapheme cluster of the one before; right for those below six bytes."""
    before, c = text[at - 1], text[at]
    if is_control(before) or is_control(c):
        return before + c == "\r\n"
    if c in EXTENDING or unicodedata.category(c) in ("Mn", "Me", "Mc"):
        return c not in NOT_SPACING
    return before in PREPENDED


def precompiled(text: list[tuple[str, tuple[int, int]]], charsmap: Charsmap) -> list[tuple[str, tuple[int, int]]]:
    """Characters, and the bytes of the string that each stands for."""
    string = "".join(c for c, _ in text)
    # Each with a number: 0, it takes the next character of the text; 1, it takes none; -n, it takes n more.
    found: list[list] = []
    changed = False

    def replace(part: str, by: str) -> None:
        nonlocal changed
        changed = True
        found.extend([c, int(i >= len(part))] for i, c in enumerate(by))
        if len(by) < len(part) and found:
            found[-1][1] -= len(part) - len(by)

    starts = [at for at in range(len(string)) if at == 0 or not joins(string, at)]
    for begin, end in pairwise([*starts, len(string)]):
        cluster = string[begin:end]
        whole = charsmap.shortest(cluster) if len(cluster.encode(errors="surrogateescape")) < 6 else None
        if whole is not None:
            replace(cluster, whole)
            continue
        for c in cluster:
            by = charsmap.shortest(c)
            if by is None:
                found.append([c, 0])
            else:
                replace(c, by)
    if not changed:
        return text
    placed, at = [], 0
    for c, change in found:
        placed.append((c, text[max(at - 1, 0) if change > 0 else at][1]))
        at += 0 if change > 0 else 1 - change
    return placed
