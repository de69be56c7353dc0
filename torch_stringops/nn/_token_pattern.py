r"""Token patterns of scikit-learn, in the syntax of Python's `re`, as calls of the operators.

In a pattern of Python, `\w`, `\d`, `\s` and `\b` are of Unicode; those of the operators are of ASCII. The first three
are classes, which are written out. `\b` is not needed for the usual patterns, whose tokens are whole words: these are
cut by the class of word characters.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import torch
from torch import Tensor

from torch_stringops._checks import quoted
from torch_stringops.functions.regex import regex_find_all_ragged
from torch_stringops.functions.tokenizer import tokenizer_ragged
from torch_stringops.nn._learning import Rows
from torch_stringops.string_tensor import StringTensor

# The members of classes, to stand in brackets.
WORD = r"\p{L}\p{N}_"
SPACE = r"\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
WORDS = f"[{WORD}]+"
_CLASSES = {"w": WORD, "d": r"\p{Nd}", "s": SPACE}
# Negated classes of negated classes, which stand for letters and digits, and for letters.
_IDIOMS = {r"[^\W_]": r"[\p{L}\p{N}]", r"[^\W\d_]": r"[\p{L}\p{Nl}\p{No}]"}
# A word of at least so many characters: `\w+`, `\w\w+`, `\w{2,}`.
_RUN = re.compile(r"((?:\\w)*)\\w(?:\+|\{(\d+),\})")
# A pattern that matches word characters only.
_ONE = r"(?:\\w|\\d|[A-Za-z0-9_])"
_WITHIN_A_WORD = re.compile(rf"(?:(?:{_ONE}|\[(?:{_ONE}(?:-[A-Za-z0-9])?)+\])(?:[+*?]|\{{\d+(?:,\d*)?\}})?)+")

# `re` takes about 10 microseconds for each.
_MAX_PATTERN_CODEPOINTS = 1 << 14


class TokenPattern(NamedTuple):
    """How tokens are found."""

    pattern: str  # of the operators, which finds them
    group: int = 0  # of `pattern`
    least: int = 0  # if `pattern` is `WORDS`, the least number of characters of a token
    whole: str | None = None  # tokens are the matches of `pattern` that this matches as a whole

    def find(self, strings: StringTensor) -> Rows:
        """The tokens of each string, as `re.findall` finds them."""
        if self.least:
            tokens, row_splits = tokenizer_ragged(strings, tokenexp=self.pattern, mincharnum=self.least)
        else:
            tokens, row_splits = regex_find_all_ragged(strings, self.pattern, self.group)
        if self.whole is None:
            return tokens, row_splits
        return select(tokens, row_splits, tokens.regex_full_match(self.whole))


def select(strings: StringTensor, row_splits: Tensor, mask: Tensor) -> Rows:
    """The strings of ragged rows that `mask` selects."""
    before = torch.nn.functional.pad(mask.cumsum(0), (1, 0))
    return strings.masked_select(mask), before[row_splits]


def parsed(op: str, pattern: str) -> TokenPattern:
    """The calls for a pattern of Python."""
    if not isinstance(pattern, str):
        raise TypeError(f"{op}: expected `token_pattern` to be a str, got {type(pattern).__name__}")
    if len(pattern) > _MAX_PATTERN_CODEPOINTS:
        raise ValueError(
            f"{op}: expected `token_pattern` of at most {_MAX_PATTERN_CODEPOINTS} code points, got {len(pattern)}"
        )
    try:
        groups = re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{op}: expected a regular expression as `token_pattern`: {error}") from None
    if groups > 1:
        raise ValueError(f"{op}: expected at most one group in `token_pattern`, got {groups}")
    text = pattern.removeprefix("(?u)")
    core = text.removeprefix(r"\b").removesuffix(r"\b")
    if found := _RUN.fullmatch(core):
        return TokenPattern(WORDS, least=len(found[1]) // 2 + int(found[2] or 1))
    if text == rf"\b{core}\b" and _WITHIN_A_WORD.fullmatch(core):
        return TokenPattern(WORDS, least=1, whole=_translated(op, core))
    return TokenPattern(_translated(op, text), groups)


def _translated(op: str, pattern: str) -> str:
    """The pattern with the classes of Unicode written out."""
    for idiom, members in _IDIOMS.items():
        pattern = pattern.replace(idiom, members)
    parts: list[str] = []
    in_class = False
    for part in re.findall(r"\\.|\[\^?\]?|.", pattern, re.DOTALL):
        name = part[1:]
        if part[0] == "\\" and name.lower() in _CLASSES and name:
            if in_class and name.isupper():
                raise ValueError(f"{op}: expected `token_pattern` without {part} in brackets, got {quoted(pattern)}")
            members = _CLASSES[name.lower()]
            parts.append(members if in_class else f"[{'^' * name.isupper()}{members}]")
        elif part in (r"\b", r"\B") and not in_class:
            raise ValueError(
                rf"{op}: expected \b in `token_pattern` only around a pattern of word characters, "
                f"such as {_EXAMPLE}, got {quoted(pattern)} (pass a function as `tokenizer`)"
            )
        else:
            opens = part[0] == "[" and not in_class
            in_class = opens or (in_class and part != "]")
            parts.append(part if opens or part[0] != "[" else re.escape(part))
    return "".join(parts)


_EXAMPLE = r"\b[a-z]{3,}\b"
