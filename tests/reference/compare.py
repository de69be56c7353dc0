"""Oracles of string_equal and of the operators of order, on two strings: Python's comparisons of bytes.

string_isin is a set's `in`; string_edit_distance is the usual recurrence, row by row.
"""

from typing import Any

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
