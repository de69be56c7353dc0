"""Writes csrc/tables/segments.cpp: the properties by which UAX 29 divides text, for regular expressions.

The Unicode version must be that of the other tables (tools/write_unicode_tables.py). The properties of clusters come
from the package `unicodedataplus`, whose version is that of its data, those of words and sentences from a release of
the package `regex` with that Unicode version:

    python -m pip install unicodedataplus==15.1.0 regex==2024.7.24
    python tools/write_segment_tables.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_regex_tables import division  # noqa: E402
from write_unicode_tables import CODEPOINTS, SURROGATES, source  # noqa: E402

TABLES = ROOT / "csrc" / "tables" / "segments.cpp"
VERSION = "15.1.0"
WORD_BREAK = [
    *("ALetter", "CR", "Double_Quote", "Extend", "ExtendNumLet", "Format", "Hebrew_Letter", "Katakana", "LF"),
    *("MidLetter", "MidNum", "MidNumLet", "Newline", "Numeric", "Regional_Indicator", "Single_Quote"),
    *("WSegSpace", "ZWJ"),
]
SENTENCE_BREAK = [
    *("ATerm", "CR", "Close", "Extend", "Format", "LF", "Lower", "Numeric", "OLetter", "SContinue", "STerm"),
    *("Sep", "Sp", "Upper"),
]


def properties() -> dict[str, list[str]]:
    """The value of each property for each code point; that of most code points has no name here."""
    import regex
    import unicodedataplus as ucd

    # U+2FFC is a character since Unicode 15.1, U+1C89 since 16.
    assert ucd.unidata_version == VERSION
    assert regex.match(r"\p{So}", "\u2ffc")
    assert regex.match(r"\p{Cn}", "\u1c89")
    text = "".join("?" if c in SURROGATES else chr(c) for c in CODEPOINTS)

    def values_of(name: str, names: list[str]) -> list[str]:
        values = ["Unknown"] * len(CODEPOINTS)
        for value in names:
            for match in regex.finditer(rf"\p{{{name}={value}}}", text):
                if match.start() not in SURROGATES:
                    values[match.start()] = value
        return values

    def known(value: str, other: str) -> str:
        return "Unknown" if value == other else value

    return {
        "GraphemeBreaks": [known(ucd.grapheme_cluster_break(chr(c)), "Other") for c in CODEPOINTS],
        "ConjunctBreaks": [known(ucd.indic_conjunct_break(chr(c)), "None") for c in CODEPOINTS],
        "WordBreaks": values_of("Word_Break", WORD_BREAK),
        "SentenceBreaks": values_of("Sentence_Break", SENTENCE_BREAK),
        "Pictographs": [
            "Extended_Pictographic" if ucd.is_extended_pictographic(chr(c)) else "Unknown" for c in CODEPOINTS
        ],
    }


def main() -> None:
    head = f"Unicode {VERSION}. Written by tools/write_segment_tables.py"
    body = "\n".join(division(name, name[:-1], values) for name, values in properties().items())
    TABLES.write_text(source(head, "regex/unicode_tables.h", body), encoding="utf-8")
    print(f"Unicode {VERSION}: {TABLES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
