"""The operators of ai.onnx.ml that map categories, and dictionaries of features."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops._types import NumbersLike, StringsLike
from torch_stringops.functions.joining import stack
from torch_stringops.onnx import ops
from torch_stringops.onnx._registry import ML, operator
from torch_stringops.onnx.nodes.shape import to_number
from torch_stringops.string_tensor import StringTensor

operator("LabelEncoder", domain=ML)(ops.LabelEncoder)
operator("CategoryMapper", domain=ML)(ops.CategoryMapper)
operator("OneHotEncoder", domain=ML)(ops.OneHotEncoder)


@operator("DictVectorizer", domain=ML)
class DictVectorizer(nn.Module):
    """The values of a dict in the order of the vocabulary; 0 for keys that it lacks."""

    def __init__(
        self, *, int64_vocabulary: NumbersLike | None = None, string_vocabulary: StringsLike | None = None
    ) -> None:
        super().__init__()
        if (int64_vocabulary is None) == (string_vocabulary is None):
            raise ValueError("DictVectorizer: expected one of `int64_vocabulary` and `string_vocabulary`")
        # The keys of a Python dict.
        keys: Any = string_vocabulary if int64_vocabulary is None else int64_vocabulary
        self.keys = list(keys)

    def forward(self, X: dict[Any, Any]) -> Any:
        found = [X.get(key) for key in self.keys]
        like = next((value for value in X.values() if value is not None), None)
        if isinstance(like, (str, StringTensor)):
            return stack([StringTensor.from_list("") if v is None else _scalar(v) for v in found]).unsqueeze(0)
        tensors = [torch.as_tensor(0 if v is None else v) for v in found]
        dtype = torch.as_tensor(like).dtype if like is not None else torch.float32
        return torch.stack([t.reshape(()).to(dtype) for t in tensors]).unsqueeze(0)


def _scalar(value: Any) -> StringTensor:
    return StringTensor.from_list(value).reshape([])


@operator("CastMap", domain=ML)
def cast_map(x: dict[int, Any], *, cast_to: str = "TO_FLOAT", map_form: str = "DENSE", max_map: int = 1) -> Any:
    """The values of a dict in ascending order of its keys; with SPARSE, the key is the position."""
    keys = sorted(x)
    if keys and keys[0] < 0:
        raise ValueError(f"CastMap: expected keys of 0 or more, got {keys[0]}")
    if map_form == "SPARSE":
        keys = list(range(max_map))
    missing = next((value for value in x.values()), 0.0)
    empty: Any = "" if isinstance(missing, (str, StringTensor)) else 0.0
    values = [x.get(key, empty) for key in keys]
    if isinstance(empty, str):
        strings = stack([_scalar(value) for value in values])
        return (strings if cast_to == "TO_STRING" else _numbers(strings, cast_to)).unsqueeze(0)
    numbers = torch.stack([torch.as_tensor(value, dtype=torch.float32).reshape(()) for value in values])
    if cast_to == "TO_STRING":
        from torch_stringops import string_from_number

        return string_from_number(numbers).unsqueeze(0)
    return (numbers if cast_to == "TO_FLOAT" else numbers.long()).unsqueeze(0)


def _numbers(strings: StringTensor, cast_to: str) -> Tensor:
    return to_number(strings, torch.float32 if cast_to == "TO_FLOAT" else torch.int64)


@operator("ZipMap", domain=ML)
class ZipMap(nn.Module):
    """A dict from classes to scores for each row. The number of rows decides the length of the list."""

    def __init__(
        self, *, classlabels_int64s: NumbersLike | None = None, classlabels_strings: StringsLike | None = None
    ) -> None:
        super().__init__()
        if (classlabels_int64s is None) == (classlabels_strings is None):
            raise ValueError("ZipMap: expected one of `classlabels_int64s` and `classlabels_strings`")
        labels: Any = classlabels_strings if classlabels_int64s is None else classlabels_int64s
        self.labels = list(labels)

    def forward(self, X: Tensor) -> list[dict[Any, Tensor]]:
        rows = X if X.dim() == 2 else X.unsqueeze(0)
        if rows.shape[1] != len(self.labels):
            raise ValueError(f"ZipMap: expected {len(self.labels)} scores in a row, got {rows.shape[1]}")
        return [dict(zip(self.labels, row.unbind(), strict=True)) for row in rows.unbind()]
