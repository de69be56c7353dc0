"""Oracle of string_length, on one string: Python's `len`, in which each invalid byte is a character."""


def string_length_ref(string: bytes, unit: str = "codepoint") -> int:
    return len(string if unit == "byte" else string.decode(errors="surrogateescape"))
