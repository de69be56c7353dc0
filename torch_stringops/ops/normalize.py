"""Normalization forms of Unicode, and strings without accents."""

from torch_stringops.ops._declare import declare_map

_string_normalize = declare_map("string_normalize")
_string_strip_accents = declare_map("string_strip_accents")
