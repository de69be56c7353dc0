"""Oracle of string_reverse, on one string: a Python slice, in which each invalid byte is a character."""


def string_reverse_ref(string: bytes) -> bytes:
    return string.decode(errors="surrogateescape")[::-1].encode(errors="surrogateescape")
