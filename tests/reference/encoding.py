"""Oracles of the operators on UTF-8, on one string: Python's decoder."""

import itertools
from typing import Any


def string_is_utf8_ref(string: bytes) -> bool:
    try:
        string.decode()
    except UnicodeDecodeError:
        return False
    return True


def string_repair_ref(string: bytes, errors: str = "replace") -> bytes:
    return string.decode("utf-8", errors).encode()


def codepoints_ref(string: bytes) -> list[int]:
    """Each invalid byte gives U+FFFD, as Python's lone surrogates do here."""
    points = map(ord, string.decode(errors="surrogateescape"))
    return [0xFFFD if 0xDC80 <= p <= 0xDCFF else p for p in points]


def string_from_codepoints_ref(values: Any, row_splits: Any) -> tuple[list[bytes]]:
    points, ends = values.tolist(), row_splits.tolist()
    return (["".join(map(chr, points[a:b])).encode() for a, b in itertools.pairwise(ends)],)
