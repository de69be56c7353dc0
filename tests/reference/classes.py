"""The oracle of the classes of characters, on one string: Python's methods, on valid and invalid bytes."""


def class_ref(string: bytes, method: str) -> bool:
    """`str.isalpha` and its like; False if a byte is not part of a code point."""
    try:
        return bool(getattr(string.decode(), method)())
    except UnicodeDecodeError:
        return False
