"""Oracle of WordPiece: the rules of BertNormalizer, BertPreTokenizer and WordPiece in plain Python.

Its Unicode tables are those of this Python, so it serves for characters on which they agree with those of `tokenizers`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Literal

SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
CHINESE = [
    range(0x4E00, 0xA000), range(0x3400, 0x4DC0), range(0xF900, 0xFB00), range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B820), range(0x2B920, 0x2CEB0), range(0x2F800, 0x2FA20),
]  # fmt: skip
CLEANUPS = [
    *((f" {mark}", mark) for mark in ".?!,"), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"), (" do not", " don't"),
    (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
]  # fmt: skip


def is_punctuation(c: str) -> bool:
    return unicodedata.category(c)[0] == "P" or (c.isascii() and c.isprintable() and not c.isalnum() and c != " ")


def cleaned(characters: list[Any]) -> Iterator[Any]:
    """Characters are pairs of a character and the bytes that it stands for."""
    for c, source in characters:
        dropped = c in "\0\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co")
        if c in "\t\n\r" or (c in SPACE and not dropped):
            yield " ", source
        elif not dropped:
            yield c, source


def split_chinese(characters: list[Any]) -> Iterator[Any]:
    for c, source in characters:
        if any(ord(c) in block for block in CHINESE):
            yield from [(" ", source), (c, source), (" ", source)]
        else:
            yield c, source


def decomposed(characters: list[Any], form: Literal["NFD", "NFKD"] = "NFD") -> list[Any]:
    """NFD or NFKD. Marks are ordered, but not the bytes that the first parts of characters stand for."""
    parts = [
        (part, i == 0, source) for c, source in characters for i, part in enumerate(unicodedata.normalize(form, c))
    ]
    found: list[Any] = []
    at = 0
    while at < len(parts):
        end = at
        while end < len(parts) and unicodedata.combining(parts[end][0]):
            end += 1
        end = max(end, at + 1)
        sources = iter([source for _, first, source in parts[at:end] if first])
        for part, first, _ in sorted(parts[at:end], key=lambda item: unicodedata.combining(item[0])):
            found.append((part, next(sources) if first else found[-1][1]))
        at = end
    return found


def bert_normalized(characters: list[Any], steps: tuple[bool, ...]) -> list[Any]:
    clean, chinese, accents, lower = steps
    if clean:
        characters = list(cleaned(characters))
    if chinese:
        characters = list(split_chinese(characters))
    if accents:
        characters = [item for item in decomposed(characters) if unicodedata.category(item[0]) != "Mn"]
    if lower:
        characters = [(lowered, source) for c, source in characters for lowered in c.lower()]
    return characters


def bert_words(characters: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for at, c in enumerate(characters):
        if c in SPACE or is_punctuation(c):
            if begin < at:
                yield begin, at
            if c not in SPACE:
                yield at, at + 1
            begin = at + 1
    if begin < len(characters):
        yield begin, len(characters)


def word_pieces(word: str, ids: dict[bytes, int], prefix: bytes, most: int, unknown: int) -> list[tuple[int, int, int]]:
    """The ids of a word, each with the characters that it covers."""
    found: list[tuple[int, int, int]] = []
    at = 0
    while at < len(word) <= most:
        for end in range(len(word), at, -1):
            piece = (prefix if at else b"") + word[at:end].encode(errors="surrogateescape")
            if piece in ids:
                found.append((ids[piece], at, end))
                break
        else:
            return [(unknown, 0, len(word))]
        at = end
    return found or [(unknown, 0, len(word))]


def cleaned_up(text: str) -> str:
    for old, new in CLEANUPS:
        text = text.replace(old, new)
    return text


def joined(tokens: list[str], prefix: str, clean_up: bool) -> str:
    found = ""
    for i, token in enumerate(tokens):
        if i > 0:
            token = token.replace(prefix, "", 1) if token.startswith(prefix) else " " + token
        found += cleaned_up(token) if clean_up else token
    return found
