"""The ranks and fixed sizes that a file declares for the inputs of a loaded model, which are checked at each call."""

from __future__ import annotations

from typing import Any

import onnx


def declared_sizes(value: onnx.ValueInfoProto) -> list[int | None] | None:
    """The sizes of a tensor, with None for those that are not fixed; None for other values, and for any rank."""
    kind = value.type.optional_type.elem_type if value.type.HasField("optional_type") else value.type
    if not kind.HasField("tensor_type") or not kind.tensor_type.HasField("shape"):
        return None
    return [dim.dim_value if dim.HasField("dim_value") else None for dim in kind.tensor_type.shape.dim]


def check_sizes(value: Any, name: str, sizes: list[int | None]) -> Any:
    """Returns an input of these sizes; raises ValueError for one of others. Optional inputs may be None."""
    if value is not None:
        fits = value.dim() == len(sizes) and all(
            size is None or size == got for size, got in zip(sizes, value.shape, strict=True)
        )
        if not fits:
            shape = ", ".join("*" if size is None else str(size) for size in sizes)
            column = sizes == [None, 1] and value.dim() == 1
            hint = " (a column: as_strings(texts).reshape(-1, 1))" if column else ""
            raise ValueError(f"expected the input `{name}` of shape [{shape}], got {list(value.shape)}{hint}")
    return value
