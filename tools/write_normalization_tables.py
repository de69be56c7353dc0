"""Writes csrc/tables/normalization.cpp, the tables of normalization forms, and tests/golden/normalization.json.

Both come from Python's `unicodedata`. The Unicode version must be that of the other tables
(tools/write_unicode_tables.py, which also compresses these). It needs no other package:

    python3.13 tools/write_normalization_tables.py
"""

import json
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_unicode_tables import CODEPOINTS, SURROGATES, array, checksum, stages  # noqa: E402

TABLES = ROOT / "csrc" / "tables" / "normalization.cpp"
GOLDEN = ROOT / "tests" / "golden" / "normalization.json"

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
# Syllables of Hangul are composed and decomposed by arithmetic (section 3.12 of the Unicode standard).
SYLLABLES = range(0xAC00, 0xD7A4)
VOWELS, TRAILING = range(0x1161, 0x1176), range(0x11A8, 0x11C3)


def compositions() -> dict[int, dict[int, int]]:
    """First code point -> second one -> the code point that they compose to."""
    pairs: dict[int, dict[int, int]] = {}
    for c in CODEPOINTS:
        parts = unicodedata.decomposition(chr(c)).split()
        if len(parts) == 2 and parts[0][0] != "<" and unicodedata.normalize("NFC", chr(c)) == chr(c):
            first, second = (int(part, 16) for part in parts)
            pairs.setdefault(first, {})[second] = c
    return pairs


def flags() -> list[int]:
    """The bits of NormalizationFlag in csrc/core/unicode_normalization.h."""
    seconds = {second for row in compositions().values() for second in row} | {*VOWELS, *TRAILING}

    def of(c: int) -> int:
        value = unicodedata.combining(chr(c))
        for bit, form in enumerate(FORMS, 8):
            changes = unicodedata.normalize(form, chr(c)) != chr(c)
            value |= (changes or ("D" not in form and c in seconds)) << bit
        return value | (unicodedata.category(chr(c)) == "Mn") << 12

    return [of(c) for c in CODEPOINTS]


def lists(name: str, rows: dict[int, list[int]], entries: list[int]) -> tuple[str, str]:
    """A table from code points to positions in `entries`, where their lists are appended: a length, then its items."""
    positions = [0] * len(CODEPOINTS)
    known: dict[tuple[int, ...], int] = {}
    for c, row in rows.items():
        if tuple(row) not in known:
            known[tuple(row)] = len(entries)
            entries += [len(row), *row]
        positions[c] = known[tuple(row)]
    return stages(name, positions, 6)


def decompositions(form: str) -> dict[int, list[int]]:
    """The complete decompositions of code points other than syllables of Hangul."""
    full = {c: [ord(d) for d in unicodedata.normalize(form, chr(c))] for c in CODEPOINTS if c not in SYLLABLES}
    return {c: row for c, row in full.items() if row != [c]}


def tables() -> str:
    entries = [0]
    made = [
        ("NormalizationFlagTable", "NormalizationFlags", stages("NormalizationFlags", flags(), 6)),
        ("ListTable", "Canonical", lists("Canonical", decompositions("NFD"), entries)),
        ("ListTable", "Compatibility", lists("Compatibility", decompositions("NFKD"), entries)),
    ]
    pairs = {c: [x for pair in sorted(row.items()) for x in pair] for c, row in compositions().items()}
    made.append(("ListTable", "Compositions", lists("Compositions", pairs, entries)))
    parts = [
        f"// Unicode {unicodedata.unidata_version}. Written by tools/write_normalization_tables.py; not edited by "
        "hand.\n//\n"
        "// Derived from the Unicode Character Database, (c) Unicode, Inc.: see THIRD_PARTY.md.\n"
        '#include "core/unicode_normalization.h"\n#include "tables/repeat.h"\n\n'
        "// clang-format off\n"
        "namespace stringops::normalization {\n\nnamespace {",
        *(arrays.rstrip() for _, _, (arrays, _) in made),
        "}  // namespace\n",
        *(f"const {kind} k{name} = {table};" for kind, name, (_, table) in made),
        f"\n{array('kLists', entries)}\n}}  // namespace stringops::normalization\n",
    ]
    return "\n".join(parts)


def golden() -> str:
    """Checksums of the results for all code points alone, after a letter with a mark, and before one."""
    points = [chr(c) for c in CODEPOINTS if c not in SURROGATES]
    texts = {
        "": points,
        "after q + dot below": [f"q\u0323{c}" for c in points],
        "before dot below": [f"{c}\u0323" for c in points],
    }
    sums = {
        f"{form} {name}".strip(): checksum(unicodedata.normalize(form, text) for text in strings)
        for name, strings in texts.items()
        for form in FORMS
    }
    return json.dumps({"unicode": unicodedata.unidata_version, "checksums": sums}, indent=2) + "\n"


if __name__ == "__main__":
    TABLES.write_text(tables(), encoding="utf-8")
    GOLDEN.write_text(golden(), encoding="utf-8")
    print(f"Unicode {unicodedata.unidata_version}: {TABLES.relative_to(ROOT)}, {GOLDEN.relative_to(ROOT)}")
