"""Oracles of string_strip, string_remove_prefix and their like, on one string: Python's methods.

An invalid byte is a character, except that prefixes and suffixes are compared as bytes.
"""


def _text(string: str | bytes) -> str:
    return (string if isinstance(string, bytes) else string.encode()).decode(errors="surrogateescape")


def _strip(method: str, string: bytes, chars: str | bytes | None) -> bytes:
    stripped: str = getattr(_text(string), method)(chars if chars is None else _text(chars))
    return stripped.encode(errors="surrogateescape")


def string_strip_ref(string: bytes, chars: str | bytes | None = None) -> bytes:
    return _strip("strip", string, chars)


def string_lstrip_ref(string: bytes, chars: str | bytes | None = None) -> bytes:
    return _strip("lstrip", string, chars)


def string_rstrip_ref(string: bytes, chars: str | bytes | None = None) -> bytes:
    return _strip("rstrip", string, chars)


def string_remove_prefix_ref(string: bytes, prefix: str | bytes) -> bytes:
    return string.removeprefix(prefix if isinstance(prefix, bytes) else prefix.encode())


def string_remove_suffix_ref(string: bytes, suffix: str | bytes) -> bytes:
    return string.removesuffix(suffix if isinstance(suffix, bytes) else suffix.encode())
