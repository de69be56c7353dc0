"""ONNX: models with strings, exported for onnxruntime and read as modules.

Needs the extra `onnx`, except for `library_path` and `ops`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from torch_stringops.onnx import ops as ops
from torch_stringops.onnx._library import library_path as library_path

if TYPE_CHECKING:
    from torch_stringops.onnx._export import export as export
    from torch_stringops.onnx._load import load as load
    from torch_stringops.onnx._translations import translations as translations

# Imported when they are first used, since they need packages.
_MODULES = {"export": "_export", "load": "_load", "translations": "_translations"}

__all__ = ["export", "library_path", "load", "ops", "translations"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
