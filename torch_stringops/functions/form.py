"""Characters removed at the ends of each string, and normalization forms of Unicode."""

from torch_stringops.functions import function_of
from torch_stringops.string_tensor import StringTensor

string_strip = function_of(StringTensor.strip)
string_lstrip = function_of(StringTensor.lstrip)
string_rstrip = function_of(StringTensor.rstrip)
string_remove_prefix = function_of(StringTensor.remove_prefix)
string_remove_suffix = function_of(StringTensor.remove_suffix)
string_normalize = function_of(StringTensor.normalize)
string_strip_accents = function_of(StringTensor.strip_accents)
