"""Linear models of ai.onnx.ml."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops._types import NumbersLike, StringsLike
from torch_stringops.onnx._registry import ML, operator
from torch_stringops.onnx._scores import Labels, check_transform, transformed
from torch_stringops.string_tensor import StringTensor


class _Linear(nn.Module):
    """`x @ coefficients.T + intercepts`, of rows in float32."""

    def __init__(self, op: str, coefficients: Any, intercepts: Any, count: int) -> None:
        super().__init__()
        given = torch.as_tensor(coefficients, dtype=torch.float32).reshape(-1)
        if count < 1 or given.numel() % count:
            raise ValueError(f"{op}: expected coefficients for {count} rows, got {given.numel()}")
        bias = torch.zeros(count) if intercepts is None else torch.as_tensor(intercepts, dtype=torch.float32)
        if bias.numel() != count:
            raise ValueError(f"{op}: expected {count} intercepts, got {bias.numel()}")
        self.weight, self.bias = nn.Parameter(given.reshape(count, -1)), nn.Parameter(bias)

    def forward(self, x: Tensor) -> Tensor:
        rows = x.float()
        return nn.functional.linear(rows.unsqueeze(0) if x.dim() == 1 else rows, self.weight, self.bias)


@operator("LinearRegressor", domain=ML)
class LinearRegressor(nn.Module):
    def __init__(
        self,
        *,
        coefficients: NumbersLike,
        intercepts: NumbersLike | None = None,
        post_transform: str = "NONE",
        targets: int = 1,
    ) -> None:
        super().__init__()
        self.post_transform = check_transform("LinearRegressor", post_transform)
        self.linear = _Linear("LinearRegressor", coefficients, intercepts, targets)

    def forward(self, X: Tensor) -> Tensor:
        return transformed(self.linear(X), self.post_transform)


@operator("LinearClassifier", domain=ML)
class LinearClassifier(nn.Module):
    """With one row of coefficients and two classes, the score is that of the second class."""

    def __init__(
        self,
        *,
        coefficients: NumbersLike,
        intercepts: NumbersLike | None = None,
        classlabels_ints: NumbersLike | None = None,
        classlabels_strings: StringsLike | None = None,
        multi_class: int = 0,
        post_transform: str = "NONE",
    ) -> None:
        super().__init__()
        op = "LinearClassifier"
        self.post_transform = check_transform(op, post_transform)
        self.labels = Labels(op, classlabels_strings, classlabels_ints)
        rows = self.labels.count
        if intercepts is not None:
            rows = len(intercepts)
        if rows not in (self.labels.count, 1) or (rows == 1 and self.labels.count > 2):
            raise ValueError(f"{op}: expected scores of {self.labels.count} classes, got {rows}")
        self.linear = _Linear(op, coefficients, intercepts, rows)

    def forward(self, X: Tensor) -> tuple[Tensor | StringTensor, Tensor]:
        scores = self.linear(X)
        if scores.shape[1] == self.labels.count:
            labels = self.labels(scores.argmax(1))
            return labels, transformed(scores, self.post_transform)
        labels = self.labels((scores[:, 0] > 0).long())
        if self.post_transform == "LOGISTIC":
            return labels, torch.cat([torch.sigmoid(-scores), torch.sigmoid(scores)], 1)
        return labels, torch.cat([1 - scores, scores], 1)
