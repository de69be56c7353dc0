"""The translation table of torch.onnx.export: each operator becomes the node of its library form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
import torch
from onnxscript import evaluator

from torch_stringops.onnx import _embedding_bag, _scatter
from torch_stringops.onnx._operators import DOMAIN, VERSION, Operator, Parameter, operators

Translation = Callable[..., Any]


def translations() -> dict[Callable[..., Any], Callable[..., Any]]:
    """The translations of all operators, for `torch.onnx.export(..., custom_translation_table=translations())`.

    Each operator becomes one node of the domain `ai.torch_stringops`, which the library of `library_path` runs. Strings
    are two tensors in such a graph, `data` and `offsets`, and two inputs and outputs of it. `export` is for models that
    take or return StringTensors: each becomes one tensor of strings. The table also has `aten.embedding_bag`, which
    torch translates into loops over single ids, and `aten.index_put`, whose sums at repeated positions onnxruntime
    computes in a race.

    Returns:
        A dict from overloads of `torch.ops` to functions that add nodes to the graph.

    Example:
        >>> table = translations()
        >>> torch.ops.stringops.string_length.default in table
        True
    """
    table: dict[Callable[..., Any], Translation] = {
        operator.overload: _translation(operator) for operator in operators().values()
    }
    return table | _embedding_bag.translations() | _scatter.translations()


def _translation(operator: Operator) -> Translation:
    names = [p.name for p in operator.parameters]

    def translate(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(names, args, strict=False)) | kwargs
        recorder: Any = evaluator.default()
        inputs: list[ir.Value | None] = []
        for p in operator.inputs:
            value = given.get(p.name, p.default)
            inputs += value if p.kind == "tensors" else [_input(recorder.opset, p, value)]
        while inputs and inputs[-1] is None:
            inputs.pop()
        node = ir.Node(
            DOMAIN,
            operator.op_type,
            inputs,
            [attribute(p, given[p.name]) for p in operator.attributes if given.get(p.name) is not None],
            num_outputs=_num_outputs(operator, given),
            version=VERSION,
        )
        recorder.nodes.append(node)
        outputs = node.outputs
        return outputs[0] if len(outputs) == 1 and not operator.returns_list else list(outputs)

    return translate


def _input(op: Any, p: Parameter, value: Any) -> ir.Value | None:
    """The input for a tensor or for sizes, each of which is an int or a value of the graph."""
    if value is None or p.kind == "tensor":
        return value
    if p.kind == "size":
        return value if isinstance(value, ir.Value) else _constant(op, value)
    if not any(isinstance(size, ir.Value) for size in value):
        return _constant(op, value)
    one = _constant(op, [1])
    sizes = [op.Reshape(s, one) if isinstance(s, ir.Value) else _constant(op, [s]) for s in value]
    return op.Concat(*sizes, axis=0)


def _constant(op: Any, value: int | Sequence[int]) -> ir.Value:
    constant: ir.Value = op.Constant(value=ir.tensor(np.array(value, np.int64)))
    return constant


def attribute(p: Parameter, value: Any) -> ir.Attr:
    """The attribute for an argument that is neither a tensor nor a size."""
    if p.type == "str":
        return ir.AttrString(p.name, value)
    if p.type in ("int", "bool"):
        return ir.AttrInt64(p.name, int(value))
    if p.type == "List[int]":
        return ir.AttrInt64s(p.name, list(value))
    if p.type == "float":  # an attribute FLOAT has 32 bits
        return ir.AttrTensor(p.name, ir.tensor(np.array(value, np.float64)))
    if p.type == "List[str]":
        strings = [text.encode() for text in value]
        return ir.AttrTensor(p.name, ir.StringTensor(strings, shape=ir.Shape([len(strings)])))
    assert p.type == "ScalarType", p
    return ir.AttrString(p.name, str(_torch_dtype(value)).removeprefix("torch."))


def _torch_dtype(value: Any) -> torch.dtype:
    """The dtype for one of ONNX, as the exporter passes it."""
    if isinstance(value, torch.dtype):
        return value
    by_name = {"BFLOAT16": torch.bfloat16, "FLOAT": torch.float32, "DOUBLE": torch.float64}
    name = ir.DataType(value).name
    dtype: torch.dtype = by_name[name] if name in by_name else getattr(torch, name.lower())
    return dtype


def _num_outputs(operator: Operator, given: dict[str, Any]) -> int:
    """The number of tensors that a call returns. For a list of pieces, it is the number of sizes or pieces."""
    if not operator.returns_list:
        return len(operator.results)
    pieces: int
    if given.get("num_outputs") is not None:
        pieces = given["num_outputs"]
    elif isinstance(given.get("split"), Sequence):
        pieces = len(given["split"])
    else:
        raise ValueError(
            f"translations: expected `split` or `num_outputs` of {operator.name} as ints, so that the graph has a "
            "fixed number of outputs"
        )
    return pieces * (2 if ".strings" in operator.name else 1)
