"""Oracles of string_segments_ragged for words and sentences, on one string: the rules of UAX 29, one position at a time.

They know the properties of the characters in WORD_BREAK and SENTENCE_BREAK; all others are of class Other.
"""

import itertools
from collections.abc import Callable

WORD_BREAK = {
    "\r": "CR", "\n": "LF", "\v": "Newline", "\u2028": "Newline", "\u0301": "Extend", "\U0001f3fd": "Extend",
    "\xad": "Format", "\u200d": "ZWJ", " ": "WSegSpace", "\u3000": "WSegSpace", "a": "ALetter", "\xe9": "ALetter",
    "\u2139": "ALetter", "\u05d0": "Hebrew_Letter", "1": "Numeric", "\u0663": "Numeric", "\u30ab": "Katakana",
    "_": "ExtendNumLet", "'": "Single_Quote", '"': "Double_Quote", ".": "MidNumLet", ":": "MidLetter", ",": "MidNum",
    "\U0001f1e9": "Regional_Indicator", "\U0001f1ea": "Regional_Indicator",
}  # fmt: skip
PICTOGRAPHS = ("\u2139", "\u2764", "\U0001f469")  # Extended_Pictographic

SENTENCE_BREAK = {
    "\r": "CR", "\n": "LF", "\x85": "Sep", "\u2028": "Sep", "\u0301": "Extend", "\u200d": "Extend", "\xad": "Format",
    " ": "Sp", "\t": "Sp", "a": "Lower", "\xe9": "Lower", "A": "Upper", "\u05d0": "OLetter", "\u65e5": "OLetter",
    "1": "Numeric", ".": "ATerm", "\u2024": "ATerm", "!": "STerm", "\u3002": "STerm", ")": "Close", '"': "Close",
    ",": "SContinue", "-": "SContinue",
}  # fmt: skip


def _without_skipped(kinds: list[str], skipped: tuple[str, ...], ends: tuple[str, ...]) -> list[str]:
    """WB4 and SB5: what is skipped belongs to the character before it, if there is one on the line."""
    found: list[str] = []
    for kind in kinds:
        if kind not in skipped:
            found.append(kind)
        elif not found or found[-1] in ends:
            found.append("Other")
    return found


def is_word_boundary(text: str, at: int) -> bool:
    kinds = [WORD_BREAK.get(char, "Other") for char in text]
    skipped, ends = ("Extend", "Format", "ZWJ"), ("CR", "LF", "Newline")
    before, after = kinds[at - 1], kinds[at]
    if before in ends or after in ends:  # WB3 to WB3b
        return not (before == "CR" and after == "LF")
    if (before == "ZWJ" and text[at] in PICTOGRAPHS) or before == after == "WSegSpace":  # WB3c, WB3d
        return False
    if after in skipped:  # WB4
        return False
    left = _without_skipped(kinds[:at], skipped, ends)
    before, second = left[-1], left[-2] if len(left) > 1 else ""
    following = next((kind for kind in kinds[at + 1 :] if kind not in skipped), "")
    letters = ("ALetter", "Hebrew_Letter")
    words = (*letters, "Numeric", "Katakana", "ExtendNumLet")
    for middles, around in (  # WB6, WB7, WB7b, WB7c, WB11, WB12
        (("MidLetter", "MidNumLet", "Single_Quote"), letters),
        (("Double_Quote",), ("Hebrew_Letter",)),
        (("MidNum", "MidNumLet", "Single_Quote"), ("Numeric",)),
    ):
        if before in around and after in middles and following in around:
            return False
        if second in around and before in middles and after in around:
            return False
    if before == "Hebrew_Letter" and after == "Single_Quote":  # WB7a
        return False
    if before in (*letters, "Numeric") and after in (*letters, "Numeric"):  # WB5, WB8 to WB10
        return False
    if before == after == "Katakana":  # WB13
        return False
    if "ExtendNumLet" in (before, after) and before in words and after in words:  # WB13a, WB13b
        return False
    if before == after == "Regional_Indicator":  # WB15, WB16
        run = itertools.takewhile(lambda kind: kind == "Regional_Indicator", reversed(left))
        return len(list(run)) % 2 == 0
    return True


def is_sentence_boundary(text: str, at: int) -> bool:
    kinds = [SENTENCE_BREAK.get(char, "Other") for char in text]
    skipped, ends, terms = ("Extend", "Format"), ("Sep", "CR", "LF"), ("ATerm", "STerm")
    before, after = kinds[at - 1], kinds[at]
    if before in ends:  # SB3, SB4
        return not (before == "CR" and after == "LF")
    if after in skipped:  # SB5
        return False
    left = _without_skipped(kinds[:at], skipped, ends)
    if left[-1] == "ATerm" and after == "Numeric":  # SB6
        return False
    if left[-2:] in (["Upper", "ATerm"], ["Lower", "ATerm"]) and after == "Upper":  # SB7
        return False
    has_space = left[-1] == "Sp"
    while left and left[-1] == "Sp":
        left.pop()
    while left and left[-1] == "Close":
        left.pop()
    if not left or left[-1] not in terms:  # SB998
        return False
    stops = ("OLetter", "Upper", "Lower", *ends, *terms)
    if left[-1] == "ATerm" and next((k for k in kinds[at:] if k in stops), "") == "Lower":  # SB8
        return False
    if after in ("SContinue", *terms) or after in ("Sp", *ends):  # SB8a, SB9, SB10
        return False
    return has_space or after != "Close"  # SB9, SB11


def _cut(text: str, is_boundary: Callable[[str, int], bool]) -> list[str]:
    cuts = [0, *(at for at in range(1, len(text)) if is_boundary(text, at)), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(cuts)] if text else []


def words_ref(text: str) -> list[str]:
    return _cut(text, is_word_boundary)


def sentences_ref(text: str) -> list[str]:
    return _cut(text, is_sentence_boundary)
