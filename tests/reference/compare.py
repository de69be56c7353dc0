"""Oracles of string_equal and of the operators of order, on two strings: Python's comparisons of bytes.

string_isin is a set's `in`; string_edit_distance is the usual recurrence, row by row. string_damerau is that of Lowrance
and Wagner (1975), on the whole matrix; string_ratio is that of longest common subsequences. string_jaro_winkler marks the
units that match one by one; its result, like that of string_ratio, is computed in float64 and rounded once.
"""

from typing import Any

import numpy as np
from support.strings import Nested


def string_equal_ref(left: bytes, right: bytes) -> bool:
    return left == right


def string_less_ref(left: bytes, right: bytes) -> bool:
    return left < right


def string_less_equal_ref(left: bytes, right: bytes) -> bool:
    return left <= right


def string_greater_ref(left: bytes, right: bytes) -> bool:
    return left > right


def string_greater_equal_ref(left: bytes, right: bytes) -> bool:
    return left >= right


def string_isin_ref(strings: Nested, test: Nested) -> tuple[Any]:
    def flat(nested: Nested) -> list[bytes]:
        return [s for part in nested for s in flat(part)] if isinstance(nested, list) else [nested]

    known = set(flat(test))

    def walk(level: Nested) -> Any:
        return [walk(part) for part in level] if isinstance(level, list) else level in known

    return (walk(strings),)


def string_edit_distance_ref(
    left: bytes, right: bytes, unit: str = "codepoint", max_distance: int | None = None
) -> int:
    a, b = (s if unit == "byte" else s.decode(errors="surrogateescape") for s in (left, right))
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], min(before + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1] if max_distance is None else min(row[-1], max_distance + 1)


def units(unit: str, *strings: bytes) -> list[Any]:
    return [s if unit == "byte" else s.decode(errors="surrogateescape") for s in strings]


def float32(value: float) -> float:
    return float(np.float32(value))


def string_damerau_ref(left: bytes, right: bytes, unit: str = "codepoint", max_distance: int | None = None) -> int:
    a, b = units(unit, left, right)
    most = len(a) + len(b)
    # Row and column -1 are at the end: larger than every distance.
    table = [[most] * (len(b) + 2) for _ in range(len(a) + 2)]
    last_rows: dict[Any, int] = {}
    for i in range(len(a) + 1):
        last_column = 0
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                table[i][j] = i + j
                continue
            k, m = last_rows.get(b[j - 1], 0), last_column
            changed = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            moved = table[k - 1][m - 1] + (i - k) + (j - m) - 1
            table[i][j] = min(changed, table[i - 1][j] + 1, table[i][j - 1] + 1, moved)
            if a[i - 1] == b[j - 1]:
                last_column = j
        if i > 0:
            last_rows[a[i - 1]] = i
    distance = table[len(a)][len(b)]
    return distance if max_distance is None else min(distance, max_distance + 1)


def string_ratio_ref(left: bytes, right: bytes, unit: str = "codepoint") -> float:
    a, b = units(unit, left, right)
    row = [0] * (len(b) + 1)  # sizes of longest common subsequences
    for x in a:
        before = 0
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], before + 1 if x == y else max(row[j], row[j + 1])
    total = len(a) + len(b)
    return float32(1 - (total - 2 * row[-1]) / total) if total else 1.0


def string_jaro_winkler_ref(left: bytes, right: bytes, unit: str = "codepoint", prefix_weight: float = 0.1) -> float:
    a, b = units(unit, left, right)
    reach = max(max(len(a), len(b)) // 2 - 1, 0)
    matched: dict[int, int] = {}  # positions of b and of a
    for j, y in enumerate(b):
        for i in range(max(0, j - reach), min(len(a), j + reach + 1)):
            if a[i] == y and i not in matched.values():
                matched[j] = i
                break
    if not matched:
        return float(not a and not b)
    common = len(matched)
    moved = sum(a[i] != b[j] for i, j in zip(sorted(matched.values()), sorted(matched), strict=True))
    similarity = (common / len(a) + common / len(b) + (common - moved // 2) / common) / 3
    if similarity > 0.7:
        prefix = 0
        while prefix < min(len(a), len(b), 4) and a[prefix] == b[prefix]:
            prefix += 1
        similarity = min(similarity + prefix * prefix_weight * (1 - similarity), 1.0)
    return float32(similarity)


def string_jaccard_ref(left: bytes, right: bytes, ngram: int, unit: str = "codepoint") -> float:
    def ngrams(text: list[Any]) -> set[tuple[Any, ...]]:
        return {tuple(text[i : i + ngram]) for i in range(max(1, len(text) - ngram + 1))}

    a, b = map(ngrams, units(unit, left, right))
    return float32(len(a & b) / len(a | b))
