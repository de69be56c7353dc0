"""Strings that are selected and moved by their offsets: indexing, transposition, reshaping.

torch's code moves the tensors of the beginnings and of the ends of strings in the same way, and then packs them. Nodes
that move numbers move positions of strings as well, by which the strings are then gathered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnx_ir as ir

from torch_stringops.onnx._call import Call, NoForm, Scope, original
from torch_stringops.onnx._forms import form

# Operators that move elements of their first input without changing them.
_MOVES = {
    "Slice",
    "Gather",
    "GatherND",
    "GatherElements",
    "Transpose",
    "Reshape",
    "Unsqueeze",
    "Squeeze",
    "Expand",
}
_REASON = "its strings are computed from bytes and offsets"
_END = 2**63 - 1


def strings_of(scope: Scope, data: ir.Value, offsets: ir.Value, before: ir.Node) -> Any:
    """The strings of offsets that nodes make of those of other strings."""
    offsets = original(offsets)
    known = scope.known_strings(data, offsets)
    if known is not None:
        return known
    node = offsets.producer()
    if node is None or node.domain or not node.inputs or node.inputs[0] is None:
        raise NoForm(_REASON)
    rank = _rank(node.inputs[0])
    if node.op_type == "Concat" and len(node.inputs) == 2:  # offsets of shape [..., 2]
        return gathered(scope, data, node.inputs[0], node.inputs[1], before)
    if _keeps_last_axis(node, rank):
        strings = strings_of(scope, data, node.inputs[0], before)
        if not node.op_type.startswith("Gather"):
            return _again(scope, node, strings, before)
        # Gather of onnxruntime copies only the first string of each element that has an axis.
        return _by_positions(scope, strings, lambda positions: _again(scope, node, positions, before), before)
    if node.op_type == "Slice" and _ints(node, 4) in ([], [1]):
        (start, *more), ends, (axis, *_) = _ints(node, 1), _ints(node, 2), _ints(node, 3)
        if not more and 0 <= start < ends[0]:  # n adjacent offsets are those of n - 1 strings
            ends = [ends[0] if ends[0] == _END else ends[0] - 1]
            strings = strings_of(scope, data, node.inputs[0], before)
            return scope.add(before, "Slice", strings, [start], ends, [axis])
    raise NoForm(_REASON)


def _keeps_last_axis(node: ir.Node, rank: int) -> bool:
    """Whether a node moves rows of offsets, and so rows of strings, of which a row has one fewer."""
    if node.op_type == "Unsqueeze":
        axes = _ints(node, 1)
        last = rank + len(axes) - 1
        return bool(axes) and not {-1, last} & set(axes)
    if node.op_type == "GatherND":
        indices = node.inputs[1]
        width = None if indices is None or indices.shape is None else indices.shape[-1]
        return isinstance(width, int) and width < rank
    if node.op_type == "Gather":
        axes = [node.attributes["axis"].as_int() if "axis" in node.attributes else 0]
    else:
        axes = _ints(node, 3) if node.op_type == "Slice" else []
    return bool(axes) and not {-1, rank - 1} & set(axes)


def gathered(scope: Scope, data: ir.Value, begins: Any, ends: Any, before: ir.Node) -> Any:
    """The strings with these beginnings and ends, which must have been moved alike."""
    source = _source(begins, 0)
    if source is None or _source(ends, 1) is not source or not _alike(begins, ends):
        raise NoForm(_REASON)
    strings = strings_of(scope, data, source, before)
    return _by_positions(scope, strings, lambda positions: _moved(scope, begins, positions, before), before)


def _by_positions(scope: Scope, strings: Any, move: Callable[[Any], Any], before: ir.Node) -> Any:
    """The strings at the positions that `move` makes of all positions."""
    count = scope.add(before, "Size", strings)
    numbers = scope.add(before, "Range", scope.constant(0), count, scope.constant(1))
    positions = scope.add(before, "Reshape", numbers, scope.add(before, "Shape", strings), allowzero=1)
    return scope.add(before, "Gather", scope.add(before, "Reshape", strings, [-1]), move(positions))


@form("string_tensor_pack", nodes="Gather, of strings that are indexed, transposed or reshaped")
def _pack(c: Call) -> None:
    data = original(c.tensor("symbols"))
    c.returns_strings(gathered(c.scope, data, c.tensor("begins"), c.tensor("ends"), c.node))


def _is_base(node: ir.Node, start: int) -> bool:
    """Whether a node takes the first (0) or the last (1) offset of each string.

    A slice of the beginnings or ends themselves may look alike.
    """
    if node.op_type != "Slice" or node.inputs[0] is None or _source(node.inputs[0], start) is not None:
        return False
    ends = [_END] if start else [-1]
    return (
        _ints(node, 1) == [start]
        and _ints(node, 2) == ends
        and _ints(node, 3) in ([-1], [_rank(node.inputs[0]) - 1])
        and _ints(node, 4) in ([], [1])
    )


def _source(value: Any, start: int) -> ir.Value | None:
    """The offsets from which beginnings (0) or ends (1) come."""
    node = original(value).producer()
    if node is None or node.domain or node.op_type not in _MOVES:
        return None
    if _is_base(node, start):
        return original(node.inputs[0])
    return _source(node.inputs[0], start)


def _alike(begins: Any, ends: Any) -> bool:
    """Whether two values are moved by equal nodes."""
    a, b = original(begins).producer(), original(ends).producer()
    assert a is not None
    assert b is not None
    if _is_base(a, 0) or _is_base(b, 1):
        return _is_base(a, 0) and _is_base(b, 1)
    same_inputs = len(a.inputs) == len(b.inputs) and all(map(_equal, a.inputs[1:], b.inputs[1:]))
    attributes = [{k: v.value for k, v in node.attributes.items()} for node in (a, b)]
    return (
        a.op_type == b.op_type and same_inputs and attributes[0] == attributes[1] and _alike(a.inputs[0], b.inputs[0])
    )


def _equal(a: ir.Value | None, b: ir.Value | None) -> bool:
    if a is b:
        return True
    tensors = [None if v is None else ir.convenience.get_const_tensor(v) for v in (a, b)]
    return all(t is not None for t in tensors) and tensors[0].numpy().tolist() == tensors[1].numpy().tolist()  # type: ignore[union-attr]


def _moved(scope: Scope, value: Any, positions: Any, before: ir.Node) -> Any:
    """The positions, moved as the beginnings are."""
    node = original(value).producer()
    assert node is not None
    if _is_base(node, 0):
        return positions
    return _again(scope, node, _moved(scope, node.inputs[0], positions, before), before)


def _again(scope: Scope, node: ir.Node, value: Any, before: ir.Node) -> Any:
    """The node once more, with another first input."""
    attributes = {name: attribute.value for name, attribute in node.attributes.items()}
    return scope.add(before, node.op_type, value, *node.inputs[1:], **attributes)


def _ints(node: ir.Node, at: int) -> list[int]:
    value = node.inputs[at] if at < len(node.inputs) else None
    tensor = None if value is None else ir.convenience.get_const_tensor(value)
    return [] if tensor is None else tensor.numpy().reshape(-1).tolist()


def _rank(value: ir.Value) -> int:
    return -1 if value.shape is None else value.shape.rank()
