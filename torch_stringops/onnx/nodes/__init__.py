"""The ONNX operators that `load` reads, by family. Importing this package enters all of them into the registry."""

from torch_stringops.onnx.nodes import (
    activations,
    control,
    convolution,
    elementwise,
    encoders,
    features,
    linear_models,
    matrix,
    normalization,
    recurrent,
    reduce,
    select,
    sequences,
    shape,
    strings,
    trees,
)

__all__ = [
    "activations",
    "control",
    "convolution",
    "elementwise",
    "encoders",
    "features",
    "linear_models",
    "matrix",
    "normalization",
    "recurrent",
    "reduce",
    "select",
    "sequences",
    "shape",
    "strings",
    "trees",
]
