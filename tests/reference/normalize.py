"""Oracles of string_normalize and string_strip_accents, on one string: Python's unicodedata.

An invalid byte is a character.
"""

import unicodedata


def string_normalize_ref(string: bytes, form: str) -> bytes:
    return unicodedata.normalize(form, string.decode(errors="surrogateescape")).encode(errors="surrogateescape")


def string_strip_accents_ref(string: bytes) -> bytes:
    """BERT's `_run_strip_accents`."""
    decomposed = unicodedata.normalize("NFD", string.decode(errors="surrogateescape"))
    kept = (c for c in decomposed if unicodedata.category(c) != "Mn")
    return "".join(kept).encode(errors="surrogateescape")
