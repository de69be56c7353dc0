"""ONNX: models with strings, exported for onnxruntime and read as modules. Needs the extra `onnx`."""

from torch_stringops.onnx._export import export as export
from torch_stringops.onnx._translations import translations as translations
