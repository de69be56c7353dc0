"""The oracle of string_length, on one string: Python's `len`, on valid and invalid bytes."""


def string_length_ref(string: bytes, unit: str = "codepoint") -> int:
    return len(string if unit == "byte" else string.decode(errors="surrogateescape"))
