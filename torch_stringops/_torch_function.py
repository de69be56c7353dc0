"""Implements torch functions for string tensors, such as `torch.cat([s, t])` and `torch.where(mask, s, t)`.

Most of them call the method of StringTensor of the same name, which has the same arguments.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor import joining
from torch_stringops.tensor.dispatch import HANDLERS

# torch.<name>(s, ...) is s.<name>(...).
_METHODS = """
    argmax argmin argsort broadcast_to bucketize chunk clone detach diagonal eq equal flatten flip
    gather ge greater greater_equal gt index_select le less less_equal lt masked_fill masked_select
    max maximum min minimum moveaxis movedim narrow ne nonzero numel permute ravel repeat_interleave
    reshape roll scatter select sort split_with_sizes squeeze swapaxes swapdims t take take_along_dim
    tensor_split tile topk transpose unbind unflatten unique unique_consecutive unsqueeze
""".split()  # noqa: SIM905

# Arguments that the torch function accepts as keywords, and the method as positional arguments only.
_POSITIONAL = {"reshape": "shape", "permute": "dims", "flip": "dims", "tile": "dims", "broadcast_to": "size"}


def _method(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not args and "input" in kwargs:
            args = (kwargs.pop("input"),)
        if not args or not isinstance(args[0], StringTensor):
            got = type(args[0]).__name__ if args else "none"
            raise TypeError(f"torch.{name}: expected a StringTensor first, got {got}")
        if kwargs.get("out") is not None:
            raise TypeError(f"torch.{name}: `out` is not supported for StringTensor")
        kwargs.pop("out", None)
        if _POSITIONAL.get(name) in kwargs:
            args = (*args, kwargs.pop(_POSITIONAL[name]))
        return getattr(args[0], name)(*args[1:], **kwargs)

    return call


def _checked(op: str, tensors: Any) -> Sequence[StringTensor]:
    if not isinstance(tensors, (list, tuple)) or not tensors:
        raise ValueError(f"{op}: expected a non-empty list or tuple of StringTensors")
    if {*map(type, tensors)} == {StringTensor}:  # there may be thousands
        return tensors
    for i, t in enumerate(tensors):
        if not isinstance(t, StringTensor):
            raise TypeError(f"{op}: expected StringTensors, got {type(t).__name__} at position {i}")
    return tensors


def _join(op: str, join: Callable[..., StringTensor], tensors: Any, *args: Any) -> StringTensor:
    return join(_checked(op, tensors), *args)


def _cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> StringTensor:
    return joining._cat(_checked("cat", tensors), dim if axis is None else axis)


def _stack(tensors: Any, dim: int = 0) -> StringTensor:
    return _join("stack", joining._stack, tensors, dim)


def _at_least(rank: int, *tensors: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], StringTensor):
        return joining.at_least(rank, tensors[0])
    given = tensors[0] if len(tensors) == 1 else tensors
    return tuple(joining.at_least(rank, t) for t in _checked(f"atleast_{rank}d", given))


def _where(condition: Any, input: Any, other: Any) -> StringTensor:
    a, b = _checked("where", [input, other])
    return joining._where(condition, a, b)


def _broadcast_tensors(*tensors: Any) -> tuple[StringTensor, ...]:
    return joining._broadcast_tensors(_checked("broadcast_tensors", tensors))


def _pad(input: StringTensor, pad: Any, mode: str = "constant", value: Any = None) -> StringTensor:
    if mode != "constant":
        raise ValueError(f"pad: expected `mode` 'constant' for strings, got {mode!r}")
    return input.pad(pad, "" if value is None else value)


def _empty_like(input: StringTensor, **options: Any) -> StringTensor:
    """Strings "". Of torch's options, strings have a device."""
    device = options.pop("device", None)
    given = [name for name, value in options.items() if value and name != "memory_format"]
    if given:
        raise TypeError(f"torch.empty_like: unexpected {given[0]!r} for a StringTensor")
    new = input.new_empty(input.shape)
    return new if device is None else new.to(device)


def _isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    strings, test = _checked("isin", [elements, test_elements])
    found = strings.isin(test)
    return ~found if invert else found


def _searchsorted(sorted_sequence: Any, input: Any, *, right: bool = False, side: str | None = None) -> Any:
    sorted_strings, values = _checked("searchsorted", [sorted_sequence, input])
    if side not in (None, "left", "right") or (side == "left" and right):
        raise ValueError("torch.searchsorted: expected `side` to be 'left' or 'right', and not against `right`")
    return sorted_strings.searchsorted(values, right or side == "right")


HANDLERS.update({getattr(torch, name): _method(name) for name in _METHODS})
HANDLERS[torch.Tensor.expand] = _method("expand")
HANDLERS[torch.Tensor.split] = HANDLERS[torch.split] = _method("_tensor_split")
HANDLERS[torch.cat] = HANDLERS[torch.concat] = HANDLERS[torch.concatenate] = _cat
HANDLERS[torch.stack] = _stack
HANDLERS[torch.where] = _where
HANDLERS[torch.broadcast_tensors] = _broadcast_tensors
HANDLERS[torch.nn.functional.pad] = _pad
HANDLERS[torch.empty_like] = _empty_like
HANDLERS[torch.isin] = _isin
HANDLERS[torch.searchsorted] = _searchsorted
for _name in ("hstack", "vstack", "dstack", "column_stack"):
    HANDLERS[getattr(torch, _name)] = partial(_join, _name, getattr(joining, _name))
HANDLERS[torch.row_stack] = HANDLERS[torch.vstack]
for _rank, _function in enumerate((torch.atleast_1d, torch.atleast_2d, torch.atleast_3d), 1):
    # For a list of tensors, torch passes the function of torch._VF to __torch_function__.
    HANDLERS[_function] = HANDLERS[getattr(torch._VF, f"atleast_{_rank}d")] = partial(_at_least, _rank)
