"""Search in each string, for one string or for as many others; replacement."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_find = function_of(StringTensor.find)
string_rfind = function_of(StringTensor.rfind)
string_contains = function_of(StringTensor.contains)
string_count = function_of(StringTensor.count)
string_startswith = function_of(StringTensor.startswith)
string_endswith = function_of(StringTensor.endswith)
string_replace = function_of(StringTensor.replace)
