"""Converts an ONNX graph to a torch.fx.GraphModule, one call for each node.

An operator that the registry lacks is read by its definition as a function of other operators, if ONNX has one.
"""

from __future__ import annotations

import operator as python
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import FunctionProto, GraphProto, NodeProto
from torch import fx

from torch_stringops.onnx import _library_nodes
from torch_stringops.onnx._attributes import attribute_protos, read_attributes
from torch_stringops.onnx._input_sizes import check_sizes, declared_sizes
from torch_stringops.onnx._inputs import input_reader
from torch_stringops.onnx._operators import DOMAIN
from torch_stringops.onnx._registry import MICROSOFT, ML, OPERATORS, Operator, as_tensor, parameters
from torch_stringops.onnx._scope import MAX_NODES, Builder, Constant, Scope, Value, as_sizes
from torch_stringops.onnx._subgraphs import SUBGRAPHS
from torch_stringops.onnx._tensors import DTYPES, STRING, read_tensor, type_name

MAX_DEPTH = 32  # of sub-graphs and functions in each other
_CONSTANTS = {
    "value": None,
    "value_float": onnx.TensorProto.FLOAT,
    "value_floats": onnx.TensorProto.FLOAT,
    "value_int": onnx.TensorProto.INT64,
    "value_ints": onnx.TensorProto.INT64,
    "value_string": onnx.TensorProto.STRING,
    "value_strings": onnx.TensorProto.STRING,
}


def label(node: NodeProto) -> str:
    """What a message calls a node."""
    named = f" {node.name!r}" if node.name else f" of {', '.join(map(repr, node.output[:1]))}"
    return f"load: node {node.domain or 'ai.onnx'}.{node.op_type}{named}"


