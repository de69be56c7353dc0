"""Writes csrc/tables/bert.cpp: what normalizers and BERT's words of `tokenizers` do to code points.

`tokenizers` combines Unicode tables of several versions, as no library has them. So each table is found by asking
`tokenizers` itself, of the version that the file then names:

    pip install tokenizers
    python tools/write_bert_tables.py
"""

import sys
from pathlib import Path

import tokenizers
from tokenizers import normalizers, pre_tokenizers

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_normalization_tables import SYLLABLES, lists  # noqa: E402
from write_unicode_tables import CODEPOINTS, SURROGATES, array, stages  # noqa: E402

TABLES = ROOT / "csrc" / "tables" / "bert.cpp"
SCALARS = [c for c in CODEPOINTS if c not in SURROGATES]


def normalizer(**options: bool) -> normalizers.Normalizer:
    none = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**none | options)


def removed(pre_tokenizer: pre_tokenizers.PreTokenizer) -> set[int]:
    """The code points that are in no piece."""
    text = "".join(map(chr, SCALARS))
    kept = {i for _, (begin, end) in pre_tokenizer.pre_tokenize_str(text) for i in range(begin, end)}
    return {c for i, c in enumerate(SCALARS) if i not in kept}


def flags() -> list[int]:
    """The bits of Flag in csrc/subword/normalize/bert_tables.h."""
    clean, accents = normalizer(clean_text=True), normalizer(strip_accents=True)
    nfd, marks, nmt = normalizers.NFD(), normalizers.StripAccents(), normalizers.Nmt()
    cleaned = {c: clean.normalize_str(f"a{chr(c)}b") for c in SCALARS}
    sets = [
        {c for c, text in cleaned.items() if text == "ab"},
        {c for c, text in cleaned.items() if text == "a b"},
        removed(pre_tokenizers.WhitespaceSplit()),
        removed(pre_tokenizers.Punctuation("removed")),
        {c for c in SCALARS if nfd.normalize_str(chr(c)) == chr(c) and not accents.normalize_str(f"a{chr(c)}")[1:]},
        {c for c in SCALARS if not marks.normalize_str(chr(c))},
        {c for c in SCALARS if not nmt.normalize_str(chr(c))},
        {c for c in SCALARS if c != 0x20 and nmt.normalize_str(chr(c)) == " "},
    ]
    return [sum((c in codepoints) << bit for bit, codepoints in enumerate(sets)) for c in CODEPOINTS]


def mapped(normalizer: normalizers.Normalizer) -> dict[int, list[int]]:
    """The code points that change, and what they become."""
    full = {c: normalizer.normalize_str(chr(c)) for c in SCALARS if c not in SYLLABLES}
    return {c: [ord(d) for d in text] for c, text in full.items() if text != chr(c)}


def tables() -> str:
    entries = [0]
    made = [
        ("FlagTable", "Flags", stages("Flags", flags(), 6)),
        ("ListTable", "Lower", lists("Lower", mapped(normalizers.Lowercase()), entries)),
    ]
    parts = [
        f"// As in tokenizers {tokenizers.__version__}. Written by tools/write_bert_tables.py; not edited by hand.\n"
        "//\n"
        "// Derived from the Unicode Character Database, (c) Unicode, Inc.: see THIRD_PARTY.md.\n"
        '#include "subword/normalize/bert_tables.h"\n#include "tables/repeat.h"\n\n'
        "// clang-format off\n"
        "namespace stringops::subword::bert {\n\nnamespace {",
        *(arrays.rstrip() for _, _, (arrays, _) in made),
        "}  // namespace\n",
        *(f"const {kind} k{name} = {table};" for kind, name, (_, table) in made),
        f"\n{array('kLists', entries)}\n}}  // namespace stringops::subword::bert\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    TABLES.write_text(tables(), encoding="utf-8")
    print(f"tokenizers {tokenizers.__version__}: {TABLES.relative_to(ROOT)}")
