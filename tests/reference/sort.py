"""Oracles of the operators of order, along the last axis: Python's sorted, min, max and bisect, on bytes."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any

from support.strings import Nested


def of_rows(row: Callable[[list[bytes]], Any], strings: Nested) -> Any:
    if strings and isinstance(strings[0], list):
        return [of_rows(row, part) for part in strings]
    return row(strings)


def argsort(row: list[bytes], descending: bool) -> list[int]:
    return sorted(range(len(row)), key=row.__getitem__, reverse=descending)


def string_argsort_ref(strings: Nested, descending: bool = False) -> tuple[Any]:
    return (of_rows(lambda row: argsort(row, descending), strings),)


def string_sort_ref(strings: Nested, descending: bool = False, count: int = -1) -> tuple[Any, Any]:
    wanted = slice(None if count == -1 else count)
    values = of_rows(lambda row: sorted(row, reverse=descending)[wanted], strings)
    return values, of_rows(lambda row: argsort(row, descending)[wanted], strings)


def extreme(of: Callable[[list[bytes]], bytes], strings: Nested, flatten: bool) -> tuple[Any, Any]:
    while flatten and isinstance(strings[0], list):
        strings = [string for row in strings for string in row]
    values = of_rows(of, strings)
    indices = of_rows(lambda row: row.index(of(row)), strings)
    return (values, indices) if isinstance(values, list) else ([values], [indices])


def string_min_ref(strings: Nested, flatten: bool = False) -> tuple[Any, Any]:
    return extreme(min, strings, flatten)


def string_max_ref(strings: Nested, flatten: bool = False) -> tuple[Any, Any]:
    return extreme(max, strings, flatten)


def string_searchsorted_ref(row: Nested, values: Nested, right: bool = False) -> tuple[Any]:
    """Of sorted rows, one for each row of values, or one row for all of them."""
    if row and isinstance(row[0], list):
        rows = zip(row, values, strict=True)
        return ([string_searchsorted_ref(r, v, right)[0] for r, v in rows],)
    if isinstance(values, list):
        return ([string_searchsorted_ref(row, v, right)[0] for v in values],)
    return ((bisect_right if right else bisect_left)(row, values),)
