"""Oracle of string_segments_ragged, on one string: the rules of UAX 29, one boundary after the other.

It knows the properties of the characters in CLASSES; all others are of class Other. The classes are those of
Grapheme_Cluster_Break, with Extended_Pictographic as "Pict" and Indic_Conjunct_Break as "Cons" and "Linker".
"""

import itertools

CLASSES = {
    "\r": "CR", "\n": "LF", "\0": "Control", "\u200b": "Control", "\u2028": "Control", "\u0301": "Extend",
    "\u200c": "Extend", "\U0001f3fd": "Extend", "\ufe0f": "Extend", "\u200d": "ZWJ", "\U0001f469": "Pict",
    "\u2764": "Pict", "\xa9": "Pict", "\U0001f1e9": "Flag", "\U0001f1ea": "Flag", "\u0600": "Prepend",
    "\u0903": "Spacing", "\u1100": "L", "\ua960": "L", "\u1161": "V", "\u11a8": "T", "\uac00": "LV", "\uac01": "LVT",
    "\u0915": "Cons", "\u0937": "Cons", "\u094d": "Linker",
}  # fmt: skip
EXTENDS = ("Extend", "Linker")
# Extend by Grapheme_Cluster_Break, but of no combining class, and so not by Indic_Conjunct_Break.
NOT_LINKING = ("\u200c", "\ufe0f", "\U0001f3fd")


def is_boundary(text: str, at: int) -> bool:
    before, after = (CLASSES.get(text[i], "Other") for i in (at - 1, at))
    if before in ("CR", "LF", "Control") or after in ("CR", "LF", "Control"):  # GB3 to GB5
        return not (before == "CR" and after == "LF")
    if (before == "L" and after in ("L", "V", "LV", "LVT")) or (  # GB6 to GB8
        (before in ("LV", "V") and after in ("V", "T")) or (before in ("LVT", "T") and after == "T")
    ):
        return False
    if after in (*EXTENDS, "ZWJ", "Spacing") or before == "Prepend":  # GB9 to GB9b
        return False
    i = at - 1
    if after == "Cons":  # GB9c
        linked = False
        while i >= 0 and CLASSES.get(text[i], "Other") in (*EXTENDS, "ZWJ") and text[i] not in NOT_LINKING:
            linked |= CLASSES[text[i]] == "Linker"
            i -= 1
        return not (linked and i >= 0 and CLASSES.get(text[i]) == "Cons")
    if before == "ZWJ" and after == "Pict":  # GB11
        i -= 1
        while i >= 0 and CLASSES.get(text[i], "Other") in EXTENDS:
            i -= 1
        return not (i >= 0 and CLASSES.get(text[i]) == "Pict")
    if before == after == "Flag":  # GB12, GB13
        while i >= 0 and CLASSES.get(text[i]) == "Flag":
            i -= 1
        return (at - 1 - i) % 2 == 0
    return True


def string_segments_ragged_ref(text: str) -> list[str]:
    cuts = [0, *(at for at in range(1, len(text)) if is_boundary(text, at)), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(cuts)] if text else []
