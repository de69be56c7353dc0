"""Nested lists of strings, of any depth, for the oracles."""

from typing import Any


def flat(strings: Any) -> list[bytes]:
    return [s for part in strings for s in flat(part)] if isinstance(strings, list) else [strings]


def mapped(function: Any, strings: Any) -> Any:
    return [mapped(function, s) for s in strings] if isinstance(strings, list) else function(strings)
