"""Calls of operators as nodes for onnxruntime, with the library of torch_stringops.onnx.library_path()."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

from support import onnx_sessions
from support.registry import PACKAGED, suite_of
from torch_stringops._native import overload_of

DOMAIN = "ai.torch_stringops"
# The types of tensors that onnxruntime has.
TYPES = {
    torch.uint8: TensorProto.UINT8, torch.int8: TensorProto.INT8, torch.uint16: TensorProto.UINT16,
    torch.int16: TensorProto.INT16, torch.uint32: TensorProto.UINT32, torch.int32: TensorProto.INT32,
    torch.uint64: TensorProto.UINT64, torch.int64: TensorProto.INT64, torch.bool: TensorProto.BOOL,
    torch.float16: TensorProto.FLOAT16, torch.bfloat16: TensorProto.BFLOAT16, torch.float32: TensorProto.FLOAT,
    torch.float64: TensorProto.DOUBLE,
}  # fmt: skip


def kind_of(schema: Any, name: str) -> str:
    """The type of an argument as a schema shows it, such as `SymInt[]?`. The objects of types show `int` for SymInt."""
    found = re.search(rf"[(, ](\S+) {name}[=,)]", str(schema))
    assert found
    return found.group(1)


def attribute(name: str, kind: str, value: Any) -> onnx.AttributeProto:
    """An argument that is not an input."""
    if kind.startswith("str["):
        return helper.make_attribute(name, numpy_helper.from_array(np.array(value, dtype=object)))
    if kind == "float":
        return helper.make_attribute(name, numpy_helper.from_array(np.array(value, dtype=np.float64)))
    if isinstance(value, torch.dtype):
        return helper.make_attribute(name, str(value).removeprefix("torch."))
    if isinstance(value, (list, tuple)):
        return helper.make_attribute(name, [int(v) for v in value], attr_type=onnx.AttributeProto.INTS)
    return helper.make_attribute(name, int(value) if isinstance(value, bool) else value)


class Call:
    """The node of a call of an operator, with its inputs. All names in the model begin with the prefix."""

    def __init__(self, overload: Any, args: Sequence[Any], kwargs: dict[str, Any], prefix: str = "") -> None:
        schema = overload._schema
        self.op_type = overload.name().removeprefix("stringops::").removesuffix(".default").replace(".", "_")
        self.prefix = prefix
        self.attributes: list[onnx.AttributeProto] = []
        inputs: list[Tensor | None] = []
        last: list[Tensor] = []
        for i, argument in enumerate(schema.arguments):
            value = args[i] if i < len(args) else kwargs.get(argument.name, argument.default_value)
            kind = kind_of(schema, argument.name)
            if kind == "Tensor[]":
                last = value
            elif kind.startswith("Tensor"):
                inputs.append(value)
            elif kind.startswith("SymInt"):
                inputs.append(None if value is None else torch.tensor(value, dtype=torch.int64))
            elif value is not None:
                self.attributes.append(attribute(argument.name, kind, value))
        self.inputs = [None if t is None else t.detach().contiguous() for t in (*inputs, *last)]

    def is_supported(self) -> bool:
        return all(t is None or t.dtype in TYPES for t in self.inputs)

    def named_inputs(self) -> dict[str, Tensor]:
        return {f"{self.prefix}x{i}": t for i, t in enumerate(self.inputs) if t is not None}

    def node(self, num_outputs: int) -> onnx.NodeProto:
        names = ["" if t is None else f"{self.prefix}x{i}" for i, t in enumerate(self.inputs)]
        while names and not names[-1]:
            names.pop()
        outputs = [f"{self.prefix}y{i}" for i in range(num_outputs)]
        node = helper.make_node(self.op_type, names, outputs, domain=DOMAIN)
        node.attribute.extend(self.attributes)
        return node


def info(name: str, dtype: torch.dtype, rank: int | None = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TYPES[dtype], None if rank is None else [None] * rank)


def constant(name: str, t: Tensor) -> onnx.TensorProto:
    raw = t.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return helper.make_tensor(name, TYPES[t.dtype], list(t.shape), raw, raw=True)


def model_of(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    constants: Sequence[onnx.TensorProto] = (),
    values: Sequence[onnx.ValueInfoProto] = (),
) -> bytes:
    graph = helper.make_graph(nodes, "test", inputs, outputs, initializer=constants, value_info=values)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, 1)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString())


session = functools.partial(onnx_sessions.session, library=True)


def built(calls: Sequence[tuple[Call, Sequence[Tensor]]]) -> tuple[bytes, dict[str, np.ndarray]]:
    """A model with a node for each call, and its inputs. The types of the outputs are those of the expected results."""
    given: dict[str, Tensor] = {}
    nodes, outputs, values = [], [], []
    for call, results in calls:
        given |= call.named_inputs()
        nodes.append(call.node(len(results)))
        for name, result in zip(nodes[-1].output, results, strict=True):
            if result.dtype == torch.bfloat16:  # NumPy does not have it
                values.append(info(name, result.dtype))
                nodes.append(helper.make_node("Cast", [name], [f"{name}_float"], to=TensorProto.FLOAT))
                outputs.append(info(f"{name}_float", torch.float32))
            else:
                outputs.append(info(name, result.dtype))
    constants = {name: t for name, t in given.items() if t.dtype == torch.bfloat16}
    inputs = {name: t for name, t in given.items() if name not in constants}
    model = model_of(
        nodes,
        [info(name, t.dtype, t.dim()) for name, t in inputs.items()],
        outputs,
        [constant(name, t) for name, t in constants.items()],
        values,
    )
    return model, {name: t.numpy() for name, t in inputs.items()}


def run(calls: Sequence[tuple[Call, Sequence[Tensor]]], threads: int = 1) -> list[list[Tensor]]:
    """The results of calls, all nodes of one model."""
    model, feeds = built(calls)
    found = session(model, threads=threads).run(None, feeds)
    tensors = iter([torch.from_numpy(as_array(value)) for value in found])
    return [[next(tensors).to(r.dtype) for r in results] for _, results in calls]


def as_array(value: Any) -> np.ndarray:
    # onnxruntime's arrays of uint64 have another type of the same size, which torch does not take.
    array = np.asarray(value)
    return array.view(np.uint64) if array.dtype.kind == "u" and array.dtype.itemsize == 8 else array


def listed(results: Any) -> list[Tensor]:
    return [results] if isinstance(results, Tensor) else list(results)


def sample_calls(name: str, prefix: str = "") -> list[tuple[Call, list[Tensor]]]:
    """The samples of an operator's suite that a node can express, with their results in torch."""
    suite = suite_of(name.removeprefix("_packaged_") if name in PACKAGED else name)
    overload, calls = overload_of(name), []
    for i, sample in enumerate(suite.samples):
        args, kwargs = suite.tensors(sample)
        call, want = Call(overload, args, kwargs, f"{prefix}s{i}_"), listed(overload(*args, **kwargs))
        if call.is_supported() and want:  # a node has at least one output
            calls.append((call, want))
    return calls
