"""Comparison of strings: string_equal."""

import torch

from torch_stringops.ops._declare import declare_zip

string_equal = declare_zip("string_equal", torch.bool)
