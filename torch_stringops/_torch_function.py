"""torch's own functions on string tensors: `torch.cat([s, t])`, `torch.where(mask, s, t)`, `torch.equal(s,
t)`, ...

torch asks `__torch_function__` of an argument that is no Tensor before it refuses it. Functions that are
methods of StringTensor under the same name, with torch's arguments, are found by that name; the few others
are written out below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from torch_stringops import _joining
from torch_stringops._base import Strings
from torch_stringops._shape_verbs import ShapeVerbs

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor

F = TypeVar("F", bound=Callable[..., Any])

HANDLERS: dict[Any, Callable[..., Any]] = {}

# torch.<name>(s, ...) is s.<name>(...).
_METHODS = """
    broadcast_to chunk clone detach diagonal eq equal flatten flip gather index_select masked_fill
    masked_select moveaxis movedim narrow ne numel permute ravel repeat_interleave reshape roll select
    split_with_sizes squeeze swapaxes swapdims t take take_along_dim tensor_split tile transpose unbind
    unflatten unsqueeze
""".split()  # noqa: SIM905

# Arguments that torch's function takes by name, and the method only by place.
_BY_PLACE = {"reshape": "shape", "permute": "dims", "flip": "dims", "tile": "dims", "broadcast_to": "size"}


def implements(*functions: Any) -> Callable[[F], F]:
    """The decorated function is what the torch functions do when an argument is a StringTensor."""

    def register(handler: F) -> F:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register


def _method(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not args and "input" in kwargs:
            args = (kwargs.pop("input"),)
        if not args or not isinstance(args[0], Strings):
            got = type(args[0]).__name__ if args else "none"
            raise TypeError(f"torch.{name}: expected a StringTensor first, got {got}")
        if kwargs.get("out") is not None:
            raise TypeError(f"torch.{name}: `out` is not supported for StringTensor")
        kwargs.pop("out", None)
        if _BY_PLACE.get(name) in kwargs:
            args = (*args, kwargs.pop(_BY_PLACE[name]))
        return getattr(args[0], name)(*args[1:], **kwargs)

    return call


for _name in _METHODS:
    HANDLERS[getattr(torch, _name)] = _method(_name)
HANDLERS[torch.Tensor.expand] = _method("expand")
HANDLERS[torch.Tensor.split] = HANDLERS[torch.split] = _method("_tensor_split")


@implements(torch.cat, torch.concat, torch.concatenate)
def _cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> StringTensor:
    return _joining.cat(tensors, dim if axis is None else axis)


@implements(torch.stack)
def _stack(tensors: Any, dim: int = 0) -> StringTensor:
    return _joining.stack(tensors, dim)


@implements(torch.hstack)
def _hstack(tensors: Any) -> StringTensor:
    return _joining.hstack(tensors)


@implements(torch.vstack, torch.row_stack)
def _vstack(tensors: Any) -> StringTensor:
    return _joining.vstack(tensors)


@implements(torch.dstack)
def _dstack(tensors: Any) -> StringTensor:
    return _joining.dstack(tensors)


@implements(torch.column_stack)
def _column_stack(tensors: Any) -> StringTensor:
    return _joining.column_stack(tensors)


def _at_least(rank: int) -> Callable[..., Any]:
    def call(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], ShapeVerbs):
            return _joining.at_least(rank, tensors[0]._self())
        given = tensors[0] if len(tensors) == 1 else tensors
        return tuple(_joining.at_least(rank, t) for t in _joining.check_strings(f"atleast_{rank}d", given))

    return call


for _rank, _function in enumerate((torch.atleast_1d, torch.atleast_2d, torch.atleast_3d), 1):
    # With a list of tensors, torch asks in the name of the function that it calls.
    HANDLERS[_function] = HANDLERS[getattr(torch._VF, f"atleast_{_rank}d")] = _at_least(_rank)


@implements(torch.where)
def _where(condition: Any, input: Any, other: Any) -> StringTensor:
    return _joining.where(condition, input, other)


@implements(torch.unique)
def _unique(
    input: StringTensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    if dim is not None:
        raise TypeError("torch.unique: `dim` is not supported for StringTensor")
    return input.unique(sorted, return_inverse, return_counts)


def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `function` of torch does to string tensors."""
    handler = HANDLERS.get(function)
    if handler is None:
        if isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            raise TypeError(
                f"torch.ops.{function} takes tensors; of a StringTensor s, pass `s.data, s.offsets` "
                "(or call the function of torch_stringops)"
            )
        name = getattr(function, "__name__", None) or str(function)
        raise TypeError(f"torch.{name} does not take string tensors")
    return handler(*args, **kwargs)
