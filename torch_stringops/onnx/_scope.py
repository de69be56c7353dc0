"""The names of an ONNX graph under conversion, and the torch.fx graph that is built from it.

A sub-graph becomes a module of its own. It sees the names of the graphs around it: values that it uses from there are
captured, which makes them further inputs of its module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

import torch
from onnx import AttributeProto
from torch import Tensor, fx, nn

from torch_stringops.string_tensor import StringTensor

MAX_NODES = 200_000  # of all graphs, so that functions that call functions cannot fill the memory
_MAX_LITERAL = 64  # elements


def identifier(name: str) -> str:
    """A name for Python, like `name`."""
    cleaned = re.sub(r"\W", "_", name, flags=re.ASCII)[:64] or "value"
    return f"_{cleaned}" if cleaned[0].isdigit() or iskeyword(cleaned) else cleaned


class Constant:
    """An initialiser or a constant. It becomes a parameter or buffers if it is used as a tensor."""

    def __init__(self, name: str, value: Tensor | StringTensor, owner: Builder, is_parameter: bool) -> None:
        self.name, self.value, self.owner = name, value, owner
        self.is_parameter = is_parameter and isinstance(value, Tensor) and value.is_floating_point()
        self.node: fx.Node | None = None

    def literal(self, any_type: bool) -> Any:
        """Its numbers as a Python number or tuple, or None: int64 and bool of rank 0 and 1, with `any_type` others."""
        value = self.value
        if not isinstance(value, Tensor) or value.dim() > 1 or value.numel() > _MAX_LITERAL:
            return None
        if value.is_complex() or not (any_type or value.dtype in (torch.int64, torch.bool)):
            return None
        return tuple(value.tolist()) if value.dim() else value.item()


Value = fx.Node | Constant | None


def as_sizes(value: Value) -> Any:
    """A value of type int64 or int32 as an argument of Python ints; None if it is a tensor or missing."""
    if isinstance(value, Constant):
        return value.literal(isinstance(value.value, Tensor) and value.value.dtype is torch.int32)
    return None if value is None else value if value.meta["sizes"] else value.meta.get("int32")


class Builder:
    """Builds the torch.fx graph of one ONNX graph. `count` is a counter that all builders share."""

    def __init__(self, count: list[int]) -> None:
        self.graph, self.module, self.count = fx.Graph(), nn.Module(), count
        self.captured: dict[fx.Node | Constant, fx.Node] = {}  # from the graph around this one

    def emit(self, kind: str, target: Any, args: Any = (), kwargs: Any = None, name: str = "") -> fx.Node:
        self.count[0] += 1
        if self.count[0] > MAX_NODES:
            raise ValueError(f"expected at most {MAX_NODES} nodes, functions included")
        node = self.graph.create_node(kind, target, tuple(args), kwargs or {}, name=identifier(name) if name else None)
        node.meta["sizes"] = False
        return node

    def attribute(self, name: str) -> str:
        """A free name for an attribute of the module."""
        base = candidate = identifier(name)
        number = 0
        while hasattr(self.module, candidate) or hasattr(fx.GraphModule, candidate):
            number += 1
            candidate = f"{base}_{number}"
        return candidate

    def placeholder(self, name: str) -> fx.Node:
        node = self.emit("placeholder", identifier(name))
        node.target = node.name  # distinct
        return node

    def constant(self, constant: Constant) -> fx.Node:
        """The tensor or strings of a constant that this builder owns."""
        if constant.node is None:
            constant.node = self._registered(constant)
        return constant.node

    def _registered(self, constant: Constant) -> fx.Node:
        value = constant.value
        if isinstance(value, StringTensor):
            parts = []
            for part, tensor in (("data", value.data), ("offsets", value.offsets)):
                parts.append(self.attribute(f"{constant.name}_{part}"))
                self.module.register_buffer(parts[-1], tensor)
            nodes = [self.emit("get_attr", part) for part in parts]
            return self.emit("call_function", StringTensor, nodes, {"scalar": value.dim() == 0}, constant.name)
        name = self.attribute(constant.name)
        if constant.is_parameter:
            self.module.register_parameter(name, nn.Parameter(value))
        else:
            self.module.register_buffer(name, value)
        return self.emit("get_attr", name)

    def submodule(self, name: str, module: nn.Module) -> str:
        name = self.attribute(name)
        self.module.add_module(name, module)
        return name


class Scope:
    """The names that the nodes of a graph, or of the body of a function, see."""

    def __init__(
        self,
        builder: Builder,
        opsets: Mapping[str, int],
        outer: Scope | None = None,
        attributes: Mapping[str, AttributeProto] | None = None,
        depth: int = 0,
    ) -> None:
        self.builder, self.opsets, self.outer, self.depth = builder, opsets, outer, depth
        self.attributes: Mapping[str, AttributeProto] = attributes or {}
        self.values: dict[str, Value] = {}

    def define(self, name: str, value: Value, what: str) -> None:
        if name in self.values:
            raise ValueError(f"{what}: expected a new name, got {name!r}, which is defined before")
        self.values[name] = value

    def find(self, name: str, what: str) -> Value:
        """The value of a name, as a node of this scope's graph."""
        if name in self.values:
            return self.values[name]
        if self.outer is None:
            raise ValueError(
                f"{what}: expected an input that is defined before the node, got {name!r} "
                "(nodes must be in topological order, without cycles)"
            )
        value = self.outer.find(name, what)
        if isinstance(value, fx.Node):
            value = self._capture(value)
        self.values[name] = value
        return value

    def _capture(self, value: fx.Node | Constant) -> fx.Node:
        if value not in self.builder.captured:
            node = self.builder.placeholder(value.name)
            node.meta["sizes"] = isinstance(value, fx.Node) and value.meta["sizes"]
            self.builder.captured[value] = node
        return self.builder.captured[value]

    def node(self, value: fx.Node | Constant) -> fx.Node:
        """A value as a node of this scope's graph."""
        if isinstance(value, fx.Node):
            return value
        return self.builder.constant(value) if value.owner is self.builder else self._capture(value)

    def captured(self, inner: Builder) -> list[fx.Node]:
        """The values that the module of a sub-graph captures, as nodes of this scope's graph."""
        return [self.node(value) for value in inner.captured]
