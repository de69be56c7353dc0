"""Characters, prefixes and suffixes removed at the ends of each string."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_strip = function_of(StringTensor.strip)
string_lstrip = function_of(StringTensor.lstrip)
string_rstrip = function_of(StringTensor.rstrip)
string_remove_prefix = function_of(StringTensor.remove_prefix)
string_remove_suffix = function_of(StringTensor.remove_suffix)
