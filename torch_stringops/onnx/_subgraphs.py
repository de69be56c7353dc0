"""Conversion of the operators with sub-graphs: If, Loop, Scan and SequenceMap."""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from onnx import GraphProto, NodeProto, TypeProto
from torch import fx

from torch_stringops.onnx._registry import OPERATORS
from torch_stringops.onnx._scope import Constant, Scope, Value
from torch_stringops.onnx._tensors import STRING
from torch_stringops.onnx.nodes import control


class Converter(Protocol):
    """What converts sub-graphs: a Converter of _graph.py."""

    def subgraph(
        self, graph: GraphProto, scope: Scope, name: str, sizes: Iterable[bool] = ()
    ) -> tuple[fx.Node, list[fx.Node]]: ...


def _argument(value: Value, scope: Scope, literal: bool = False) -> Any:
    """A value as an argument; constants of few integers as Python numbers, if `literal`."""
    if value is None:
        return None
    if literal and isinstance(value, Constant) and (number := value.literal(False)) is not None:
        return number[0] if isinstance(number, tuple) and len(number) == 1 else number
    return scope.node(value)


def _items(proto: NodeProto, made: fx.Node, scope: Scope) -> list[Value]:
    items: list[Value] = []
    for i, name in enumerate(proto.output):
        item = scope.builder.emit("call_function", python.getitem, (made, i), name=name) if name else None
        if item is not None:
            item.meta["control"] = True  # it may be a Python number
        items.append(item)
    return items


def _check_counts(graph: GraphProto, inputs: int, outputs: int) -> None:
    if len(graph.input) != inputs or len(graph.output) != outputs:
        raise ValueError(
            f"expected a sub-graph of {inputs} inputs and {outputs} outputs, "
            f"got {len(graph.input)} and {len(graph.output)}"
        )


def _rank_of_strings(kind: TypeProto) -> int | None:
    """The rank of strings, 1 if the file does not tell it; None for other values."""
    if kind.tensor_type.elem_type != STRING:
        return None
    return len(kind.tensor_type.shape.dim) if kind.tensor_type.HasField("shape") else 1


def _if(
    converter: Converter, proto: NodeProto, inputs: Sequence[Value], attributes: dict[str, Any], scope: Scope
) -> list[Value]:
    modules, captured = [], []
    for name in ("then_branch", "else_branch"):
        _check_counts(attributes[name], 0, len(proto.output))
        module, values = converter.subgraph(attributes[name], scope, name)
        modules.append(module)
        captured.append(values)
    condition = _argument(inputs[0], scope, literal=True)
    strings = [_rank_of_strings(output.type) for output in attributes["then_branch"].output]
    made = scope.builder.emit("call_function", control.run_if, (condition, *modules, *captured, strings))
    return _items(proto, made, scope)


def _kept(scope: Scope, body: fx.Node, carried: int) -> list[bool]:
    """Whether the body of a loop returns its condition, or true, and whether each carried value as it is."""
    graph: fx.Graph = scope.builder.module.get_submodule(str(body.target)).graph  # type: ignore[assignment]
    _, *inputs = (node for node in graph.nodes if node.op == "placeholder")
    (outputs,) = graph.output_node().args
    kept: list[bool] = []
    for given, output in zip(inputs[: 1 + carried], outputs, strict=False):  # type: ignore[arg-type]
        while isinstance(output, fx.Node) and output.target is OPERATORS["", "Identity"].call:
            (output,) = output.args
        kept.append(output is given or (not kept and output is True))
    return kept


def _loop(
    converter: Converter, proto: NodeProto, inputs: Sequence[Value], attributes: dict[str, Any], scope: Scope
) -> list[Value]:
    count, condition, *carried = [*inputs, None, None][: max(len(inputs), 2)]
    body = attributes["body"]
    scanned = len(proto.output) - len(carried)
    if scanned < 0:
        raise ValueError(f"expected an output for each of {len(carried)} carried values")
    _check_counts(body, 2 + len(carried), 1 + len(carried) + scanned)
    module, captured = converter.subgraph(body, scope, "body", [True, True])
    goes, *kept = _kept(scope, module, len(carried))
    condition = _argument(condition, scope, literal=True)
    args = (
        _argument(count, scope, literal=True),
        None if condition is True and goes else condition,
        module,
        [_argument(value, scope) for value in carried],
        captured,
        kept,
        scanned,
    )
    return _items(proto, scope.builder.emit("call_function", control.run_loop, args), scope)


def _scan(
    converter: Converter, proto: NodeProto, inputs: Sequence[Value], attributes: dict[str, Any], scope: Scope
) -> list[Value]:
    scans = attributes["num_scan_inputs"]
    # Scan-8 has the lengths of rows as first input, and directions of inputs only.
    is_batched = scope.opsets[""] < 9
    lengths, inputs = (inputs[0], inputs[1:]) if is_batched and inputs else (None, inputs)
    states = len(inputs) - scans
    if scans < 1 or states < 0:
        raise ValueError(f"expected `num_scan_inputs` within [1, {len(inputs)}], got {scans}")
    outputs = len(proto.output) - states
    if outputs < 0:
        raise ValueError(f"expected an output for each of {states} states")
    _check_counts(attributes["body"], len(inputs), len(proto.output))
    module, captured = converter.subgraph(attributes["body"], scope, "body")
    lists: list[list[int]] = []
    for name, count in (("axes", scans), ("axes", outputs), ("directions", scans), ("directions", outputs)):
        kind = "input" if len(lists) % 2 == 0 else "output"
        given = attributes.get(f"scan_{kind}_{name}", [0] * count)
        if len(given) != count:
            raise ValueError(f"expected `scan_{kind}_{name}` of {count} values, got {len(given)}")
        lists.append(given)
    values = [_argument(value, scope) for value in inputs]
    split = (values[:states], values[states:], captured)
    if is_batched:
        directions = attributes.get("directions", [0] * scans)
        batched = (module, _argument(lengths, scope), *split, directions, outputs)
        return _items(proto, scope.builder.emit("call_function", control.run_batched_scan, batched), scope)
    args = (module, *split, *lists)
    return _items(proto, scope.builder.emit("call_function", control.run_scan, args), scope)


def _sequence_map(
    converter: Converter, proto: NodeProto, inputs: Sequence[Value], attributes: dict[str, Any], scope: Scope
) -> list[Value]:
    _check_counts(attributes["body"], len(inputs), len(proto.output))
    module, captured = converter.subgraph(attributes["body"], scope, "body")
    first, *others = [_argument(value, scope) for value in inputs]
    args = (module, first, others, captured, len(proto.output))
    return _items(proto, scope.builder.emit("call_function", control.run_sequence_map, args), scope)


SUBGRAPHS: dict[str, Callable[..., list[Value]]] = {
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
    "SequenceMap": _sequence_map,
}
"""Each gets the converter, the node, its inputs and attributes, and the scope; and returns the outputs."""