class Converter:
    """What all graphs of a model share: its functions, and the folder of its external data."""

    def __init__(self, functions: Iterable[FunctionProto], folder: Path | None) -> None:
        self.functions: dict[tuple[str, str], FunctionProto] = {}
        for function in functions:
            key = (_domain(function.domain), function.name)
            if key in self.functions:
                raise ValueError(f"load: expected functions of different names, got two {function.name!r}")
            self.functions[key] = function
        self.folder = folder
        self.count = [0]  # of nodes, for Builder
        self.defined: dict[tuple[str, int], FunctionProto | None] = {}  # operators that ONNX defines as functions

    # Operators.

    def schema(self, node: NodeProto, opsets: Mapping[str, int]) -> onnx.defs.OpSchema | None:
        """The newest version of the operator up to the opset of the model."""
        domain = _domain(node.domain)
        if domain not in ("", ML) or domain not in opsets:
            return None
        try:
            return onnx.defs.get_schema(node.op_type, opsets[domain], domain)
        except onnx.defs.SchemaError:
            return None

    def body(self, node: NodeProto, opsets: Mapping[str, int]) -> FunctionProto | None:
        """The function that defines a node: one of the model, or of an operator that the registry lacks."""
        key = (_domain(node.domain), node.op_type)
        if key in self.functions:
            return self.functions[key]
        if key in OPERATORS:
            return None
        schema: Any = self.schema(node, opsets)
        if schema is None or not schema.has_function:
            return None
        return self.defined.setdefault((schema.name, schema.since_version), schema.function_body)

    def unsupported(self, nodes: Iterable[NodeProto], opsets: Mapping[str, int]) -> list[str]:
        """Names the nodes that cannot be read, those of sub-graphs and functions included."""
        found: dict[str, None] = {}
        self._survey(nodes, opsets, found, {}, 0)
        return list(found)

    def _survey(
        self,
        nodes: Iterable[NodeProto],
        opsets: Mapping[str, int],
        found: dict[str, None],
        sizes: dict[int, int],
        depth: int,
    ) -> int:
        """Returns the number of nodes, those of functions at each call included. `sizes` has those of functions."""
        if depth > MAX_DEPTH:
            raise ValueError(f"load: expected at most {MAX_DEPTH} sub-graphs and functions in each other")
        count = 0
        for node in nodes:
            count += 1
            for attribute in node.attribute:
                for graph in (attribute.g, *attribute.graphs):
                    count += self._survey(graph.node, opsets, found, sizes, depth + 1)
            body = self.body(node, opsets)
            if body is None:
                if not self._is_supported(node, opsets):
                    version = opsets.get(_domain(node.domain), "not imported")
                    found[f"{label(node)[11:]} (version {version})"] = None
                continue
            if id(body) not in sizes:
                inner = _opsets(body.opset_import, label(node))
                sizes[id(body)] = self._survey(body.node, inner, found, sizes, depth + 1)
            count += sizes[id(body)]
            if count > MAX_NODES:
                raise ValueError(f"load: expected at most {MAX_NODES} nodes, those of functions at each call included")
        return count

    def _is_supported(self, node: NodeProto, opsets: Mapping[str, int]) -> bool:
        domain = _domain(node.domain)
        if domain not in opsets:
            return False
        if (domain, node.op_type) == ("", "Constant") or (domain == DOMAIN and _library_nodes.is_known(node.op_type)):
            return True
        found = OPERATORS.get((domain, node.op_type))
        if found is None or domain == MICROSOFT:
            return found is not None
        schema = self.schema(node, opsets)
        return schema is not None and not schema.deprecated and schema.since_version >= found.version

    # Graphs.

    def graph(self, proto: GraphProto, scope: Scope, sizes: Iterable[bool] = (), top: bool = False) -> fx.GraphModule:
        """Converts a graph in its scope. `sizes` are the inputs of a sub-graph that are Python numbers."""
        if scope.depth > MAX_DEPTH:
            raise ValueError(f"load: expected at most {MAX_DEPTH} sub-graphs and functions in each other")
        builder = scope.builder
        if len(proto.sparse_initializer):
            raise ValueError("load: expected dense initialisers, got a sparse one")
        constants = {t.name for t in proto.initializer}
        flags = list(sizes)
        inputs = [value for value in proto.input if value.name not in constants]
        for i, value in enumerate(inputs):
            node = builder.placeholder(value.name)
            node.meta["sizes"] = i < len(flags) and flags[i]
            scope.define(value.name, node, f"load: input {value.name!r}")
        # Captured values become placeholders later, which must stand after the inputs and before the other nodes.
        mark = next(iter(reversed(builder.graph.nodes)), None)
        if top:
            for value in inputs:
                self._read_input(value, scope)
        for tensor in proto.initializer:
            what = f"load: initialiser {tensor.name!r}"
            constant = Constant(tensor.name, read_tensor(tensor, self.folder, what), builder, True)
            scope.define(tensor.name, constant, what)
        for node in proto.node:
            self.convert(node, scope)
        outputs = [self._output(value.name, scope, top) for value in proto.output]
        if top and not outputs:
            raise ValueError("load: expected a graph with an output, got none")
        for placeholder in builder.captured.values():
            if mark is None:
                first = next(iter(builder.graph.nodes))
                if first is not placeholder:
                    first.prepend(placeholder)
            else:
                mark.append(placeholder)
            mark = placeholder
        builder.graph.output(outputs[0] if top and len(outputs) == 1 else tuple(outputs))
        builder.graph.eliminate_dead_code(lambda node: not node.meta.get("spare"))
        return fx.GraphModule(builder.module, builder.graph, class_name="OnnxModel" if top else "OnnxSubgraph")

    def _read_input(self, value: onnx.ValueInfoProto, scope: Scope) -> None:
        reader = input_reader(value)
        if reader is not None:
            given = scope.values[value.name]
            node = scope.builder.emit("call_function", reader[0], (given, *reader[1:]), name=value.name)
            sizes = declared_sizes(value)
            if sizes is not None:
                node = scope.builder.emit("call_function", check_sizes, (node, value.name, sizes))
            scope.values[value.name] = node

    def _output(self, name: str, scope: Scope, top: bool) -> Any:
        value = scope.find(name, f"load: output {name!r}") if name else None
        if value is None:
            return None
        if isinstance(value, Constant) and not top:
            literal = value.literal(False)
            if literal is not None:
                return literal
        node = scope.node(value)
        if top and node.op == "call_function" and (node.meta["sizes"] or node.meta.get("control")):
            return scope.builder.emit("call_function", as_tensor, (node,), name=name)
        return node

    # Nodes.

    def convert(self, proto: NodeProto, scope: Scope) -> None:
        what = label(proto)
        inputs = [scope.find(name, what) if name else None for name in proto.input]
        while inputs and inputs[-1] is None:
            inputs.pop()
        try:
            outputs = self._outputs(proto, inputs, scope, what)
        except (ValueError, TypeError) as error:
            text = str(error)
            raise ValueError(text if text.startswith("load: ") else f"{what}: {text}") from error
        except (RuntimeError, IndexError, KeyError, OverflowError, NotImplementedError) as error:
            raise ValueError(f"{what}: {error}") from error
        if len(outputs) < len(proto.output):
            raise ValueError(f"{what}: expected at most {len(outputs)} outputs, got {len(proto.output)}")
        for name, value in zip(proto.output, outputs, strict=False):
            if name:
                scope.define(name, value, what)

    def _outputs(self, proto: NodeProto, inputs: list[Value], scope: Scope, what: str) -> list[Value]:
        domain = _domain(proto.domain)
        body = self.body(proto, scope.opsets)
        if body is not None:
            return self._call(proto, body, inputs, scope, what)
        if domain == DOMAIN:
            attributes = read_attributes(proto, None, scope.attributes, self.folder, what)
            return list(_library_nodes.emit(proto, inputs, attributes, scope))
        schema = self.schema(proto, scope.opsets)
        if schema is not None and not schema.min_input <= len(proto.input) <= schema.max_input:
            raise ValueError(f"expected {schema.min_input} to {schema.max_input} inputs, got {len(proto.input)}")
        attributes = read_attributes(proto, schema, scope.attributes, self.folder, what)
        if (domain, proto.op_type) == ("", "Constant"):
            return [_constant(proto, attributes, scope)]
        if proto.op_type in SUBGRAPHS and domain == "":
            return list(SUBGRAPHS[proto.op_type](self, proto, inputs, attributes, scope))
        return self._operator(proto, OPERATORS[domain, proto.op_type], schema, inputs, attributes, scope)

    def _operator(
        self,
        proto: NodeProto,
        found: Operator,
        schema: onnx.defs.OpSchema | None,
        inputs: list[Value],
        attributes: dict[str, Any],
        scope: Scope,
    ) -> list[Value]:
        builder, name = scope.builder, next(iter(filter(None, proto.output)), "")
        for key in ("to", "dtype"):  # of Cast and of operators that make tensors
            number = attributes.get(key, STRING)
            if isinstance(number, int) and number != STRING and number not in DTYPES:
                raise ValueError(f"expected a type that torch has, got {type_name(number)}")
        args, sizes = _arguments(found, inputs, scope)
        if found.is_module:
            module = builder.submodule(name or proto.op_type, found.call(**attributes))
            made = builder.emit("call_module", module, args, name=name)
        else:
            accepted = parameters(found.call)
            if "version" in accepted and schema is not None:
                attributes["version"] = schema.since_version
            if "outputs" in accepted:
                attributes["outputs"] = len(proto.output)
            if accepted and (unknown := sorted(set(attributes) - set(accepted) - {"type"})):
                raise ValueError(f"the attribute {unknown[0]!r} is not supported")
            made = builder.emit("call_function", found.call, args, _literals(attributes, scope), name)
        to = attributes.get("to", onnx.TensorProto.INT64)  # values of another type are a tensor
        made.meta["sizes"] = found.gives_sizes or (found.on_sizes and sizes and to == onnx.TensorProto.INT64)
        again = made.meta["int32"] = _int32_as_sizes(found, inputs, made, scope)
        if again is not None and again.meta["sizes"]:
            return [again]
        if schema is None or schema.max_output == 1:
            return [made]
        taken: list[Value] = []
        for i, output in enumerate(proto.output):
            item = builder.emit("call_function", python.getitem, (made, i), name=output) if output else None
            if item is not None:
                item.meta["sizes"] = made.meta["sizes"]
                if again is not None:
                    item.meta["int32"] = builder.emit("call_function", python.getitem, (again, i))
                    item.meta["spare"] = item.meta["int32"].meta["spare"] = True
            taken.append(item)
        return taken

    def _call(self, proto: NodeProto, body: FunctionProto, inputs: list[Value], scope: Scope, what: str) -> list[Value]:
        """Converts the body of a function in place of a call of it."""
        if scope.depth >= MAX_DEPTH:
            raise ValueError(f"load: expected at most {MAX_DEPTH} sub-graphs and functions in each other")
        attributes = attribute_protos(proto, scope.attributes, what)
        for default in body.attribute_proto:
            attributes.setdefault(default.name, default)
        if (schema := self.schema(proto, scope.opsets)) is not None:
            for name, attribute in schema.attributes.items():
                if attribute.default_value.name:
                    attributes.setdefault(name, attribute.default_value)
        opsets = _opsets(body.opset_import, what)
        inner = Scope(scope.builder, opsets, None, attributes, scope.depth + 1)
        if len(inputs) > len(body.input):
            raise ValueError(f"expected at most {len(body.input)} inputs, got {len(inputs)}")
        for i, name in enumerate(body.input):
            inner.define(name, inputs[i] if i < len(inputs) else None, what)
        for node in body.node:
            self.convert(node, inner)
        return [inner.find(name, what) for name in body.output]

    def subgraph(
        self, graph: GraphProto, scope: Scope, name: str, sizes: Iterable[bool] = ()
    ) -> tuple[fx.Node, list[fx.Node]]:
        """The module of a sub-graph, as a node of the graph around it, and the values that it captures."""
        builder = Builder(self.count)
        inner = Scope(builder, scope.opsets, scope, scope.attributes, scope.depth + 1)
        module = self.graph(graph, inner, sizes)
        held = scope.builder.submodule(name, module)
        return scope.builder.emit("get_attr", held), scope.captured(builder)


