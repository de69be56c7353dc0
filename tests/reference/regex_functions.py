"""Oracles of regex_*, on one string: Python's `re`, for patterns that mean the same there.

`python_pattern` names the constructs of RE2 that Python writes differently. A match of Python is found by one search
after the other, since `re.finditer` finds more of patterns that prefer an empty match (`a*?`).
"""

import re
from collections.abc import Iterator
from functools import lru_cache

# RE2's \s has no \v, and its \z is \Z; its \pL is Unicode's.
WRITTEN = {r"[^\w\s]": r"[^\w\t\n\f\r ]", r"\s": r"[\t\n\f\r ]", r"\S": r"[^\t\n\f\r ]", r"\z": r"\Z"}


@lru_cache(maxsize=1024)
def python_pattern(pattern: str) -> re.Pattern[str]:
    for ours, python in WRITTEN.items():
        pattern = pattern.replace(ours, python)
    return re.compile(pattern, re.ASCII)


def matches(text: str, pattern: str) -> Iterator[re.Match[str]]:
    at = 0
    while at <= len(text) and (found := python_pattern(pattern).search(text, at)):
        yield found
        at = found.end() + (found.end() == found.start())


def bytes_before(text: str, position: int) -> int:
    return len(text[:position].encode()) if position >= 0 else -1


def in_unit(text: str, span: tuple[int, int], unit: str) -> list[int]:
    return [bytes_before(text, position) if unit == "byte" else position for position in span]


def full_match_ref(text: str, pattern: str) -> bool:
    return python_pattern(pattern).fullmatch(text) is not None


def contains_ref(text: str, pattern: str) -> bool:
    return python_pattern(pattern).search(text) is not None


def count_ref(text: str, pattern: str) -> int:
    return sum(1 for _ in matches(text, pattern))


def replace_ref(text: str, pattern: str, rewrite: str, count: int = -1) -> str:
    result, done = "", 0
    for number, found in enumerate(matches(text, pattern)):
        if 0 < count == number:
            break
        pieces = re.split(r"\\(.)", rewrite)  # literals and what follows a backslash, in turn
        expanded = (piece if i % 2 == 0 or piece == "\\" else found[int(piece)] or "" for i, piece in enumerate(pieces))
        result += text[done : found.start()] + "".join(expanded)
        done = found.end()
    return result + text[done:]


def extracted_group(pattern: str, group: int) -> int:
    """-1 is the first group, or the whole match if there are no groups."""
    return min(1, python_pattern(pattern).groups) if group == -1 else group


def extract_ref(text: str, pattern: str, group: int = -1) -> str:
    found = next(matches(text, pattern), None)
    return (found[extracted_group(pattern, group)] or "") if found else ""


def extract_groups_ref(text: str, pattern: str) -> dict[str, str]:
    """By name, or by number as a string."""
    compiled = python_pattern(pattern)
    names = {number: name for name, number in compiled.groupindex.items()}
    return {names.get(g, str(g)): extract_ref(text, pattern, g) for g in range(1, compiled.groups + 1)}


def find_ref(text: str, pattern: str, group: int = 0, unit: str = "codepoint") -> list[int]:
    found = next(matches(text, pattern), None)
    span = found.span(extracted_group(pattern, group)) if found else (-1, -1)
    return in_unit(text, span, unit)


def split_spans(text: str, pattern: str) -> list[tuple[int, int]]:
    begins, ends = [0], []
    for found in matches(text, pattern):
        ends.append(found.start())
        begins.append(found.end())
    return list(zip(begins, [*ends, len(text)], strict=True))


def split_ref(text: str, pattern: str) -> list[str]:
    return [text[begin:end] for begin, end in split_spans(text, pattern)]


def split_spans_ref(text: str, pattern: str, unit: str = "byte") -> list[list[int]]:
    return [in_unit(text, span, unit) for span in split_spans(text, pattern)]


def find_all_ref(text: str, pattern: str, group: int = 0) -> list[str]:
    return [found[group] or "" for found in matches(text, pattern)]


def find_all_spans_ref(text: str, pattern: str, group: int = 0, unit: str = "byte") -> list[list[int]]:
    return [in_unit(text, found.span(group), unit) for found in matches(text, pattern)]
