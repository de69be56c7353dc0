"""Strings edited character by character."""

from torch_stringops.ops._declare import declare_map

_string_reverse = declare_map("string_reverse")
