"""Oracles of the operators that search for many strings at once, on one string: a search for each."""

from collections.abc import Iterator

from reference.regex_functions import contains_ref


def all_occurrences(string: bytes, patterns: list[bytes]) -> Iterator[tuple[int, int, int]]:
    """(begin, end, number of the first equal pattern) of each occurrence."""
    for i, pattern in enumerate(patterns):
        if pattern in patterns[:i]:
            continue
        at = string.find(pattern)
        while at >= 0:
            yield at, at + len(pattern), i
            at = string.find(pattern, at + 1)


def occurrences(string: bytes, patterns: list[bytes]) -> list[tuple[int, int, int]]:
    """Those that do not overlap, from left to right, the longest one at each place."""
    found, done = [], 0
    for begin, end, i in sorted(all_occurrences(string, patterns), key=lambda one: (one[0], -one[1])):
        if begin >= done:
            found.append((begin, end, i))
            done = end
    return found


def string_contains_any_ref(string: bytes, patterns: list[bytes]) -> bool:
    return any(pattern in string for pattern in patterns)


def string_extract_many_ref(string: bytes, patterns: list[bytes], overlapping: bool = False) -> list[bytes]:
    if overlapping:
        found = sorted(all_occurrences(string, patterns), key=lambda one: (one[1], one[0]))
    else:
        found = occurrences(string, patterns)
    return [string[begin:end] for begin, end, _ in found]


def string_replace_many_ref(string: bytes, patterns: list[bytes], replacements: list[bytes]) -> bytes:
    result, done = b"", 0
    for begin, end, i in occurrences(string, patterns):
        result += string[done:begin] + replacements[i if len(replacements) > 1 else 0]
        done = end
    return result + string[done:]


def regex_contains_any_ref(string: str, patterns: list[bytes]) -> bool:
    return any(contains_ref(string, pattern.decode()) for pattern in patterns)
