"""Concatenation and selection of string tensors, as by torch's functions of these names."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor import joining


def _strings(op: str, tensors: Sequence[StringsLike]) -> list[StringTensor]:
    if not isinstance(tensors, (list, tuple)) or not tensors:
        got = f"an empty {type(tensors).__name__}" if isinstance(tensors, (list, tuple)) else type(tensors).__name__
        raise TypeError(f"{op}: expected `tensors` to be a non-empty list or tuple of strings, got {got}")
    if {*map(type, tensors)} == {StringTensor}:  # there may be thousands
        return list(tensors)
    return [strings_argument(op, f"tensors[{i}]", t) for i, t in enumerate(tensors)]


@named
def cat(tensors: Sequence[StringsLike], dim: int = 0) -> StringTensor:
    """Concatenates strings along an axis. Same as `torch.cat`, whose type for checkers has tensors of numbers only.

    Args:
        tensors: a list or tuple of strings of equal shape except for `dim`, each in any form that `as_strings`
            accepts.
        dim: the axis to concatenate along.

    Returns:
        Strings.

    Raises:
        TypeError: `tensors` is empty or not a list or tuple, or an element is not strings.
        RuntimeError: the shapes do not match, or a tensor is a single string.
        IndexError: `dim` is out of range.
        ValueError: the result exceeds 2**31 - 1 bytes.

    See also: `string_concat`, which concatenates element by element.

    Example:
        >>> cat([StringTensor.from_list(["to", "be"]), ["or"]]).tolist()
        ['to', 'be', 'or']
    """
    return joining._cat(_strings("cat", tensors), dim)


@named
def stack(tensors: Sequence[StringsLike], dim: int = 0) -> StringTensor:
    """Stacks strings along a new axis. Same as `torch.stack`, whose type for checkers has tensors of numbers only.

    Args:
        tensors: a list or tuple of strings of equal shape, each in any form that `as_strings` accepts.
        dim: the position of the new axis.

    Returns:
        Strings.

    Raises:
        TypeError: `tensors` is empty or not a list or tuple, or an element is not strings.
        RuntimeError: the shapes differ.
        IndexError: `dim` is out of range.
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> stack([StringTensor.from_list(["to", "be"]), ["or", "not"]], dim=1).tolist()
        [['to', 'or'], ['be', 'not']]
    """
    return joining._stack(_strings("stack", tensors), dim)


@named
def where(condition: Tensor, input: StringsLike, other: StringsLike) -> StringTensor:
    """Selects strings by a mask. Same as `torch.where`, whose type for checkers has tensors of numbers only.

    Args:
        condition: bool, whether a string is of `input`, otherwise of `other`.
        input: strings, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts. The three shapes must broadcast.

    Returns:
        Strings of the broadcast shape, compact.

    Raises:
        TypeError: `condition` is not a bool tensor, or `input` or `other` is not strings.
        RuntimeError: the shapes do not broadcast.
        ValueError: the result exceeds 2**31 - 1 bytes.

    See also: `StringTensor.where`, `StringTensor.masked_fill`.

    Example:
        >>> s = StringTensor.from_list(["a", "", "c"])
        >>> where(s == "", "?", s).tolist()
        ['a', '?', 'c']
    """
    like = next((s for s in (input, other) if isinstance(s, StringTensor)), None)
    convert = like._argument if like is not None else strings_argument
    return joining._where(condition, convert("where", "input", input), convert("where", "other", other))


@named
def broadcast_tensors(*tensors: StringsLike) -> tuple[StringTensor, ...]:
    """Expands strings to their broadcast shape. Same as `torch.broadcast_tensors`, whose type has numbers only.

    Args:
        tensors: strings, each in any form that `as_strings` accepts. Their shapes must broadcast.

    Returns:
        A tuple of strings of the broadcast shape. They share `data` with the arguments if only leading axes are
        expanded.

    Raises:
        TypeError: there are no tensors, or one is not strings.
        RuntimeError: the shapes do not broadcast.
        ValueError: a result exceeds 2**31 - 1 bytes or offsets.

    See also: `StringTensor.expand`.

    Example:
        >>> a, b = broadcast_tensors(StringTensor.from_list([["a"], ["b"]]), ["x", "y"])
        >>> a.tolist(), b.tolist()
        ([['a', 'a'], ['b', 'b']], [['x', 'y'], ['x', 'y']])
    """
    return joining._broadcast_tensors(_strings("broadcast_tensors", tensors))
