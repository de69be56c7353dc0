"""Oracles of case, on one string: the methods of Python's `str`, where each invalid byte is a character without case.

string_normalizer follows the text of ONNX StringNormalizer-10: stop words are removed, then case changes.
"""

from collections.abc import Callable
from typing import Any


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


def string_normalizer_ref(
    strings: Any, stopwords: Any, case_change_action: str = "NONE", is_case_sensitive: bool = False
) -> tuple[Any]:
    def flat(nested: Any) -> list[bytes]:
        return [s for part in nested for s in flat(part)] if isinstance(nested, list) else [nested]

    key = bytes if is_case_sensitive else string_casefold_ref
    change = {"NONE": bytes, "LOWER": string_lower_ref, "UPPER": string_upper_ref}[case_change_action]
    removed = {key(word) for word in flat(stopwords)}
    left = [change(s) for s in flat(strings) if key(s) not in removed] or [b""]
    return ([left] if strings and isinstance(strings[0], list) else left,)
