"""Oracles of the search operators, on two strings: Python's methods of `bytes`; positions are counted in `str`."""

from collections.abc import Callable
from typing import Any

from reference.case import string_simple_fold_ref


def with_case(reference: Callable[..., Any]) -> Callable[..., Any]:
    """The oracle with the argument `ignore_case`."""

    def search(string: bytes, sub: bytes | str, *args: Any, ignore_case: bool = False) -> Any:
        if not ignore_case:
            return reference(string, sub, *args)
        return reference(string_simple_fold_ref(string), string_simple_fold_ref(_bytes(sub)), *args)

    return search


def string_find_ref(string: bytes, sub: bytes | str, unit: str = "codepoint") -> int:
    at = string.find(_bytes(sub))
    return at if unit == "byte" or at < 0 else _codepoints(string[:at])


def string_rfind_ref(string: bytes, sub: bytes | str, unit: str = "codepoint") -> int:
    at = string.rfind(_bytes(sub))
    return at if unit == "byte" or at < 0 else _codepoints(string[:at])


def string_contains_ref(string: bytes, sub: bytes | str) -> bool:
    return _bytes(sub) in string


def string_count_ref(string: bytes, sub: bytes | str) -> int:
    return string.count(_bytes(sub)) if sub else _codepoints(string) + 1


def string_startswith_ref(string: bytes, sub: bytes | str) -> bool:
    return string.startswith(_bytes(sub))


def string_endswith_ref(string: bytes, sub: bytes | str) -> bool:
    return string.endswith(_bytes(sub))


def string_replace_ref(string: bytes, old: bytes | str, new: bytes | str, count: int = -1) -> bytes:
    old, new = _bytes(old), _bytes(new)
    if old:
        return string.replace(old, new, count)
    text, between = (s.decode(errors="surrogateescape") for s in (string, new))
    return text.replace("", between, count).encode(errors="surrogateescape")


def _bytes(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _codepoints(string: bytes) -> int:
    """Code points; an invalid byte counts as one."""
    return len(string.decode(errors="surrogateescape"))
