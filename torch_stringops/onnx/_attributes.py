"""Reads and checks the attributes of an ONNX node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx import AttributeProto, NodeProto

from torch_stringops.onnx._tensors import check_utf8, read_tensor

_READERS: dict[int, Callable[..., Any]] = {
    AttributeProto.FLOAT: lambda a, *_: a.f,
    AttributeProto.INT: lambda a, *_: a.i,
    AttributeProto.STRING: lambda a, _, what: check_utf8(a.s, what),
    AttributeProto.TENSOR: lambda a, folder, what: read_tensor(a.t, folder, what),
    AttributeProto.GRAPH: lambda a, *_: a.g,
    AttributeProto.TYPE_PROTO: lambda a, *_: a.tp,
    AttributeProto.FLOATS: lambda a, *_: list(a.floats),
    AttributeProto.INTS: lambda a, *_: list(a.ints),
    AttributeProto.STRINGS: lambda a, _, what: [check_utf8(s, what) for s in a.strings],
}


def read_attributes(
    node: NodeProto,
    schema: onnx.defs.OpSchema | None,
    outer: Mapping[str, AttributeProto],
    folder: Path | None,
    what: str,
) -> dict[str, Any]:
    """The attributes of a node by name, with the defaults of the schema.

    `outer` are the attributes of the function whose body the node is in, to which attributes of the node may refer.
    """
    given = attribute_protos(node, outer, what)
    if schema is not None:
        _check(given, schema, what)
        for name, attribute in schema.attributes.items():
            if name not in given and attribute.default_value.name:
                given[name] = attribute.default_value
    return {name: _read(proto, folder, f"{what}, attribute {name!r}") for name, proto in given.items()}


def attribute_protos(node: NodeProto, outer: Mapping[str, AttributeProto], what: str) -> dict[str, AttributeProto]:
    """The attributes of a node by name, with those of the enclosing function in place of references to them."""
    given: dict[str, AttributeProto] = {}
    for proto in node.attribute:
        if proto.name in given:
            raise ValueError(f"{what}: expected attributes of different names, got two {proto.name!r}")
        if proto.ref_attr_name:
            if proto.ref_attr_name in outer:
                given[proto.name] = outer[proto.ref_attr_name]
            continue
        given[proto.name] = proto
    return given


def _check(given: Mapping[str, AttributeProto], schema: onnx.defs.OpSchema, what: str) -> None:
    for name, proto in given.items():
        if name not in schema.attributes:
            raise ValueError(f"{what}: {schema.name}-{schema.since_version} has no attribute {name!r}")
        expected: Any = schema.attributes[name].type
        if int(expected.value) != proto.type:
            raise ValueError(f"{what}: expected attribute {name!r} to be of type {expected.name}")
    missing = [name for name, a in schema.attributes.items() if a.required and name not in given]
    if missing:
        raise ValueError(f"{what}: expected the attribute {missing[0]!r}")


def _read(proto: AttributeProto, folder: Path | None, what: str) -> Any:
    read = _READERS.get(proto.type)
    if read is None:
        raise ValueError(f"{what}: expected a number, a string, a tensor, a graph or a list, got type {proto.type}")
    return read(proto, folder, what)
