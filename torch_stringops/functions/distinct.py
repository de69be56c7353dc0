"""Runs of equal strings, and counts of distinct ones."""

from torch_stringops._function_of import function_of, overloaded
from torch_stringops.string_tensor import StringTensor

string_unique_consecutive = overloaded(StringTensor.unique_consecutive)
string_value_counts = function_of(StringTensor.value_counts)
