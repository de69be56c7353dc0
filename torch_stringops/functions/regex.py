"""Regular expressions."""

from torch_stringops._function_of import function_of
from torch_stringops.string_tensor import StringTensor

regex_full_match = function_of(StringTensor.regex_full_match)
regex_contains = function_of(StringTensor.regex_contains)
regex_replace = function_of(StringTensor.regex_replace)
regex_count = function_of(StringTensor.regex_count)
regex_find = function_of(StringTensor.regex_find)
regex_extract = function_of(StringTensor.regex_extract)
regex_extract_groups = function_of(StringTensor.regex_extract_groups)
regex_split_ragged = function_of(StringTensor.regex_split_ragged)
regex_split_spans_ragged = function_of(StringTensor.regex_split_spans_ragged)
regex_find_all_ragged = function_of(StringTensor.regex_find_all_ragged)
regex_find_all_spans_ragged = function_of(StringTensor.regex_find_all_spans_ragged)
