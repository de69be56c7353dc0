"""Oracle of string_length, on one string: Python's `len`, bytes that are not UTF-8 as characters of their own."""


def string_length_ref(string: bytes, unit: str = "codepoint") -> int:
    return len(string if unit == "byte" else string.decode(errors="surrogateescape"))
