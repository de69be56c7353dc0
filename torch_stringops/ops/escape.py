"""Bytes as text of few characters: base64 and percent-encoding."""

from typing import Any

from torch_stringops._checks import utf8
from torch_stringops.ops._declare import declare_map


def _check_safe(op: str, *, safe: str | bytes, **_: Any) -> None:
    if not utf8(op, "safe", safe).isascii():
        raise ValueError(f"{op}: expected `safe` to be ASCII characters, got others")


_string_base64 = declare_map("string_base64")
_string_unbase64 = declare_map("string_unbase64")
_string_url_quote = declare_map("string_url_quote", _check_safe)
_string_url_unquote = declare_map("string_url_unquote")
