"""Oracle of string_reverse, on one string: Python's own slice, bytes that are not UTF-8 as characters of their own."""


def string_reverse_ref(string: bytes) -> bytes:
    return string.decode(errors="surrogateescape")[::-1].encode(errors="surrogateescape")
