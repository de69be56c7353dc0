"""Runs ONNX models in the library form in onnxruntime."""

from typing import Any

import numpy as np
import onnx
import onnxruntime

from torch_stringops import StringTensor
from torch_stringops.onnx import library_path


def run(model: onnx.ModelProto, inputs: dict[str, Any]) -> list[Any]:
    """The outputs of a model."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.register_custom_ops_library(library_path())
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return list(session.run(None, inputs))


def as_array(value: Any) -> np.ndarray:
    """A tensor or strings, as a session takes and returns them."""
    if isinstance(value, StringTensor):
        return value.numpy() if value.dim() else np.array(value.item(), object)
    return value.detach().numpy()