def _domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def _opsets(imports: Iterable[onnx.OperatorSetIdProto], what: str) -> dict[str, int]:
    """The version of each domain. Raises ValueError for one that the installed package onnx does not know yet."""
    opsets: dict[str, int] = {}
    newest = {"": onnx.defs.onnx_opset_version(), MICROSOFT: 1}
    for item in imports:
        domain = _domain(item.domain)
        if opsets.setdefault(domain, item.version) != item.version:
            raise ValueError(f"{what}: expected one version of each domain, got two of {domain or 'ai.onnx'!r}")
        if not 1 <= item.version <= newest.get(domain, 2**31):
            raise ValueError(
                f"{what}: expected a version of {domain or 'ai.onnx'} from 1 to {newest.get(domain, 2**31)}, got "
                f"{item.version} (a newer one needs a newer package onnx)"
            )
    return opsets


def _constant(proto: NodeProto, attributes: dict[str, Any], scope: Scope) -> Constant:
    given = {name: value for name, value in attributes.items() if name in _CONSTANTS}
    if len(given) != 1 or len(attributes) != 1:
        raise ValueError("expected one attribute, the value")
    ((name, value),) = given.items()
    kind = _CONSTANTS[name]
    if kind is not None:
        dims = [len(value)] if name.endswith("s") else []
        values = value if name.endswith("s") else [value]
        encoded = [v.encode() for v in values] if kind == onnx.TensorProto.STRING else values
        value = read_tensor(onnx.helper.make_tensor("", kind, dims, encoded), None, name)
    return Constant(proto.output[0] if proto.output else "constant", value, scope.builder, False)


