"""Characters removed at the ends of strings; the normalization forms of Unicode."""

from typing import Any

from torch_stringops._checks import choice_error
from torch_stringops.ops._declare import declare_map


def _check_form(op: str, *, form: Any, **_: Any) -> None:
    if form not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise choice_error(op, "form", "'NFC', 'NFD', 'NFKC' or 'NFKD'", form)


string_strip = declare_map("string_strip")
string_lstrip = declare_map("string_lstrip")
string_rstrip = declare_map("string_rstrip")
string_remove_prefix = declare_map("string_remove_prefix")
string_remove_suffix = declare_map("string_remove_suffix")
string_normalize = declare_map("string_normalize", _check_form)
string_strip_accents = declare_map("string_strip_accents")
