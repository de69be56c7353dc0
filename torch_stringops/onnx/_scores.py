"""Scores of classifiers of ai.onnx.ml: their transformations, and the labels of the classes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops.onnx._encoders import Values
from torch_stringops.string_tensor import StringTensor

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def check_transform(op: str, name: str) -> str:
    if name not in TRANSFORMS:
        raise ValueError(f"{op}: expected `post_transform` to be one of {', '.join(TRANSFORMS)}, got {name!r}")
    return name


def transformed(scores: Tensor, name: str) -> Tensor:
    """Applies `post_transform` to the scores of a row."""
    if name == "SOFTMAX":
        return torch.softmax(scores, -1)
    if name == "LOGISTIC":
        return torch.sigmoid(scores)
    if name == "PROBIT":
        quantiles: Tensor = torch.special.ndtri(scores)
        return quantiles
    if name == "SOFTMAX_ZERO":
        powers = torch.where(scores.abs() > 1e-7, torch.exp(scores - scores.amax(-1, keepdim=True)), 0.0)
        total = powers.sum(-1, keepdim=True)
        return torch.where(total > 0, powers / total, powers)
    return scores


class Labels(Values):
    """The label of each class, strings or int64."""

    def __init__(self, op: str, strings: Any, numbers: Any) -> None:
        if (strings is None) == (numbers is None):
            raise ValueError(f"{op}: expected labels of classes, strings or ints")
        if strings is not None:
            texts = strings_argument(op, "classlabels_strings", strings)
            super().__init__(texts, StringTensor.from_list(""))
            self.count = texts.numel()
        else:
            labels = torch.as_tensor(numbers, dtype=torch.int64)
            super().__init__(labels, torch.tensor(0))
            self.count = labels.numel()
        if self.count == 0:
            raise ValueError(f"{op}: expected labels of classes, got none")
