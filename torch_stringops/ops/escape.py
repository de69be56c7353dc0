"""Bytes as text of few characters: base64 and percent-encoding."""

from torch_stringops.ops._declare import declare_map

_string_base64 = declare_map("string_base64")
_string_unbase64 = declare_map("string_unbase64")
_string_url_quote = declare_map("string_url_quote")
_string_url_unquote = declare_map("string_url_unquote")
