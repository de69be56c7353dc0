"""Oracles of string_length and of the classes of characters, on one string: Python's, on valid and invalid bytes."""


def string_length_ref(string: bytes, unit: str = "codepoint") -> int:
    return len(string if unit == "byte" else string.decode(errors="surrogateescape"))


def class_ref(string: bytes, method: str) -> bool:
    """`str.isalpha` and its like; False if a byte is not part of a code point."""
    try:
        return bool(getattr(string.decode(), method)())
    except UnicodeDecodeError:
        return False
