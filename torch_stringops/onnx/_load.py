"""Reads ONNX models as modules: load."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

import torch
from google.protobuf.message import DecodeError
from onnx import ModelProto
from torch import fx

from torch_stringops._names import named
from torch_stringops.onnx import nodes as nodes  # enters the operators into the registry
from torch_stringops.onnx._graph import Converter, _opsets
from torch_stringops.onnx._scope import Builder, Scope


@named
def load(path_or_model: str | PathLike[str] | ModelProto) -> fx.GraphModule:
    """Reads an ONNX model as a module, which takes strings as StringTensors.

    The module calls one function or module for each node: `print(module.code)` shows them. Initialisers of floating
    point are parameters, other constants are buffers; strings are two buffers. Sequences are lists, and optional values
    may be None. The module supports torch.compile, `torch_stringops.export` and AOTInductor.

    Args:
        path_or_model: the path of a file, or a ModelProto. External data are read from the folder of the file only.

    Returns:
        A module that takes the inputs of the graph, in order: tensors, and strings in any form that `as_strings`
        accepts. It returns the output, or a tuple of all outputs.

    Raises:
        OSError: the file cannot be read.
        TypeError: `path_or_model` is neither a path nor a ModelProto.
        ValueError: the file is not a valid model, or has operators that are not supported: the message names all of
            them.

    See also: `torch_stringops.onnx.ops`, the modules of the operators on strings; `operators`, which are supported.

    Example:
        >>> import onnx
        >>> from torch_stringops.onnx import load
        >>> split = onnx.helper.make_node("StringSplit", ["text"], ["words", "counts"])
        >>> text, words = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.STRING, None)
        ...                for name in ("text", "words"))
        >>> graph = onnx.helper.make_graph([split], "words", [text], [words])
        >>> module = load(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)]))
        >>> module(["to be", "or not"]).tolist()
        [['to', 'be'], ['or', 'not']]
    """
    folder = None
    if isinstance(path_or_model, (str, PathLike)):
        path = Path(fspath(path_or_model))
        folder = path.parent
        model = ModelProto()
        try:
            model.ParseFromString(path.read_bytes())
        except DecodeError as error:
            raise ValueError(f"load: expected an ONNX model, got a file that is not one ({error})") from error
    elif isinstance(path_or_model, ModelProto):
        model = path_or_model
    else:
        raise TypeError(f"load: expected a path or a ModelProto, got {type(path_or_model).__name__}")
    if not model.HasField("graph"):
        raise ValueError("load: expected a model with a graph, got none")
    opsets = _opsets(model.opset_import, "load")
    converter = Converter(model.functions, folder)
    missing = converter.unsupported(model.graph.node, opsets)
    if missing:
        raise ValueError(f"load: {len(missing)} nodes have unsupported operators: {'; '.join(missing)}")
    with torch.device("cpu"):
        module = converter.graph(model.graph, Scope(Builder(converter.count), opsets), top=True)
    return module.eval()
