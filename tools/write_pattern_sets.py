"""Writes torch_stringops/subword/_unicode_sets.py, the sets of characters that patterns of tokenizers name.

They are those of the reference, the regular expressions of `tokenizers` (Oniguruma), asked through its Python API.
Those of `tiktoken` are the same, but for `\\w`. Needs both libraries:

    .venv/bin/python tools/write_pattern_sets.py
"""

import textwrap
from pathlib import Path

import tiktoken
import tokenizers
from write_subword_tables import SCALARS, TEXT, matches

ROOT = Path(__file__).resolve().parent.parent
SETS = ROOT / "torch_stringops" / "subword" / "_unicode_sets.py"

# \p{Cn} is what no other category has.
CATEGORIES = [
    *(
        "Lu",
        "Ll",
        "Lt",
        "Lm",
        "Lo",
        "Mn",
        "Mc",
        "Me",
        "Nd",
        "Nl",
        "No",
        "Pc",
        "Pd",
        "Ps",
        "Pe",
        "Pi",
        "Pf",
        "Po",
    ),
    *("Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co"),
]
SCRIPTS = [
    *(
        "Arabic",
        "Bengali",
        "Cyrillic",
        "Devanagari",
        "Greek",
        "Han",
        "Hangul",
        "Hebrew",
        "Hiragana",
        "Katakana",
    ),
    *("Khmer", "Lao", "Latin", "Myanmar", "Tamil", "Thai"),
]
# \w has these categories, and more characters.
WORD = [name for name in CATEGORIES if name[0] in "LMN" or name == "Pc"]


def matches_of_tiktoken(expression: str) -> set[int]:
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("set", pat_str=f"{expression}+", mergeable_ranks=ranks, special_tokens={})
    found: set[str] = set()
    for at in range(0, len(TEXT), 20_000):  # text between matches is left out
        found |= set(encoding.decode_bytes(encoding.encode_ordinary(TEXT[at : at + 20_000])).decode())
    return set(map(ord, found))


def runs(members: set[int]) -> str:
    """The lengths of runs of others and of members, in turns, in hexadecimal."""
    lengths, inside, count = [], False, 0
    for codepoint in range(0x110000):
        if (codepoint in members) != inside:
            lengths.append(f"{count:x}")
            inside, count = not inside, 0
        count += 1
    return " ".join([*lengths, f"{count:x}"] if inside else lengths)


def main() -> None:
    sets = {name: matches(rf"\p{{{name}}}") for name in [*CATEGORIES, *SCRIPTS]}
    for name, members in sets.items():
        assert members == matches_of_tiktoken(rf"\p{{{name}}}"), name
    sets["s"] = matches(r"\s")
    assert sets["s"] == matches_of_tiktoken(r"\s")
    assert matches(r"\d") == matches_of_tiktoken(r"\d") == sets["Nd"]
    assert set(SCALARS) - set().union(*(sets[name] for name in CATEGORIES)) == matches(r"\p{Cn}")
    word = set().union(*(sets[name] for name in WORD))
    sets["w of Rust"] = matches_of_tiktoken(r"\w") ^ word
    sets["w of Oniguruma"] = matches(r"\w") ^ word
    sets["w in a class of Oniguruma"] = matches(r"[\w]") ^ word
    lines = [
        f'"""Sets of characters in patterns of tokenizers {tokenizers.__version__} and tiktoken '
        f"{tiktoken.__version__}.",
        "",
        "Written by tools/write_pattern_sets.py; not edited by hand. Derived from the Unicode Character Database,",
        "(c) Unicode, Inc.: see THIRD_PARTY.md.",
        '"""',
        "",
        "# Name -> the lengths of runs of other characters and of members, in turns, in hexadecimal. Those of \\w are",
        f"# the characters that it has besides {', '.join(WORD)}, or has not.",
        "SETS = {",
    ]
    for name, members in sets.items():
        parts = textwrap.wrap(runs(members), 100)
        if len(parts) == 1:
            lines.append(f'    "{name}": "{parts[0]}",')
        else:
            lines += [
                f'    "{name}": (',
                *(f'        "{part} "' for part in parts[:-1]),
                f'        "{parts[-1]}"',
                "    ),",
            ]
    SETS.write_text("\n".join([*lines, "}"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
