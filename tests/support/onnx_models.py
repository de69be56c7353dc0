"""Calls loaded ONNX models with NumPy arrays, and compares their outputs."""

from typing import Any

import numpy as np
import onnx
import torch

from torch_stringops import StringTensor

# Rounding of the half types, whose stored outputs were computed in other orders.
_TOLERANCE = {"bfloat16": 2e-2, "float16": 5e-3}


def from_stored(value: Any) -> Any:
    """An input of a stored test: an array, a list of arrays or None."""
    if value is None or isinstance(value, dict):
        return value
    if isinstance(value, list):
        return [from_stored(v) for v in value]
    array = _array(value)
    if array.dtype.kind in "OUST":
        return StringTensor.from_numpy(array) if array.ndim else StringTensor.from_list(array.item())
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


def _array(value: Any) -> np.ndarray:
    return np.asarray(onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value)


def run(module: torch.nn.Module, inputs: list[Any]) -> list[Any]:
    """The outputs of a loaded model as a list."""
    with torch.no_grad():
        outputs = module(*map(from_stored, inputs))
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def is_close(got: Any, want: Any, rtol: float, atol: float) -> bool:
    """Whether an output has the type, the shape and the values of the stored one."""
    if want is None or got is None:
        return want is got
    if isinstance(want, list):
        return len(got) == len(want) and all(is_close(g, w, rtol, atol) for g, w in zip(got, want, strict=True))
    if isinstance(want, dict):
        numbers = {key: np.float32(number) for key, number in want.items()}
        return got.keys() == want.keys() and all(is_close(got[k], numbers[k], rtol, atol) for k in want)
    want = _array(want)
    if isinstance(got, StringTensor):
        strings = [s.decode() if isinstance(s, bytes) else s for s in want.reshape(-1).tolist()]
        return list(got.shape) == list(want.shape) and got.reshape(-1).tolist() == strings
    name = want.dtype.name
    rtol, atol = (max(t, _TOLERANCE.get(name, 1e-5)) for t in (rtol, atol))
    if name == "bfloat16":
        assert got.dtype is torch.bfloat16
        got, want = got.float(), want.astype(np.float32)
    array = got.detach().numpy()
    if array.dtype != want.dtype or array.shape != want.shape:
        return False
    return np.allclose(array, want, rtol, atol, equal_nan=want.dtype.kind in "fc")


def has_strings(model: onnx.ModelProto) -> bool:
    """Whether an input or output of a model has strings, or a node of ai.onnx.ml has strings as attributes."""
    kinds = (onnx.AttributeProto.STRINGS, onnx.AttributeProto.TENSOR)
    return any(_type_has_strings(v.type) for v in (*model.graph.input, *model.graph.output)) or any(
        a.type == kinds[0] or (a.type == kinds[1] and a.t.data_type == onnx.TensorProto.STRING)
        for n in model.graph.node
        if n.domain == "ai.onnx.ml"
        for a in n.attribute
    )


def _type_has_strings(kind: onnx.TypeProto) -> bool:
    for field in ("sequence_type", "optional_type"):
        if kind.HasField(field):
            return _type_has_strings(getattr(kind, field).elem_type)
    return kind.HasField("tensor_type") and kind.tensor_type.elem_type == onnx.TensorProto.STRING
