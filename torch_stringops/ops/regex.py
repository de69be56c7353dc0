"""Regular expressions: tests, replacement, extraction and splitting."""

from typing import Any

import torch

from torch_stringops.ops._declare import (
    declare_map,
    declare_ragged,
    declare_ragged_values,
    declare_reduce,
)


def _check_group(op: str, *, group: int, **_: Any) -> None:
    if group < 0:
        raise ValueError(f"{op}: expected `group` >= 0, got {group}")


def _check_count(op: str, *, count: int, **_: Any) -> None:
    if count < 0:
        raise ValueError(f"{op}: expected `count` >= 0, got {count}")


regex_full_match = declare_reduce("regex_full_match", torch.bool)
regex_contains = declare_reduce("regex_contains", torch.bool)
regex_replace = declare_map("regex_replace", _check_count)
regex_extract = declare_map("regex_extract", _check_group)
regex_extract_spans = declare_reduce("regex_extract_spans", torch.int64, _check_group, inner=[2])
regex_split_ragged = declare_ragged("regex_split_ragged")
regex_split_spans_ragged = declare_ragged_values("regex_split_spans_ragged", torch.int64, inner=[2])
regex_find_all_ragged = declare_ragged("regex_find_all_ragged", _check_group)
regex_find_all_spans_ragged = declare_ragged_values(
    "regex_find_all_spans_ragged", torch.int64, _check_group, inner=[2]
)
