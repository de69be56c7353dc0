"""Operators that rearrange the characters of each string: string_reverse."""

from torch_stringops.ops._declare import declare_map

string_reverse = declare_map("string_reverse")
