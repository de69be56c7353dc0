"""Sorting, extremes and binary search, in the order of bytes."""

from torch_stringops._function_of import function_of, overloaded
from torch_stringops.string_tensor import StringTensor

string_sort = function_of(StringTensor.sort)
string_argsort = function_of(StringTensor.argsort)
string_min = overloaded(StringTensor.min)
string_max = overloaded(StringTensor.max)
string_argmin = function_of(StringTensor.argmin)
string_argmax = function_of(StringTensor.argmax)
string_minimum = function_of(StringTensor.minimum)
string_maximum = function_of(StringTensor.maximum)
string_topk = function_of(StringTensor.topk)
string_searchsorted = function_of(StringTensor.searchsorted)
string_bucketize = function_of(StringTensor.bucketize)
