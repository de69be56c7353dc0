"""Writes csrc/tables/subword_classes.cpp, the classes of code points that pre-tokenizers split text by.

They are those of the reference, Hugging Face's `tokenizers`, asked through its Python API, so that each agrees with the
Unicode version of the library that it comes from. Needs `tokenizers`, and a Python whose Unicode version is that of the
other tables:

    python3.13 tools/write_subword_tables.py
"""

import os
import unicodedata
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers
from write_unicode_tables import CODEPOINTS, SURROGATES, stages

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "csrc" / "tables" / "subword_classes.cpp"

SCALARS = [c for c in CODEPOINTS if c not in SURROGATES]
TEXT = "".join(map(chr, SCALARS))

# In the order of the bits of Class in csrc/subword/scan/classes.h, as regular expressions of Split (Oniguruma).
EXPRESSIONS = [
    r"\p{L}",
    r"\p{N}",
    r"\s",
    r"\p{M}",
    r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]",
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
    r"\p{P}",
    r"\p{S}",
]


def matches(expression: str) -> set[int]:
    """The code points that the expression matches."""
    kept = set(SCALARS)
    split = pre_tokenizers.Split(Regex(f"(?:{expression})+"), "removed")
    others = [piece for piece, _ in split.pre_tokenize_str(TEXT)]
    return kept - {ord(c) for piece in others for c in piece}


def joined(split: pre_tokenizers.PreTokenizer) -> set[int]:
    """The code points that the splitter leaves in one piece with a letter before them."""
    pieces = split.pre_tokenize_str("".join("a" + chr(c) for c in SCALARS))
    begins = {begin for _, (begin, _) in pieces}
    ends = {end for _, (_, end) in pieces}
    return {c for i, c in enumerate(SCALARS) if 2 * i + 1 not in begins and 2 * i + 1 not in ends}


def known() -> set[int]:
    """The code points that the reference's normalization may change, move or compose with the one before."""
    nfc, nfkd = normalizers.NFC().normalize_str, normalizers.NFKD().normalize_str
    found = set()
    for c in map(chr, SCALARS):
        # Marks of the least and of the usual combining class.
        if nfkd(c) != c or nfc(c) != c or nfc(c + "\u0334") != c + "\u0334" or nfc("\u0300" + c) != "\u0300" + c:
            found.add(ord(c))
    for c in map(chr, SCALARS):
        decomposed = unicodedata.decomposition(c).split()
        if len(decomposed) == 2 and not decomposed[0].startswith("<"):
            first, second = (chr(int(number, 16)) for number in decomposed)
            if nfc(first + second) == c:
                found.add(ord(second))
    return found | {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}  # vowels and finals of Hangul


def newer() -> set[int]:
    """The code points that normalization changes, moves or composes, but not that of the reference, which is older."""
    seconds = {row.split()[1] for c in SCALARS if len((row := unicodedata.decomposition(chr(c))).split()) == 2}
    changing = {
        c
        for c in SCALARS
        if unicodedata.combining(chr(c)) or unicodedata.normalize("NFKD", chr(c)) != chr(c) or f"{c:04X}" in seconds
    }
    return changing - known()


def main() -> None:
    classes = [matches(expression) for expression in EXPRESSIONS]
    classes.append(joined(pre_tokenizers.Whitespace()))  # \w of Rust's regex crate
    classes.append(set(SCALARS) - joined(pre_tokenizers.Digits()))  # Rust's char::is_numeric
    classes.append(newer())
    values = [sum((c in members) << bit for bit, members in enumerate(classes)) for c in CODEPOINTS]
    arrays, table = stages("Class", values, 6)
    text = (
        f"// Classes of tokenizers {tokenizers.__version__}. "
        "Written by tools/write_subword_tables.py; not edited by hand.\n"
        "//\n"
        "// Derived from the Unicode Character Database, (c) Unicode, Inc.: see THIRD_PARTY.md.\n"
        '#include "subword/scan/classes.h"\n#include "tables/repeat.h"\n\n'
        "// clang-format off\n"
        "namespace stringops::subword {\n\n"
        f"namespace {{\n{arrays}}}  // namespace\n\n"
        f"const CharacterTable kClasses = {table};\n\n"
        "}  // namespace stringops::subword\n"
    )
    TABLES.write_text(text)
    print({e: len(m) for e, m in zip([*EXPRESSIONS, r"\w", "numeric", "newer"], classes, strict=True)})


if __name__ == "__main__":
    main()
