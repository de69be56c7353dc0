"""The inputs and outputs of a graph: each StringTensor becomes one tensor of strings, and gets its name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from torch_stringops.onnx._leaves import Leaf
from torch_stringops.onnx._operators import DOMAIN, PACK, UNPACK, VERSION


def convert_inputs(graph: ir.Graph, leaves: Sequence[Leaf], names: Sequence[str]) -> None:
    """Replaces pairs of inputs by one, of which a node `pack` makes `data` and `offsets`."""
    old, new = list(graph.inputs), []
    at = 0
    for leaf, name in zip(leaves, names, strict=True):
        if not leaf.is_strings:
            new.append(old[at])
            at += 1
            continue
        data, offsets = old[at : at + 2]
        at += 2
        strings = ir.Value(name=name, type=ir.TensorType(ir.DataType.STRING))
        strings.shape = ir.Shape([]) if leaf.is_scalar else _strings_shape(offsets.shape)
        new.append(strings)
        if data.uses() or offsets.uses() or data.is_graph_output() or offsets.is_graph_output():
            node = ir.Node(DOMAIN, PACK, [strings], num_outputs=2, version=VERSION, name=f"{name}_pack")
            for value, output in zip((data, offsets), node.outputs, strict=True):
                output.name, output.type, output.shape = value.name, value.type, value.shape
                ir.convenience.replace_all_uses_with(value, output, replace_graph_outputs=True)
            graph.insert_before(graph[0], node) if len(graph) else graph.append(node)
    assert at == len(old), (old, leaves)
    graph.inputs.clear()
    graph.inputs.extend(new)
    for value, name in zip(new, names, strict=True):
        value.name = name


def convert_outputs(graph: ir.Graph, leaves: Sequence[Leaf], names: Sequence[str]) -> None:
    """Replaces pairs of outputs by one, which a node `unpack` makes, and copies those that are given twice."""
    old, new = list(graph.outputs), []
    at = 0
    for leaf, name in zip(leaves, names, strict=True):
        if leaf.is_strings:
            value = _unpack(graph, old[at], old[at + 1], leaf, name)
            at += 2
        else:
            value = old[at]
            at += 1
        is_computed = value.producer() is not None and value not in new
        new.append(value if is_computed else _copy(graph, value))
    assert at == len(old), (old, leaves)
    graph.outputs.clear()
    graph.outputs.extend(new)
    for value, name in zip(new, names, strict=True):
        value.name = name


def _unpack(graph: ir.Graph, data: ir.Value, offsets: ir.Value, leaf: Leaf, name: str) -> ir.Value:
    node = ir.Node(DOMAIN, UNPACK, [data, offsets], num_outputs=1, version=VERSION, name=f"{name}_unpack")
    graph.append(node)
    strings = node.outputs[0]
    strings.type, strings.shape = ir.TensorType(ir.DataType.STRING), _strings_shape(offsets.shape)
    if not leaf.is_scalar:
        return strings
    # Strings of rank 0 have the offsets of those of shape [1].
    strings.name = f"{name}_1d"
    shape = ir.Node("", "Constant", [], [ir.AttrTensor("value", ir.tensor(np.array([], np.int64)))])
    shape.outputs[0].name = f"{name}_shape"
    reshape = ir.Node("", "Reshape", [strings, shape.outputs[0]])
    graph.extend([shape, reshape])
    reshape.outputs[0].type, reshape.outputs[0].shape = strings.type, ir.Shape([])
    return reshape.outputs[0]


def _copy(graph: ir.Graph, value: ir.Value) -> ir.Value:
    node = ir.Node("", "Identity", [value])
    graph.append(node)
    node.outputs[0].type, node.outputs[0].shape = value.type, value.shape
    return node.outputs[0]


def _strings_shape(offsets: ir.Shape | None) -> ir.Shape | None:
    """The shape of the strings with these offsets, of which there is one more along the last axis."""
    if offsets is None:
        return None
    *leading, last = offsets.dims
    if isinstance(last, int):
        return ir.Shape([*leading, last - 1])
    text = last.value
    return ir.Shape([*leading, None if text is None else _less_one(text)])


def _less_one(size: str) -> str:
    """The text of a size less one, as torch writes it."""
    return size.removesuffix(" + 1") if size.endswith(" + 1") else f"{size} - 1"


def rename_others(graph: ir.Graph) -> None:
    """Renames values inside of the graph that have the name of an input or output."""
    borders = [*graph.inputs, *graph.outputs]
    taken = {value.name for value in borders}
    values = [*graph.initializers.values(), *(v for node in graph.all_nodes() for v in node.outputs)]
    names = taken | {value.name for value in values}
    for value in values:
        if value.name in taken and not any(value is border for border in borders):
            name = next(f"{value.name}_{i}" for i in range(len(names) + 1) if f"{value.name}_{i}" not in names)
            names.add(name)
            value.name = name
