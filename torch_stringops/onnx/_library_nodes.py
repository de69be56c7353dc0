"""Nodes of the domain ai.torch_stringops: each calls the operator that `_operators` names it after.

`pack` and `unpack` convert between strings and their two tensors.
"""

from __future__ import annotations

import operator as python
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from onnx import NodeProto
from torch import Tensor

from torch_stringops.onnx._operators import PACK, UNPACK, Parameter, operators
from torch_stringops.onnx._registry import ints, number
from torch_stringops.onnx._scope import Constant, Scope, Value
from torch_stringops.string_tensor import StringTensor


def pack(strings: StringTensor) -> tuple[Tensor, Tensor]:
    """The two tensors of strings."""
    return strings.data, strings.offsets


def unpack(data: Tensor, offsets: Tensor) -> StringTensor:
    """Strings of their two tensors."""
    return StringTensor(data, offsets)


def is_known(op_type: str) -> bool:
    return op_type in (PACK, UNPACK) or op_type in operators()


def emit(proto: NodeProto, inputs: Sequence[Value], attributes: Mapping[str, Any], scope: Scope) -> list[Value]:
    """Adds the call of a node to the graph of the scope, and returns its outputs."""
    builder, name = scope.builder, next(iter(proto.output), "")
    if proto.op_type in (PACK, UNPACK):
        if len(inputs) != (1 if proto.op_type == PACK else 2) or None in inputs or attributes:
            raise ValueError("expected the strings, or their two tensors, and no attribute")
        function = pack if proto.op_type == PACK else unpack
        given = [scope.node(value) for value in inputs if value is not None]
        made = builder.emit("call_function", function, given, name=name)
        return _items(proto, made, scope) if proto.op_type == PACK else [made]
    found = operators()[proto.op_type]
    arguments: dict[str, Any] = {}
    for i, p in enumerate(found.inputs):
        if p.kind == "tensors":
            arguments[p.name] = [None if v is None else scope.node(v) for v in inputs[i:]]
        elif p.kind == "tensor" or (i < len(inputs) and inputs[i] is not None):  # else a size has its default
            arguments[p.name] = _input(p, inputs[i] if i < len(inputs) else None, scope)
    if len(inputs) > len(found.inputs) and not any(p.kind == "tensors" for p in found.inputs):
        raise ValueError(f"expected at most {len(found.inputs)} inputs, got {len(inputs)}")
    # Sizes that are constant may be attributes.
    by_name = {p.name: p for p in found.parameters if p.kind in ("attribute", "size", "sizes")}
    for key, value in attributes.items():
        if key not in by_name:
            raise ValueError(f"{found.name} has no attribute {key!r}")
        arguments[key] = _attribute(by_name[key], value)
    made = builder.emit("call_function", found.overload, (), arguments, name)
    return _items(proto, made, scope) if found.returns_list or len(found.results) > 1 else [made]


def _items(proto: NodeProto, made: Any, scope: Scope) -> list[Value]:
    emit = scope.builder.emit
    return [
        emit("call_function", python.getitem, (made, i), name=name) if name else None
        for i, name in enumerate(proto.output)
    ]


def _input(p: Parameter, value: Value, scope: Scope) -> Any:
    """A tensor, or sizes as ints."""
    if value is None or p.kind == "tensor":
        return None if value is None else scope.node(value)
    if isinstance(value, Constant) and (literal := value.literal(False)) is not None:
        return ints(literal) if p.kind == "sizes" else number(literal)
    return scope.builder.emit("call_function", ints if p.kind == "sizes" else number, (scope.node(value),))


_TYPES: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "bool": int, "List[int]": list}


def _attribute(p: Parameter, value: Any) -> Any:
    """The value of an attribute as the operator takes it."""
    if p.type in _TYPES and isinstance(value, _TYPES[p.type]):
        return bool(value) if p.type == "bool" else value
    if p.type == "float" and isinstance(value, Tensor) and value.numel() == 1:
        return float(value)
    if p.type == "List[str]" and isinstance(value, StringTensor):
        return value.reshape(-1).tolist()
    dtype = getattr(torch, value, None) if p.type == "ScalarType" and isinstance(value, str) else None
    if isinstance(dtype, torch.dtype):
        return dtype
    raise ValueError(f"expected the attribute {p.name!r} to be of type {p.type}")
