"""Writes csrc/tables/width.cpp: how many columns of a terminal code points take.

The widths are those of the package `wcwidth` 0.2.13; this file derives them from Unicode's properties, and compares the
two. The properties come from the package `unicodedataplus`, whose version is that of its data, and must be that of the
other tables (tools/write_unicode_tables.py):

    python -m pip install unicodedataplus==15.1.0 wcwidth==0.2.13
    python tools/write_width_tables.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_unicode_tables import CODEPOINTS, source, stages  # noqa: E402

TABLES = ROOT / "csrc" / "tables" / "width.cpp"
VERSION = "15.1.0"
# In the order of WidthClass in csrc/core/unicode_width.h.
NARROW, WIDE, ZERO, CONTROL, EMOJI = range(5)


def width_class(c: int) -> int:
    import unicodedataplus as ucd

    char = chr(c)
    if 0 < c < 0x20 or 0x7F <= c < 0xA0:
        return CONTROL
    # The vowels and final consonants of Hangul, and modifiers of emoji, join the character before them.
    joins = 0x1160 <= c < 0x1200 or 0xD7B0 <= c < 0xD800 or ucd.is_emoji_modifier(char)
    if c == 0 or joins or ucd.category(char) in ("Me", "Mn", "Mc", "Cf", "Zl", "Zp"):
        return ZERO
    if ucd.east_asian_width(char) in ("W", "F"):
        return WIDE
    return EMOJI if ucd.is_emoji(char) and not 0x1F1E6 <= c <= 0x1F1FF else NARROW


def check(classes: list[int]) -> None:
    import wcwidth
    from wcwidth.table_vs16 import VS16_NARROW_TO_WIDE

    widths = {NARROW: 1, WIDE: 2, ZERO: 0, CONTROL: -1, EMOJI: 1}
    assert [widths[found] for found in classes] == [wcwidth.wcwidth(chr(c), VERSION) for c in CODEPOINTS]
    emoji = [c for first, last in VS16_NARROW_TO_WIDE["9.0.0"] for c in range(first, last + 1)]
    assert [c for c in CODEPOINTS if classes[c] == EMOJI] == emoji


def main() -> None:
    classes = [width_class(c) for c in CODEPOINTS]
    check(classes)
    arrays, table = stages("Width", classes, 6)
    head = f"Unicode {VERSION}. Written by tools/write_width_tables.py"
    body = f"namespace {{\n{arrays}}}  // namespace\n\nconst WidthTable kWidths = {table};\n"
    text = source(head, "core/unicode_width.h", body)
    TABLES.write_text(text, encoding="utf-8")
    print(f"Unicode {VERSION}: {TABLES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
