"""Oracles of case, on one string: the methods of Python's `str`, where each invalid byte is a character without case.

string_normalizer follows the text of ONNX StringNormalizer-10: stop words are removed, then case changes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any


def of_bytes(method: Callable[[str], str]) -> Callable[[bytes], bytes]:
    def reference(string: bytes) -> bytes:
        text = string.decode("utf-8", "surrogateescape")
        return method(text).encode("utf-8", "surrogateescape")

    return reference


@lru_cache(maxsize=1)
def first_of_foldings() -> dict[str, str]:
    """The first code point with each full case folding."""
    first: dict[str, str] = {}
    for c in map(chr, range(0x110000)):
        first.setdefault(c.casefold(), c)
    return first


def simple_fold(text: str) -> str:
    """One code point for each, equal for those whose full foldings are equal."""
    foldings = (c.casefold() for c in text)
    return "".join(folding if len(folding) == 1 else first_of_foldings()[folding] for folding in foldings)


string_simple_fold_ref = of_bytes(simple_fold)
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
    left = [change(s) for s in flat(strings) if key(s) not in removed] or [b""] * bool(flat(strings))
    return ([left] if strings and isinstance(strings[0], list) else left,)
