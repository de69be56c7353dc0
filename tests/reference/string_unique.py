"""Oracle of string_unique: a dict remembers the order in which its keys came."""

from typing import Any


def string_unique_ref(strings: Any) -> tuple[Any, ...]:
    counts: dict[bytes, int] = {}
    number: dict[bytes, int] = {}

    def walk(level: Any) -> Any:
        if isinstance(level, list):
            return [walk(part) for part in level]
        counts[level] = counts.get(level, 0) + 1
        return number.setdefault(level, len(number))

    inverse = walk(strings)
    return list(number), inverse, list(counts.values())
