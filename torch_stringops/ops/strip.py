"""Characters, prefixes and suffixes removed at the ends of strings."""

from torch_stringops.ops._declare import declare_map

string_strip = declare_map("string_strip")
string_lstrip = declare_map("string_lstrip")
string_rstrip = declare_map("string_rstrip")
string_remove_prefix = declare_map("string_remove_prefix")
string_remove_suffix = declare_map("string_remove_suffix")
