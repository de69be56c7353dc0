"""Strings with another case."""

from torch_stringops.ops._declare import declare_map

string_lower = declare_map("string_lower")
string_upper = declare_map("string_upper")
string_casefold = declare_map("string_casefold")
string_title = declare_map("string_title")
string_capitalize = declare_map("string_capitalize")
string_swapcase = declare_map("string_swapcase")
