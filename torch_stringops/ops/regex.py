"""Regular expressions: tests, replacement, extraction and splitting."""

import math
import operator
from collections.abc import Sequence

import torch
from torch import Tensor

from torch_stringops._checks import MAX_OFFSETS, check_strings
from torch_stringops._native import group_names, operator_on_strings
from torch_stringops._tracing import new_strings, register_fake, strings_shape
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.ops._declare import (
    declare_map,
    declare_ragged,
    declare_ragged_values,
    declare_reduce,
)
from torch_stringops.tensor.strings import S


def check_limit(count: int) -> int:
    """Rejects a `count` of 0, which is no limit for the operator, as in programs that earlier versions exported."""
    is_other = type(count) is not int and hasattr(count, "__index__") and not torch.compiler.is_compiling()
    if (operator.index(count) if is_other else count) == 0:
        raise ValueError(
            "regex_replace: expected `count` >= 1, or -1 for no limit, got 0 (0 is no limit in re.sub, and no "
            "replacement in str.replace)"
        )
    return count


_regex_full_match = declare_reduce("regex_full_match", torch.bool)
_regex_contains = declare_reduce("regex_contains", torch.bool)
_regex_count = declare_reduce("regex_count", torch.int64)
_regex_replace = declare_map("regex_replace")
_regex_extract = declare_map("regex_extract")
_regex_find = declare_reduce("regex_find", torch.int64, inner=[2])
_regex_split_ragged = declare_ragged("regex_split_ragged")
_regex_split_spans_ragged = declare_ragged_values("regex_split_spans_ragged", torch.int64, inner=[2])
_regex_find_all_ragged = declare_ragged("regex_find_all_ragged")
_regex_find_all_spans_ragged = declare_ragged_values("regex_find_all_spans_ragged", torch.int64, inner=[2])

_EXTRACT_GROUPS = "regex_extract_groups"


@register_fake("_regex_extract_groups")
def _fake_extract_groups(data: Tensor, offsets: Tensor, pattern: str, groups: Sequence[int]) -> tuple[Tensor, Tensor]:
    check_attributes("_regex_extract_groups", ["data", "offsets"], {"pattern": pattern, "groups": groups})
    check_strings(_EXTRACT_GROUPS, data, offsets)
    count = len(groups) * math.prod(offsets.shape)
    if type(count) is int and count > MAX_OFFSETS:
        raise ValueError(f"{_EXTRACT_GROUPS}: the result needs more than {MAX_OFFSETS} offsets (split the batch)")
    return new_strings(data, [len(groups), *strings_shape(offsets)])


_extract_groups = operator_on_strings("_regex_extract_groups", lambda s, strings: strings)


def _regex_extract_groups(s: S, pattern: str) -> dict[str, S]:
    """The groups by name, or by number as a string. They share one `data`."""
    names = group_names(_EXTRACT_GROUPS, pattern)
    keys = [name or str(number) for number, name in enumerate(names, 1)]
    if len(set(keys)) < len(keys):
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise ValueError(f"{_EXTRACT_GROUPS}: expected `pattern` with groups of different names, got two of {twice!r}")
    data, offsets = _extract_groups(s, pattern, list(range(1, len(keys) + 1)))
    rows = offsets.unbind(0)
    return {key: s._new(data, row, s._scalar) for key, row in zip(keys, rows, strict=True)}
