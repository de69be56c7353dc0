"""The library form of an operator: the ONNX node that stands for a call of it, derived from its schema.

A node of the domain `ai.torch_stringops` is a call of `torch.ops.stringops`. `string_find.each` has the name
`string_find_each`. Its inputs are the tensors and the sizes (`SymInt`) of the schema, in order, with a list of tensors
last; its attributes are the other arguments, by name; its outputs are the tensors that the call returns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import torch

from torch_stringops._native import overload_of

DOMAIN = "ai.torch_stringops"
VERSION = 1
# The nodes at the borders of a graph: tensor(string) to `data` and `offsets`, and back.
PACK, UNPACK = "pack", "unpack"

Kind = Literal["tensor", "size", "sizes", "tensors", "attribute"]


@dataclass(frozen=True)
class Parameter:
    """An argument of an operator: an input of the node, or an attribute of it."""

    name: str
    kind: Kind
    type: str  # as torch prints it, without Optional
    default: Any  # None if the argument is required


@dataclass(frozen=True)
class Operator:
    """An operator of `torch.ops.stringops`."""

    name: str  # with its overload: `string_find.each`
    parameters: tuple[Parameter, ...]
    results: tuple[str, ...]  # the names of the returned tensors; `""` if the schema has none
    returns_list: bool

    @property
    def op_type(self) -> str:
        """The name of the node."""
        return self.name.replace(".", "_")

    @property
    def overload(self) -> torch._ops.OpOverload[Any, Any]:
        """The operator as torch calls it."""
        overload: torch._ops.OpOverload[Any, Any] = overload_of(self.name)
        return overload

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The parameters that are inputs, in the order of the node: a list of tensors is the last."""
        given = [p for p in self.parameters if p.kind != "attribute"]
        return tuple(sorted(given, key=lambda p: p.kind == "tensors"))

    @property
    def attributes(self) -> tuple[Parameter, ...]:
        """The parameters that are attributes."""
        return tuple(p for p in self.parameters if p.kind == "attribute")


def _parameter(argument: Any, schema: str) -> Parameter:
    name, text = argument.name, str(argument.real_type)
    text = text.removeprefix("Optional[").removesuffix("]") if text.startswith("Optional[") else text
    # `real_type` is int for SymInt, too; the text of the schema tells them apart.
    kind: Kind = "attribute"
    if text in ("Tensor", "List[Tensor]"):
        kind = "tensor" if text == "Tensor" else "tensors"
    elif re.search(rf"\bSymInt\S* {name}\b", schema):
        kind = "size" if text == "int" else "sizes"
    return Parameter(name, kind, text, argument.default_value if argument.has_default_value() else None)


@cache
def operators() -> dict[str, Operator]:
    """All operators, by the names of their nodes."""
    found = {}
    for qualified in torch._C._dispatch_get_all_op_names():
        namespace, _, name = qualified.partition("::")
        if namespace != "stringops":
            continue
        schema = overload_of(name)._schema
        operator = Operator(
            name,
            tuple(_parameter(argument, str(schema)) for argument in schema.arguments),
            tuple(result.name for result in schema.returns),
            any(str(result.type) == "List[Tensor]" for result in schema.returns),
        )
        found[operator.op_type] = operator
    return found
