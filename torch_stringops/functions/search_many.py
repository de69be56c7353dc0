"""Search for many strings at once in each string, or for many regular expressions; replacement of characters."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

string_contains_any = function_of(StringTensor.contains_any)
string_extract_many = function_of(StringTensor.extract_many)
string_replace_many = function_of(StringTensor.replace_many)
string_translate = function_of(StringTensor.translate)
regex_contains_any = function_of(StringTensor.regex_contains_any)
