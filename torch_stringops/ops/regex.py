"""Regular expressions: tests, replacement, extraction and splitting."""

import operator
from typing import Any

import torch

from torch_stringops.ops._declare import (
    declare_map,
    declare_ragged,
    declare_ragged_values,
    declare_reduce,
)
from torch_stringops.ops.length import check_unit

# In place of a group: 1, or 0 if the pattern has no group.
_FIRST_GROUP = -1


def check_limit(count: int) -> int:
    """Rejects a `count` of 0, which is no limit for the operator, as in programs that earlier versions exported."""
    is_other = type(count) is not int and hasattr(count, "__index__") and not torch.compiler.is_compiling()
    if (operator.index(count) if is_other else count) == 0:
        raise ValueError(
            "regex_replace: expected `count` >= 1, or -1 for no limit, got 0 (0 is no limit in re.sub, and no "
            "replacement in str.replace)"
        )
    return count


def _check_group(op: str, *, group: int, **_: Any) -> None:
    if group < 0:
        raise ValueError(f"{op}: expected `group` >= 0, got {group}")


def _check_extracted_group(op: str, *, group: int, **_: Any) -> None:
    if group != _FIRST_GROUP:
        _check_group(op, group=group)


def _check_extracted_span(op: str, *, group: int, unit: str, **_: Any) -> None:
    _check_extracted_group(op, group=group)
    check_unit(op, unit=unit)


def _check_span(op: str, *, group: int, unit: str, **_: Any) -> None:
    _check_group(op, group=group)
    check_unit(op, unit=unit)


_regex_full_match = declare_reduce("regex_full_match", torch.bool)
_regex_contains = declare_reduce("regex_contains", torch.bool)
_regex_replace = declare_map("regex_replace")
_regex_extract = declare_map("regex_extract", _check_extracted_group)
_regex_extract_spans = declare_reduce("regex_extract_spans", torch.int64, _check_extracted_span, inner=[2])
_regex_split_ragged = declare_ragged("regex_split_ragged")
_regex_split_spans_ragged = declare_ragged_values(
    "regex_split_spans_ragged", torch.int64, check_unit, inner=[2]
)
_regex_find_all_ragged = declare_ragged("regex_find_all_ragged", _check_group)
_regex_find_all_spans_ragged = declare_ragged_values(
    "regex_find_all_spans_ragged", torch.int64, _check_span, inner=[2]
)
