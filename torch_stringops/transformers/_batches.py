"""Ragged rows of ids as the lists, tensors and arrays of a BatchEncoding."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor

from torch_stringops._types import Side
from torch_stringops.functions.ragged import ragged_mask, ragged_to_dense
from torch_stringops.subword._padding import types_of_template
from torch_stringops.transformers._table import Rows, Table


class Wanted(NamedTuple):
    """What a call returns."""

    special: bool  # whether special tokens are around the texts
    types: bool
    mask: bool
    special_mask: bool
    lengths: bool


# What the columns of ids are padded with, by its name in the settings of padding.
_FILLS = {"input_ids": "pad_id", "token_type_ids": "pad_type_id"}


def width_of(padding: Any, longest: int) -> int:
    """The number of ids that rows are padded to, as `tokenizers` computes it; 0: rows are not padded."""
    if padding is None:
        return 0
    width: int = longest if padding["length"] is None else padding["length"]
    multiple = padding["pad_to_multiple_of"] or 1
    return -(-width // multiple) * multiple


def single_columns(
    table: Table, text: str, limit: int, left: bool, padding: Any, wanted: Wanted
) -> dict[str, list[int]]:
    """The columns of a BatchEncoding of one text, as lists; it is truncated to `limit` ids, -1: no limit."""
    ids = table.encode_one(text)
    before, of_text, after = table.types if wanted.special else ([], table.types[1], [])
    around = len(before) + len(after)
    if 0 <= limit < len(ids) + around:
        ids = ids[around - limit :] if left else ids[: limit - around]
    if around:
        ids = [*table.before, *ids, *table.after]
    length = len(ids)
    missing = max(width_of(padding, length) - length, 0)
    columns = {"input_ids": ids}
    if wanted.types:
        columns["token_type_ids"] = [*before, *[of_text] * (length - around), *after]
    if wanted.mask:
        columns["attention_mask"] = [1] * length
    if wanted.special_mask:
        columns["special_tokens_mask"] = [
            *[1] * len(before),
            *[0] * (length - around),
            *[1] * len(after),
        ]
    if missing:
        for name, row in columns.items():
            fill = [padding[_FILLS[name]] if name in _FILLS else int(name == "special_tokens_mask")] * missing
            columns[name] = fill + row if padding["direction"] == "left" else row + fill
    if wanted.lengths:
        columns["length"] = [length + missing]
    return columns


def list_columns(table: Table, rows: Rows, padding: Any, wanted: Wanted) -> dict[str, list[Any]]:
    """The columns of a BatchEncoding as lists of lists."""
    splits = rows.row_splits.tolist()
    lengths = [end - begin for begin, end in pairwise(splits)]
    width = width_of(padding, max(lengths))
    left = padding is not None and padding["direction"] == "left"

    def padded(values: list[list[int]], fill: int) -> list[list[int]]:
        if not width:
            return values
        if left:
            return [[fill] * (width - len(row)) + row for row in values]
        return [row + [fill] * (width - len(row)) for row in values]

    def ragged(numbers: list[int]) -> list[list[int]]:
        return [numbers[begin:end] for begin, end in pairwise(splits)]

    def around(before: list[int], inner: int, after: list[int]) -> list[list[int]]:
        if not before and not after:
            return [[inner] * length for length in lengths]
        count = len(before) + len(after)
        return [before + [inner] * (length - count) + after for length in lengths]

    pad_id, pad_type = (padding["pad_id"], padding["pad_type_id"]) if padding else (0, 0)
    columns: dict[str, list[Any]] = {}
    if width and max(lengths) <= width and pad_id < table.size:
        side: Side = "left" if left else "right"
        dense = ragged_to_dense(rows.ids, rows.row_splits, width, pad_id, side)
        columns["input_ids"] = table.numbers_of(dense)
    else:
        columns["input_ids"] = padded(ragged(table.numbers_of(rows.ids)), pad_id)
    if wanted.types:
        if rows.types is not None:
            found = ragged(rows.types.numpy().tolist())
        else:
            found = around(*(table.types if wanted.special else ([], table.types[1], [])))
        columns["token_type_ids"] = padded(found, pad_type)
    if wanted.mask:
        columns["attention_mask"] = _masks(lengths, width, left)
    if wanted.special_mask:
        before, after = ([1] * len(table.before), [1] * len(table.after)) if wanted.special else ([], [])
        columns["special_tokens_mask"] = padded(around(before, 0, after), 1)
    if wanted.lengths:
        columns["length"] = [max(length, width) for length in lengths]
    return columns


def _masks(lengths: list[int], width: int, left: bool) -> list[list[int]]:
    if not width or max(lengths) > width:
        rows = [[1] * length for length in lengths]
        if not width:
            return rows
        zeros = [[0] * (width - length) for length in lengths]
        return [z + row if left else row + z for row, z in zip(rows, zeros, strict=True)]
    # Each mask is one slice of a longer one, which takes half as long as to join two lists.
    if left:
        mask = [0] * width + [1] * width
        return [mask[length : length + width] for length in lengths]
    mask = [1] * width + [0] * width
    return [mask[width - length : 2 * width - length] for length in lengths]


def tensor_columns(table: Table, rows: Rows, padding: Any, wanted: Wanted) -> dict[str, Tensor] | None:
    """The columns of a BatchEncoding as tensors; None if the rows differ in length."""
    ids, row_splits, types = rows
    count = row_splits.shape[0] - 1
    lengths = row_splits.diff()
    longest, shortest = (ids.shape[0],) * 2 if count == 1 else (int(lengths.max()), int(lengths.min()))
    width = max(width_of(padding, longest), longest)
    pads = shortest < width
    if width == 0 or (pads and (padding is None or width_of(padding, longest) < longest)):
        return None
    side: Side = padding["direction"] if pads else "right"

    def dense(values: Tensor, fill: int) -> Tensor:
        if not pads:
            return values.reshape(count, width)
        found: Tensor = ragged_to_dense(values, row_splits, width, fill, side)
        return found

    columns = {"input_ids": dense(ids, padding["pad_id"] if pads else 0)}
    if wanted.types:
        if types is None:
            types = types_of_template(ids, row_splits, table.types, wanted.special)
        columns["token_type_ids"] = dense(types, padding["pad_type_id"] if pads else 0)
    if wanted.mask:
        if pads:
            columns["attention_mask"] = ragged_mask(row_splits, width, side).long()
        else:
            columns["attention_mask"] = torch.ones(count, width, dtype=torch.int64, device="cpu")
    if wanted.special_mask:
        around = ([1] * len(table.before), 0, [1] * len(table.after))
        columns["special_tokens_mask"] = dense(types_of_template(ids, row_splits, around, wanted.special), 1)
    if wanted.lengths:
        columns["length"] = lengths.clamp(min=width if pads else 0)
    return columns
