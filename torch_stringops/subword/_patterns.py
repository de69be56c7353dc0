"""Regular expressions that cut text into words before subwords are formed, found by their exact text.

A native scanner does what a pattern does, without backtracking. A pattern is a list of alternatives, and each of these
has a few spellings in use, so that known patterns are those that can be put together from known alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

# A spelling of an alternative (or of several that belong together), and the parameters of the scanner it stands for.
Spelling = tuple[str, Mapping[str, object]]


class Scanner(NamedTuple):
    """A native scanner, and its alternatives in order. `""` stands for an alternative that a pattern may leave out."""

    name: str
    alternatives: Sequence[Sequence[Spelling]]
    covers: bool = True  # every character is part of a match


_GPT2_WHITESPACE: list[Spelling] = [
    (r"\s+(?!\S)|\s+", {}),
    (r"\s++$|\s+(?!\S)|\s", {}),
]

_GPT2 = Scanner(
    "gpt2",
    [
        [("'s|'t|'re|'ve|'m|'ll|'d", {}), ("'(?:[sdmt]|ll|ve|re)", {})],
        [(r" ?\p{L}+", {}), (r" ?[\p{L}]+", {}), (r" ?\p{L}++", {})],
        [(r" ?\p{N}+", {}), (r" ?[\p{N}]+", {}), (r" ?\p{N}++", {})],
        [(r" ?[^\s\p{L}\p{N}]+", {}), (r" ?[^\s\p{L}\p{N}]++", {})],
        _GPT2_WHITESPACE,
    ],
)

# Before `\s+(?!\S)`, the rules of line breaks.
_WHITESPACE = [
    breaks + "|" + rest
    for breaks in (r"\s*[\r\n]+", r"\s*[\r\n]")
    for rest in (r"\s+(?!\S)|\s+", r"\s+(?!\S)|\s")
]

_LLAMA3 = Scanner(
    "llama3",
    [
        [
            ("(?i:'s|'t|'re|'ve|'m|'ll|'d)", {"contractions": 2}),
            ("'(?i:[sdmt]|ll|ve|re)", {"contractions": 2}),
            ("'s|'t|'re|'ve|'m|'ll|'d", {"contractions": 1}),
            ("", {"contractions": 0}),
        ],
        [
            (r"[^\r\n\p{L}\p{N}]?\p{L}+", {"marks": 0}),
            (r"[^\r\n\p{L}\p{N}]?+\p{L}+", {"marks": 0}),
            (r"[^\r\n\p{L}\p{N}]?+\p{L}++", {"marks": 0}),
            (r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+", {"marks": 1}),
        ],
        [(r"\p{N}{1,3}", {"digits": 3}), (r"\p{N}{1,3}+", {"digits": 3}), (r"\p{N}", {"digits": 1})],
        [
            (r" ?[^\s\p{L}\p{N}]+[\r\n]*", {"newline_tail": 1, "marks": 0}),
            (r" ?[^\s\p{L}\p{N}]++[\r\n]*", {"newline_tail": 1, "marks": 0}),
            (r" ?[^\s\p{L}\p{N}]++[\r\n]*+", {"newline_tail": 1, "marks": 0}),
            (r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*", {"newline_tail": 1, "marks": 1}),
            (r" ?[^\s\p{L}\p{N}]+", {"newline_tail": 0, "marks": 0}),
        ],
        [
            *((text, {"end": "hf"}) for text in _WHITESPACE),
            (r"\s++$|\s*[\r\n]|\s+(?!\S)|\s", {"end": "tiktoken"}),
        ],
    ],
)

_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_WORDS = (rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+", rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*")
_SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

_O200K = Scanner(
    "o200k",
    [
        [
            ("|".join(word + _SUFFIX for word in _WORDS), {"contractions": 1}),
            ("|".join(_WORDS), {"contractions": 0}),
        ],
        [(r"\p{N}{1,3}", {"digits": 3}), (r"\p{N}", {"digits": 1})],
        [(r" ?[^\s\p{L}\p{N}]+[\r\n/]*", {"slash": 1}), (r" ?[^\s\p{L}\p{N}]+[\r\n]*", {"slash": 0})],
        [(text, {}) for text in _WHITESPACE],
    ],
)

_SIGNS = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"""

_DEEPSEEK = Scanner(
    "deepseek",
    [
        [(_SIGNS + "[A-Za-z]+", {})],
        [(r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+", {})],
        [(r" ?[\p{P}\p{S}]+[\r\n]*", {})],
        [(text, {}) for text in _WHITESPACE],
    ],
    covers=False,
)

_RUNS = [
    Scanner("numbers", [[(r"\p{N}{1,3}", {"most": 3}), (r"\p{N}", {"most": 1})]], covers=False),
    Scanner("cjk", [[("[一-龥\u3040-ゟ\u30a0-ヿ]+", {})]], covers=False),
]

_CLIP = Scanner(
    "clip",
    [
        [("'s|'t|'re|'ve|'m|'ll|'d", {})],
        [(r"[\p{L}]+", {}), (r"\p{L}+", {})],
        [(r"[\p{N}]", {}), (r"\p{N}", {})],
        [(r"[^\s\p{L}\p{N}]+", {})],
    ],
    covers=False,
)

SCANNERS = [_GPT2, _LLAMA3, _O200K, _DEEPSEEK, _CLIP, *_RUNS]

# The order of parameters in a directive.
_PARAMETERS = ("digits", "marks", "newline_tail", "contractions", "slash", "most", "end")


def find_scanner(pattern: str, engine: str) -> tuple[str, bool] | None:
    """The arguments of the directive `split` for a pattern, and whether its matches cover all text; None if unknown.

    Args:
        pattern: the text of the pattern.
        engine: "onig" or "fancy", the library for which it was written. `{1,3}+` is possessive in the latter only; in
            the former it repeats.
    """
    pattern = pattern.replace("\r", r"\r").replace("\n", r"\n")
    for scanner in SCANNERS:
        for parameters in _parse(pattern, scanner.alternatives, engine):
            words = [f"{name}={parameters[name]}" for name in _PARAMETERS if name in parameters]
            return " ".join([scanner.name, *words]), scanner.covers
    return None


def _parse(
    text: str, alternatives: Sequence[Sequence[Spelling]], engine: str
) -> Iterator[Mapping[str, object]]:
    """The parameters of each way to read `text` as these alternatives, separated by `|`."""
    if not alternatives:
        if not text:
            yield {}
        return
    for spelling, parameters in alternatives[0]:
        rest = text[len(spelling) :]
        if not text.startswith(spelling) or (engine == "onig" and "{1,3}+" in spelling):
            continue
        if spelling and (rest.startswith("|") != (len(alternatives) > 1)):
            continue
        for others in _parse(rest[1:] if spelling else rest, alternatives[1:], engine):
            if all(others.get(name, value) == value for name, value in parameters.items()):
                yield {**parameters, **others}
