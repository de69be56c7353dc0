"""Oracle of ragged_to_dense for strings, which are padded with a string."""

from typing import Any

from reference.ragged import pad_rows, padding_like, rows_of, width_of
from torch import Tensor


def strings_to_dense_ref(
    strings: list[Any],
    row_splits: Tensor,
    width: int | None,
    padding_value: str,
    side: str,
    *,
    max_width: int | None = None,
    min_width: int = 0,
    pad_to_multiple_of: int = 1,
) -> tuple[Any]:
    rows = rows_of(strings, row_splits)
    if width is None:
        width = width_of(rows, max_width, min_width, pad_to_multiple_of)
    padding = padding_value.encode()
    return (pad_rows(rows, width, padding_like(strings[0], padding) if strings else padding, side),)
