"""Writes torch_stringops/ops/_script_ranges.py: the scripts of code points.

The property comes from the package `unicodedataplus`, whose version is that of its data, and must be that of the other
tables:

    python3.13 -m pip install unicodedataplus==15.1.0
    python3.13 tools/write_scripts.py
"""

import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from write_unicode_tables import CODEPOINTS  # noqa: E402

MODULE = ROOT / "torch_stringops" / "ops" / "_script_ranges.py"
# These stand for no script of their own: letters and signs of several, and code points without a character.
NEUTRAL = ["Common", "Inherited", "Unknown"]


def main() -> None:
    import unicodedataplus as ucd

    scripts = [ucd.script(chr(c)) for c in CODEPOINTS]
    names = NEUTRAL + sorted(set(scripts) - set(NEUTRAL))
    ranges = [
        f"{c:x}:{names.index(script):x}" for c, script in enumerate(scripts) if c == 0 or script != scripts[c - 1]
    ]

    def lines(words: list[str]) -> str:
        wrapped = textwrap.wrap(" ".join(words), 106, break_on_hyphens=False)
        return "".join(f'    "{line} "\n' for line in wrapped)

    MODULE.write_text(
        '"""Scripts of Unicode. Written by tools/write_scripts.py.\n\n'
        "A range begins at a code point, and ends before the next one: `code point:script`, numbers in hexadecimal.\n"
        f'"""\n\nNAMES = (\n{lines(names)})\n\nRANGES = (\n{lines(ranges)})\n'
    )


if __name__ == "__main__":
    main()
