"""Writes csrc/tables/graphemes.cpp: the classes that bound the grapheme clusters of `tokenizers`.

Its normalizer Precompiled divides text into grapheme clusters of a Unicode version that it does not name. So the
classes are found by asking it: with a charsmap that replaces everything, a cluster below six bytes becomes one
character, and a longer one as many as it has. The file names the version that was asked:

    pip install tokenizers
    python tools/write_grapheme_tables.py
"""

import struct
import sys
from pathlib import Path

import tokenizers
from tokenizers import normalizers

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_normalization_tables import SYLLABLES  # noqa: E402
from write_unicode_tables import CODEPOINTS, SURROGATES, source, stages  # noqa: E402

TABLES = ROOT / "csrc" / "tables" / "graphemes.cpp"
SCALARS = [c for c in CODEPOINTS if c not in SURROGATES]
REGIONAL = range(0x1F1E6, 0x1F200)  # of which clusters always have six bytes or more


def replacing_all() -> normalizers.Normalizer:
    """A charsmap whose trie has a leaf after any first byte but 0, of the text "X"."""
    root, leaf = 256, 512
    units = [0] * (2 * leaf)  # a trie goes on after leaves
    units[0] = root << 10
    for byte in range(1, 256):
        units[root ^ byte] = byte | 1 << 8 | (root ^ byte ^ leaf) << 10
    units[leaf] = 1 << 31
    trie = struct.pack(f"<{len(units)}I", *units)
    return normalizers.Precompiled(struct.pack("<I", len(trie)) + trie + b"X\0")


def length(text: str, normalize: normalizers.Normalizer = replacing_all()) -> int:  # noqa: B008
    return len(normalize.normalize_str(text))


def classes() -> list[set[int]]:
    """The members of each class, in the order of Break in csrc/subword/normalize/grapheme_tables.h."""
    acute, joiner, sign, ka, virama = "\u0301", "\u200d", "\u00a9", "\u0915", "\u094d"
    found: list[set[int]] = [set() for _ in range(11)]
    extends, emoji_extends, pictographic, prepends, controls, *others = found
    leading, vowels, trailing, consonants, linkers, conjunct_extends = others
    for code in SCALARS:
        c = chr(code)
        if length("a" + c) == 1:
            extends.add(code)
            # A cluster goes on after it, so that none of its characters is replaced with the one before.
            if length(sign + c + joiner + sign + acute) == 5:
                emoji_extends.add(code)
            if length(ka + c + ka + acute) == 4:
                linkers.add(code)
            if length(ka + virama + c + ka + acute) == 5:
                conjunct_extends.add(code)
            continue
        if length(c + "a") == 1:
            prepends.add(code)
            continue
        if length(c + acute + acute) == 2:
            controls.add(code)
            continue
        if length(sign + joiner + c + acute) == 4:
            pictographic.add(code)
        if length(c + virama + ka + acute) == 4:
            consonants.add(code)
        if code in SYLLABLES or code in REGIONAL:
            continue
        if length(c + "\u1100" + acute) == 3:
            leading.add(code)
        elif length(c + "\u1161" + acute) == 3:
            vowels.add(code)
        elif length(c + "\u11a8" + acute) == 3:
            trailing.add(code)
    return found


def main() -> None:
    members = classes()
    values = [sum((c in found) << bit for bit, found in enumerate(members)) for c in CODEPOINTS]
    arrays, table = stages("Breaks", values, 6)
    head = f"Classes of tokenizers {tokenizers.__version__}. Written by tools/write_grapheme_tables.py"
    body = f"namespace {{\n{arrays}}}  // namespace\n\nconst BreakTable kBreaks = {table};\n"
    text = source(head, "subword/normalize/grapheme_tables.h", body, "stringops::subword")
    TABLES.write_text(text, encoding="utf-8")
    print(f"tokenizers {tokenizers.__version__}: {[len(found) for found in members]}")


if __name__ == "__main__":
    main()
