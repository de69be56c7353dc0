"""Characters, prefixes and suffixes removed at the ends of strings."""

from torch_stringops.ops._declare import declare_map

_string_strip = declare_map("string_strip")
_string_lstrip = declare_map("string_lstrip")
_string_rstrip = declare_map("string_rstrip")
_string_remove_prefix = declare_map("string_remove_prefix")
_string_remove_suffix = declare_map("string_remove_suffix")
