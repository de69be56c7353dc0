"""Regular expressions."""

from torch_stringops.functions import function_of
from torch_stringops.string_tensor import StringTensor

regex_full_match = function_of(StringTensor.regex_full_match, prefix="")
regex_contains = function_of(StringTensor.regex_contains, prefix="")
regex_replace = function_of(StringTensor.regex_replace, prefix="")
regex_extract = function_of(StringTensor.regex_extract, prefix="")
regex_extract_spans = function_of(StringTensor.regex_extract_spans, prefix="")
regex_split_ragged = function_of(StringTensor.regex_split_ragged, prefix="")
regex_split_spans_ragged = function_of(StringTensor.regex_split_spans_ragged, prefix="")
regex_find_all_ragged = function_of(StringTensor.regex_find_all_ragged, prefix="")
regex_find_all_spans_ragged = function_of(StringTensor.regex_find_all_spans_ragged, prefix="")
