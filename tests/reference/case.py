"""Oracles of case, on one string: the methods of Python's `str`, where each invalid byte is a character without case."""

from collections.abc import Callable


def of_bytes(method: Callable[[str], str]) -> Callable[[bytes], bytes]:
    def reference(string: bytes) -> bytes:
        text = string.decode("utf-8", "surrogateescape")
        return method(text).encode("utf-8", "surrogateescape")

    return reference


string_lower_ref = of_bytes(str.lower)
string_upper_ref = of_bytes(str.upper)
string_casefold_ref = of_bytes(str.casefold)
string_title_ref = of_bytes(str.title)
string_capitalize_ref = of_bytes(str.capitalize)
string_swapcase_ref = of_bytes(str.swapcase)
