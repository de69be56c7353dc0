"""Comparison of strings: string_equal, and the operators of order."""

import torch

from torch_stringops.ops._declare import declare_zip

string_equal = declare_zip("string_equal", torch.bool)
string_less = declare_zip("string_less", torch.bool)
string_less_equal = declare_zip("string_less_equal", torch.bool)
string_greater = declare_zip("string_greater", torch.bool)
string_greater_equal = declare_zip("string_greater_equal", torch.bool)
