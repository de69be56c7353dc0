"""Oracles of string_strip, string_remove_prefix and their like, on one string: Python's methods; and of string_normalize
and string_strip_accents: Python's unicodedata.

An invalid byte is a character, except that prefixes and suffixes are compared as bytes.
"""

import unicodedata


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


def string_normalize_ref(string: bytes, form: str) -> bytes:
    return unicodedata.normalize(form, _text(string)).encode(errors="surrogateescape")


def string_strip_accents_ref(string: bytes) -> bytes:
    """BERT's `_run_strip_accents`."""
    decomposed = unicodedata.normalize("NFD", _text(string))
    kept = (c for c in decomposed if unicodedata.category(c) != "Mn")
    return "".join(kept).encode(errors="surrogateescape")
