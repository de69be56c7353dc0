"""Oracles of string_join and string_join_ragged: Python's `bytes.join`."""

import itertools
from typing import Any


def string_join_ref(strings: Any, separator: str = "") -> tuple[Any]:
    def join(level: Any) -> Any:
        rows = bool(level) and isinstance(level[0], list)
        return [join(row) for row in level] if rows else separator.encode().join(level)

    joined = join(strings)
    return (joined if isinstance(joined, list) else [joined],)


def string_join_ragged_ref(strings: list[bytes], row_splits: Any, separator: str = "") -> tuple[list[bytes]]:
    ends = row_splits.tolist()
    rows = [strings[a:b] for a, b in itertools.pairwise(ends)]
    return ([separator.encode().join(row) for row in rows],)
