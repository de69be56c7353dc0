"""Writes csrc/tables/categories.cpp: general categories, scripts and simple case folding, for regular expressions.

The Unicode version must be that of the other tables (tools/write_unicode_tables.py). Case folding comes from Python's
`str`. Python has no scripts, so these come from the package `unicodedataplus`, whose version is that of its data:

    python3.13 -m pip install unicodedataplus==15.1.0
    python3.13 tools/write_regex_tables.py
"""

import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_unicode_tables import CODEPOINTS, array, filled, stages  # noqa: E402

TABLES = ROOT / "csrc" / "tables" / "categories.cpp"

# What code points have that are not assigned. Patterns cannot name it, so its name in the tables is empty.
UNNAMED = ("Cn", "Unknown")


def division(name: str, part: str, values: list[str]) -> str:
    """The definition of a Division: entries where the value changes, and the names of the values."""
    names = ["", *sorted(set(values).difference(UNNAMED))]
    numbers = {value: number for number, value in enumerate(names)}
    entries = [c << 8 | numbers.get(values[c], 0) for c in CODEPOINTS if c == 0 or values[c] != values[c - 1]]
    body = filled(f'"{value}", ' for value in names)
    return (
        f"namespace {{\n{array(f'k{part}Entries', entries)}"
        f"const std::string_view k{part}Names[{len(names)}] = {{\n{body}\n}};\n}}  // namespace\n\n"
        f"const Division k{name} = {{k{part}Entries, {len(entries)}, k{part}Names, {len(names)}}};\n"
    )


def next_variants() -> list[int]:
    """For each code point, how far it is to the next one that differs only in case; from the last one, to the first.

    Simple folding makes two code points equal if and only if full folding does: that holds since Unicode 15.1.
    """
    orbits: dict[str, list[int]] = {}
    for c in CODEPOINTS:
        orbits.setdefault(chr(c).casefold(), []).append(c)
    return [orbit[(orbit.index(c) + 1) % len(orbit)] - c for c in CODEPOINTS for orbit in [orbits[chr(c).casefold()]]]


def folds() -> str:
    distances = next_variants()
    known = {0: 0}
    arrays, table = stages("Fold", [known.setdefault(d, len(known)) for d in distances], 6)
    arrays += array("kFoldDistances", list(known))
    return f"namespace {{\n{arrays}}}  // namespace\n\nconst FoldTable kFolds = {{{table}, kFoldDistances}};\n"


def tables(scripts: list[str]) -> str:
    parts = [
        f"// Unicode {unicodedata.unidata_version}. Written by tools/write_regex_tables.py; not edited by hand.\n"
        "//\n"
        "// Derived from the Unicode Character Database, (c) Unicode, Inc.: see THIRD_PARTY.md.\n"
        '#include "regex/unicode_tables.h"\n#include "tables/repeat.h"\n\n'
        "// clang-format off\n"
        "namespace stringops {\n",
        division("Categories", "Category", [unicodedata.category(chr(c)) for c in CODEPOINTS]),
        division("Scripts", "Script", scripts),
        folds(),
        "}  // namespace stringops\n",
    ]
    return "\n".join(parts)


def main() -> None:
    import unicodedataplus

    assert unicodedataplus.unidata_version == unicodedata.unidata_version
    TABLES.write_text(tables([unicodedataplus.script(chr(c)) for c in CODEPOINTS]), encoding="utf-8")
    print(f"Unicode {unicodedata.unidata_version}: {TABLES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
