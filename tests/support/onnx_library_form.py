"""Runs ONNX models in the library form in onnxruntime."""

from typing import Any

import numpy as np
import onnx

from support.onnx_sessions import session
from torch_stringops import StringTensor


def run(model: onnx.ModelProto, inputs: dict[str, Any]) -> list[Any]:
    """The outputs of a model."""
    return list(session(model, library=True).run(None, inputs))


def as_array(value: Any) -> np.ndarray:
    """A tensor or strings, as a session takes and returns them."""
    if isinstance(value, StringTensor):
        return value.numpy() if value.dim() else np.array(value.item(), object)
    return value.detach().numpy()
