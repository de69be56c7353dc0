"""The operators of ai.onnx.ml that prepare numeric features."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops._types import NumbersLike
from torch_stringops.onnx._registry import ML, operator


@operator("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor(x: Any, positions: Tensor) -> Any:
    """The columns at the positions; a single row gives a matrix of one row."""
    at = positions.reshape(-1).long()
    taken = x.index_select(x.dim() - 1, at)
    return taken.reshape(1, at.shape[0]) if x.dim() == 1 else taken


@operator("FeatureVectorizer", domain=ML)
def feature_vectorizer(*tensors: Tensor, inputdimensions: list[int] | None = None) -> Tensor:
    """The columns of all inputs side by side, as float32; an input that has too many loses the last ones."""
    widths = [t.shape[-1] for t in tensors] if inputdimensions is None else inputdimensions
    columns = [t.reshape(1, -1) if t.dim() == 1 else t for t in tensors]
    return torch.cat(
        [
            nn.functional.pad(t.float(), (0, max(width - t.shape[1], 0)))[:, :width]
            for t, width in zip(columns, widths, strict=True)
        ],
        1,
    )


@operator("Imputer", domain=ML)
class Imputer(nn.Module):
    """Replaces one value, or NaN, by the value of its column."""

    values: Tensor

    def __init__(
        self,
        *,
        imputed_value_floats: NumbersLike | None = None,
        imputed_value_int64s: NumbersLike | None = None,
        replaced_value_float: float = 0.0,
        replaced_value_int64: int = 0,
    ) -> None:
        super().__init__()
        if (imputed_value_floats is None) == (imputed_value_int64s is None):
            raise ValueError("Imputer: expected one of `imputed_value_floats` and `imputed_value_int64s`")
        floats = imputed_value_int64s is None
        values = imputed_value_floats if floats else imputed_value_int64s
        self.register_buffer("values", torch.as_tensor(values, dtype=torch.float32 if floats else torch.int64))
        self.replaced = replaced_value_float if floats else replaced_value_int64

    def forward(self, X: Tensor) -> Tensor:
        found: Any = X.isnan() if self.replaced != self.replaced else self.replaced == X
        return torch.where(found, self.values.to(X.dtype), X)


@operator("Scaler", domain=ML)
class Scaler(nn.Module):
    """`(x - offset) * scale`, by column or with one number for all, in float32."""

    offset: Tensor
    scale: Tensor

    def __init__(self, *, offset: NumbersLike | None = None, scale: NumbersLike | None = None) -> None:
        super().__init__()
        for name, value, default in (("offset", offset, [0.0]), ("scale", scale, [1.0])):
            given = default if value is None else value
            self.register_buffer(name, torch.as_tensor(given, dtype=torch.float32))

    def forward(self, X: Tensor) -> Tensor:
        return (X.float() - self.offset) * self.scale


@operator("Normalizer", domain=ML)
def normalizer(x: Tensor, *, norm: str = "MAX") -> Tensor:
    """Divides rows by their norm; rows of zeros stay as they are."""
    rows = x.float()
    if norm == "MAX":
        length = rows.amax(-1, keepdim=True)
    elif norm == "L1":
        length = rows.abs().sum(-1, keepdim=True)
    elif norm == "L2":
        length = rows.square().sum(-1, keepdim=True).sqrt()
    else:
        raise ValueError(f"Normalizer: expected `norm` to be MAX, L1 or L2, got {norm!r}")
    return torch.where(length == 0, rows, rows / length)


@operator("Binarizer", domain=ML)
def binarizer(x: Tensor, *, threshold: float = 0.0) -> Tensor:
    return (x > threshold).to(x.dtype)
