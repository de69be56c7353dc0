"""The regular expressions that the directive `split` of the subword operators stands for.

In them `\\p{..}` and `\\s` are replaced by lists of characters, since those of Python's `re` differ.
"""

import re
import sys
import unicodedata
from functools import cache

WHITESPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


@cache
def members(categories: str) -> str:
    """The characters of general categories, such as "L" or "Lu Lt", as the inside of a class of `re`."""
    wanted = categories.split()
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category in wanted or category[0] in wanted:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(rf"\U{a:08x}-\U{b:08x}" for a, b in ranges)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern with `\\p{X}`, `\\s` and `\\S` of other engines."""

    def replaced(match: re.Match[str]) -> str:
        inside = match.group(1)
        inside = re.sub(r"\\p\{(\w+)\}", lambda m: members(m.group(1)), inside)
        return f"[{inside}]".replace(r"\s", WHITESPACE)

    pattern = re.sub(r"\[((?:\\.|[^\]\\])*)\]", replaced, pattern)
    pattern = re.sub(r"\\p\{(\w+)\}", lambda m: f"[{members(m.group(1))}]", pattern)
    return re.compile(pattern.replace(r"\s", f"[{WHITESPACE}]").replace(r"\S", f"[^{WHITESPACE}]"))


ANY_CASE = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LOWER_CASE = "'s|'t|'re|'ve|'m|'ll|'d"
TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def pattern_of(scanner: str, **given: str) -> str:
    """The regular expression of the directive `split`."""
    options = {name: value if name == "end" else int(value) for name, value in given.items()}
    digits = r"\p{N}{1,3}" if options.get("digits") == 3 else r"\p{N}"
    if scanner == "gpt2":
        return LOWER_CASE + r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    if scanner == "llama3":
        letters = r"\p{L}\p{M}" if options["marks"] else r"\p{L}"
        alternatives = [
            *{0: [], 1: [LOWER_CASE], 2: [ANY_CASE]}[options["contractions"]],
            rf"[^\r\n\p{{L}}\p{{N}}]?[{letters}]+",
            digits,
            rf" ?[^\s{letters}\p{{N}}]+" + (r"[\r\n]*" if options["newline_tail"] else ""),
            TAIL if options["end"] == "hf" else r"\s+\Z|\s*[\r\n]|\s+(?!\S)|\s",
        ]
        return "|".join(alternatives)
    if scanner == "o200k":
        suffix = f"{ANY_CASE}?" if options["contractions"] else ""
        lead = r"[^\r\n\p{L}\p{N}]?"
        signs = r" ?[^\s\p{L}\p{N}]+" + (r"[\r\n/]*" if options["slash"] else r"[\r\n]*")
        return "|".join([f"{lead}{UPPER}*{LOWER}+{suffix}|{lead}{UPPER}+{LOWER}*{suffix}", digits, signs, TAIL])
    if scanner == "deepseek":
        signs = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"""
        words = r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
        return "|".join([signs, words, TAIL])
    if scanner == "clip":
        return LOWER_CASE + r"|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    if scanner == "digits":
        return r"\p{N}" if options["each"] else r"\p{N}+"
    raise ValueError(scanner)
