"""Normalization forms of Unicode, and strings without accents."""

from typing import Any

from torch_stringops._checks import choice_error
from torch_stringops.ops._declare import declare_map


def _check_form(op: str, *, form: Any, **_: Any) -> None:
    if form not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise choice_error(op, "form", "'NFC', 'NFD', 'NFKC' or 'NFKD'", form)


_string_normalize = declare_map("string_normalize", _check_form)
_string_strip_accents = declare_map("string_strip_accents")