def _arguments(found: Operator, inputs: list[Value], scope: Scope) -> tuple[list[Any], bool]:
    """The arguments of a call, with Python numbers where the operator reads numbers."""

    def is_sizes(value: Value) -> bool:
        if isinstance(value, Constant):
            return value.literal(False) is not None
        return value is None or bool(value.meta["sizes"])

    sizes = found.on_sizes and all(is_sizes(v) for i, v in enumerate(inputs) if i not in found.host)
    arguments: list[Any] = []
    for i, value in enumerate(inputs):
        literal = None
        if isinstance(value, Constant) and (sizes or i in found.host):
            literal = value.literal(i in found.host)
        elif i in found.host:
            literal = as_sizes(value)
        arguments.append(literal if literal is not None else None if value is None else scope.node(value))
    return arguments, sizes


def _int32_as_sizes(found: Operator, inputs: list[Value], made: fx.Node, scope: Scope) -> fx.Node | None:
    """The call `made` once more, on Python ints in place of sizes that were cast to int32; None for other inputs.

    tf2onnx writes arithmetic on shapes as int32. The call on tensors gives values of that type; the one on ints keeps
    the link to the shapes, on which tracing depends. Of the two, those without a use are removed.
    """
    read = {i: as_sizes(value) for i, value in enumerate(inputs) if i not in found.host}
    if made.meta["sizes"] or not found.on_sizes or not any(isinstance(v, fx.Node) for v in read.values()):
        return None
    if any(value is None and inputs[i] is not None for i, value in read.items()):
        return None
    kwargs = dict(made.kwargs)
    if "to" in kwargs:
        if DTYPES.get(kwargs["to"]) not in (torch.int32, torch.int64):
            return None
        kwargs["to"] = int(onnx.TensorProto.INT64)
    args = [read.get(i, argument) for i, argument in enumerate(made.args)]
    again = scope.builder.emit("call_function", found.call, args, kwargs)
    again.meta["sizes"] = "to" in kwargs and kwargs["to"] == made.kwargs["to"]
    again.meta["spare"] = made.meta["spare"] = True
    return again


def _literals(attributes: dict[str, Any], scope: Scope) -> dict[str, Any]:
    """Attributes as arguments of a call: tensors become constants of the module, or Python numbers."""
    made: dict[str, Any] = {}
    for name, value in attributes.items():
        if isinstance(value, (onnx.TypeProto, onnx.GraphProto)):
            continue
        if hasattr(value, "numel"):
            constant = Constant(name, value, scope.builder, False)
            literal = constant.literal(False)
            made[name] = scope.node(constant) if literal is None else literal
        else:
            made[name] = value
    return made
