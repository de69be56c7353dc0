"""A node of the library form while it is replaced: its arguments, and the nodes that take its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx_ir as ir
import torch

from torch_stringops.onnx._operators import Operator
from torch_stringops.string_tensor import StringTensor

ML, MICROSOFT = "ai.onnx.ml", "com.microsoft"
VERSIONS = {"": None, ML: 4, MICROSOFT: 1}


class NoForm(Exception):
    """Raised by a form that is not exact for the arguments of a call; the text is the reason."""


@dataclass
class Scope:
    """What is known of the graph: the strings that stand for pairs of tensors, and the tokens of vocabularies.

    Attributes:
        strings: tensors of strings by the `data` and `offsets` that they replace.
        tokens: the tokens of vocabularies by the bytes of their tables.
        resolve: returns the strings of a pair that nodes make of others (`_views.strings_of`).
    """

    graph: ir.Graph
    tokens: dict[bytes, StringTensor]
    resolve: Callable[[Scope, ir.Value, ir.Value, ir.Node], Any]
    strings: dict[tuple[ir.Value, ir.Value], ir.Value] = field(default_factory=dict)
    count: int = 0

    def add(self, before: ir.Node, op_type: str, *inputs: Any, domain: str = "", outputs: int = 1, **attrs: Any) -> Any:
        """Adds a node, and returns its output or outputs. Inputs that are not values are constants, int64 or str."""
        values = [v if v is None or isinstance(v, ir.Value) else self.constant(v) for v in inputs]
        node = ir.Node(
            domain,
            op_type,
            values,
            ir.convenience.convert_attributes({k: v for k, v in attrs.items() if v is not None}),
            num_outputs=outputs,
            version=VERSIONS[domain],
        )
        self.graph.insert_before(before, node)
        for output in node.outputs:
            output.name = self._name(op_type)
        return node.outputs[0] if outputs == 1 else tuple(node.outputs)

    def constant(self, value: Any) -> ir.Value:
        """An initializer with these numbers, int64 unless it is an array, or with strings."""
        tensor = value
        if isinstance(value, StringTensor):
            tensor = ir.StringTensor(value.reshape(-1).tolist(as_bytes=True), shape=ir.Shape(list(value.shape)))
        elif not isinstance(value, ir.TensorProtocol):
            tensor = ir.tensor(value if isinstance(value, np.ndarray) else np.array(value, np.int64))
        constant = ir.Value(
            name=self._name("constant"),
            type=ir.TensorType(tensor.dtype),
            shape=tensor.shape,
            const_value=tensor,
        )
        self.graph.initializers.add(constant)
        return constant

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}_{self.count}_portable"

    def known_strings(self, data: ir.Value, offsets: ir.Value) -> ir.Value | None:
        """The strings that a pair stands for, if it is the result of a call, or constant."""
        found = self.strings.get((data, offsets))
        if found is None:
            found = self._constant_strings(data, offsets)
            if found is not None:
                self.strings[data, offsets] = found
        return found

    def _constant_strings(self, data: ir.Value, offsets: ir.Value) -> ir.Value | None:
        tensors = [ir.convenience.get_const_tensor(value) for value in (data, offsets)]
        if tensors[0] is None or tensors[1] is None:
            return None
        strings = StringTensor(*(torch.from_numpy(np.array(t.numpy())) for t in tensors if t is not None))
        check_utf8(strings)
        return self.constant(strings)


def original(value: ir.Value) -> ir.Value:
    """The value of which others are copies."""
    node = value.producer()
    while node is not None and node.op_type == "Identity" and node.inputs[0] is not None:
        value = node.inputs[0]
        node = value.producer()
    return value


def check_utf8(strings: StringTensor) -> None:
    """Raises NoForm if constant strings are not UTF-8, which tensors of strings are in ONNX."""
    if not bool(strings.is_utf8().all()):
        raise NoForm("a string is not UTF-8")


class Call:
    """A call of an operator, for the function that writes its portable form."""

    def __init__(self, scope: Scope, node: ir.Node, operator: Operator) -> None:
        self.scope, self.node, self.operator = scope, node, operator
        self._read: set[str] = set()

    def add(self, op_type: str, *inputs: Any, **options: Any) -> Any:
        """Adds a node; see `Scope.add`."""
        return self.scope.add(self.node, op_type, *inputs, **options)

    def constant(self, value: Any) -> ir.Value:
        """A constant; see `Scope.constant`."""
        return self.scope.constant(value)

    def attribute(self, name: str) -> Any:
        """The value of an argument that is an attribute, or a constant size."""
        (parameter,) = (p for p in self.operator.parameters if p.name == name)
        self._read.add(name)
        if parameter.kind == "size" and self.input(name) is not None:
            size = self.known(name)
            if size is None:
                raise NoForm(f"`{name}` is computed")
            return int(size)
        found = self.node.attributes.get(name)
        if found is None:
            return parameter.default
        value = found.value
        if parameter.type == "List[str]":
            return [text.decode() for text in value.numpy().tolist()]
        if parameter.type == "float":
            return float(value.numpy())
        return bool(value) if parameter.type == "bool" else value

    def input(self, name: str) -> ir.Value | None:
        """The value of an argument that is an input, or None."""
        self._read.add(name)
        at = [p.name for p in self.operator.inputs].index(name)
        return self.node.inputs[at] if at < len(self.node.inputs) else None

    def check_all_read(self) -> None:
        """Raises NoForm if the form did not ask for an argument that is not its default: it cannot be exact."""
        for parameter in self.operator.parameters:
            is_read = parameter.name in self._read or parameter.kind not in ("attribute", "size")
            if not is_read and self.attribute(parameter.name) != parameter.default:
                raise NoForm(f"no form for `{parameter.name}`")

    def tensor(self, name: str) -> ir.Value:
        """The value of an argument that is a required input."""
        value = self.input(name)
        assert value is not None, name
        return value

    def known(self, name: str) -> np.ndarray[Any, Any] | None:
        """The values of an input that is constant; None if it is missing or computed."""
        value = self.input(name)
        tensor = None if value is None else ir.convenience.get_const_tensor(value)
        return None if tensor is None else tensor.numpy()

    def strings(self, prefix: str = "") -> ir.Value:
        """The strings of the arguments `{prefix}data` and `{prefix}offsets`."""
        return self._strings_of(self.tensor(f"{prefix}data"), self.tensor(f"{prefix}offsets"))

    def _strings_of(self, data: ir.Value, offsets: ir.Value) -> ir.Value:
        strings: ir.Value = self.scope.resolve(self.scope, original(data), offsets, self.node)
        return strings

    def known_strings(self, prefix: str) -> StringTensor | None:
        """The strings of two arguments that are constant; None if they are computed."""
        found = ir.convenience.get_const_tensor(self.strings(prefix))
        if found is None:
            return None
        array = found.numpy()
        return StringTensor.from_list(array.reshape(-1).tolist()).reshape(array.shape)

    def list_of_strings(self) -> list[ir.Value]:
        """The strings of the argument that is a list of `data` and `offsets` in turn."""
        at = len(self.operator.inputs) - 1
        values = list(self.node.inputs[at:])
        pairs = zip(values[::2], values[1::2], strict=True)
        return [self._strings_of(d, o) for d, o in pairs]

    def tokens(self) -> StringTensor:
        """The tokens of the vocabulary whose table is the argument `table`."""
        table = self.known("table")
        found = None if table is None else self.scope.tokens.get(table.tobytes())
        if found is None:
            raise NoForm("its vocabulary is not a module of the model")
        check_utf8(found)
        return found

    def rank(self, name: str) -> int:
        """The rank of a tensor, or of the strings with these offsets."""
        shape = self.tensor(name).shape
        assert shape is not None, name
        rank: int = shape.rank()
        return rank

    def returns_strings(self, strings: ir.Value, *others: ir.Value) -> None:
        """Ends the form of a call that returns `data`, `offsets` and other tensors."""
        data, offsets, *rest = self.node.outputs
        self.scope.strings[data, offsets] = strings
        self._replace(rest, others)

    def returns(self, *values: ir.Value) -> None:
        """Ends the form of a call that returns tensors."""
        self._replace(self.node.outputs, values)

    def _replace(self, old: Sequence[ir.Value], new: Sequence[ir.Value]) -> None:
        for value, replacement in zip(old, new, strict=True):
            replacement.type, replacement.shape = value.type, value.shape
            ir.convenience.replace_all_uses_with(value, replacement, replace_graph_outputs=True)


def flat(c: Call, value: Any) -> Any:
    """The elements of a tensor in row-major order."""
    return c.add("Reshape", value, [-1])
