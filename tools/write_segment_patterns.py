"""Writes torch_stringops/ops/_segment_patterns.py: the regular expression of grapheme clusters, by UAX 29.

The pattern is that of the standard's table 1c, with its rule GB9c. The properties come from the package
`unicodedataplus`, whose version is that of its data, and must be that of the other tables:

    python3.13 -m pip install unicodedataplus==15.1.0
    python3.13 tools/write_segment_patterns.py
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_unicode_tables import CODEPOINTS  # noqa: E402

MODULE = ROOT / "torch_stringops" / "ops" / "_segment_patterns.py"
WIDTH = 90  # characters of a line's text


def set_of(holds: Callable[[int], bool], negated: bool = False) -> str:
    """The set of a pattern that has the code points for which the function holds."""
    ranges: list[list[int]] = []
    for c in CODEPOINTS:
        if 0xD800 <= c <= 0xDFFF or not holds(c):
            continue
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    parts = (rf"\x{{{a:x}}}" + (rf"-\x{{{b:x}}}" if b > a else "") for a, b in ranges)
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def grapheme_sets() -> dict[str, str]:
    import unicodedataplus as ucd

    breaks = {c: ucd.grapheme_cluster_break(chr(c)) for c in CODEPOINTS}
    conjunct = {c: ucd.indic_conjunct_break(chr(c)) for c in CODEPOINTS}

    def has(*values: str, negated: bool = False) -> str:
        return set_of(lambda c: breaks[c] in values, negated)

    return {
        "ANY": has("CR", "LF", "Control", negated=True),
        "PREPEND": has("Prepend"),
        "EXTEND": has("Extend"),
        "AFTER": has("Extend", "ZWJ", "SpacingMark"),
        "PICTOGRAPH": set_of(lambda c: ucd.is_extended_pictographic(chr(c))),
        "FLAG": has("Regional_Indicator"),
        "L": has("L"),
        "V": has("V"),
        "T": has("T"),
        "LV": has("LV"),
        "SYLLABLE": has("LV", "LVT"),
        "CONSONANT": set_of(lambda c: conjunct[c] == "Consonant"),
        "LINKER": set_of(lambda c: conjunct[c] == "Linker"),
        "LINKING": set_of(lambda c: conjunct[c] in ("Linker", "Extend")),
    }


def grapheme() -> str:
    # A syllable that is not LV is LVT, which no V follows. A control character, which is alone, is what is left.
    return (
        r"\r\n|{PREPEND}*(?:{L}*(?:{LV}{V}*|{SYLLABLE}|{V}+){T}*|{L}+|{T}+|{FLAG}{FLAG}"
        r"|{PICTOGRAPH}(?:{EXTEND}*\x{{200d}}{PICTOGRAPH})*"
        r"|{CONSONANT}(?:{LINKING}*{LINKER}{LINKING}*{CONSONANT})+|{ANY}){AFTER}*|(?s:.)"
    ).format(**grapheme_sets())


def main() -> None:
    text = grapheme()
    lines = [""]
    for part in re.split(r"(?=\\)", text):  # no line ends within an escape
        if len(lines[-1] + part) > WIDTH:
            lines.append("")
        lines[-1] += part
    body = "".join(f'    r"{line}"\n' for line in lines)
    MODULE.write_text(
        '"""The regular expression of a grapheme cluster. Written by tools/write_segment_patterns.py."""\n\n'
        f"GRAPHEME = (\n{body})\n"
    )


if __name__ == "__main__":
    main()
