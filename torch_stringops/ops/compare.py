"""Comparison of strings: string_equal, the operators of order, string_isin, distances and similarities."""

import torch
from torch import Tensor

from torch_stringops._checks import choice_error
from torch_stringops.ops._declare import declare_reduce, declare_zip
from torch_stringops.tensor.reshape import unsqueeze
from torch_stringops.tensor.strings import Strings, rank

_string_equal = declare_zip("string_equal", torch.bool)
_string_less = declare_zip("string_less", torch.bool)
_string_less_equal = declare_zip("string_less_equal", torch.bool)
_string_greater = declare_zip("string_greater", torch.bool)
_string_greater_equal = declare_zip("string_greater_equal", torch.bool)


_isin = declare_reduce("string_isin", torch.bool)


def _string_isin(s: Strings, test: Strings) -> Tensor:
    return _isin(s, test.data, test.offsets)


_string_edit_distance = declare_zip("string_edit_distance", torch.int64)
_string_damerau = declare_zip("string_damerau", torch.int64)
_string_ratio = declare_zip("string_ratio", torch.float32)
_string_jaro_winkler = declare_zip("string_jaro_winkler", torch.float32)
_string_jaccard = declare_zip("string_jaccard", torch.float32)

_DISTANCES = {"levenshtein": _string_edit_distance, "damerau": _string_damerau}
_SIMILARITIES = {"ratio": _string_ratio, "jaro_winkler": _string_jaro_winkler}


def _string_cdist(s: Strings, other: Strings, metric: str, unit: str, max_distance: int | None) -> Tensor:
    op = "string_cdist"
    if not isinstance(metric, str) or metric not in _DISTANCES | _SIMILARITIES:
        raise choice_error(op, "metric", "'levenshtein', 'damerau', 'ratio' or 'jaro_winkler'", metric)
    for name, strings in (("input", s), ("other", other)):
        if rank(strings) == 0:
            raise ValueError(f"{op}: expected `{name}` of rank 1 or more, got rank 0")
    column, row = unsqueeze(s, -1), unsqueeze(other, -2)
    if metric in _DISTANCES:
        return _DISTANCES[metric](column, row, unit, max_distance=max_distance)
    if max_distance is not None:
        raise ValueError(f"{op}: expected `max_distance` to be None for a similarity, got {max_distance}")
    return _SIMILARITIES[metric](column, row, unit)
