"""Derivatives of the operators on floats: reverse and forward mode, of every order, and torch.vmap.

They are registered with the dispatcher, so that torch.ops, compiled graphs and exported programs have them as the
public functions do. torch.library.register_autograd registers reverse mode alone: its kernels drop the tangents of
forward mode, which gives zeros, and refuse the transforms of torch.func.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad

from torch_stringops._tracing import known

_library = torch.library.Library("stringops", "FRAGMENT")


def register_derivative(op: str, differentiate: Callable[..., Any]) -> None:
    """Have `differentiate` answer the calls of `torch.ops.stringops.<op>` whose arguments are differentiated."""
    overload = getattr(torch.ops.stringops, op).default

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, Tensor) and is_differentiated(a) for a in args):
            return differentiate(*args, **kwargs)
        with torch._C._AutoDispatchBelowAutograd():
            return overload(*args, **kwargs)

    _library.impl(op, kernel, "Autograd")


def call(overload: Callable[..., Any], values: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Calls an operator, without its kernel of `register_derivative` if `values` are not differentiated.

    The kernel is written in Python and takes as long as the operator on a few elements.
    """
    if torch.compiler.is_compiling() or values.requires_grad or _may_have_tangents():
        return overload(values, *args, **kwargs)
    with torch._C._AutoDispatchBelowAutograd():
        return overload(values, *args, **kwargs)


def is_differentiated(t: Tensor) -> bool:
    return (t.requires_grad and torch.is_grad_enabled()) or unpack(t)[1] is not None


def unpack(t: Tensor) -> tuple[Tensor, Tensor | None]:
    """The value of a tensor, and its tangent in forward mode."""
    if not (t.is_floating_point() or t.is_complex()):
        return t, None
    # A compiled graph enters the level without `forward_ad` knowing.
    value, tangent = forward_ad.unpack_dual(t, level=0)
    return (t, None) if tangent is None else (value, tangent)


def pack(value: Tensor, tangent: Tensor) -> Tensor:
    dual: Tensor = forward_ad.make_dual(value, tangent, level=0)
    return dual


def _may_have_tangents() -> bool:
    return forward_ad._current_level >= 0 or torch._C._are_functorch_transforms_active()


class Reverse(torch.autograd.Function):
    """Reverse mode of an operator whose kernel of `register_derivative` runs."""

    @classmethod
    def record(cls, *args: Any) -> Any:
        # The dispatcher runs the kernel at one level of torch.func's transforms. `Function.apply` would start again at
        # the outermost level; the `apply` of its base class records at this one.
        with enable_single_level_autograd_function():
            return super(torch.autograd.Function, cls).apply(*args)  # type: ignore[misc]


@contextmanager
def below() -> Iterator[None]:
    """For the call inside `Reverse.forward`: not recorded at this level, but at the outer ones of torch.func."""
    with (
        torch.enable_grad(),
        forward_ad._set_fwd_grad_enabled(True),
        torch._C._AutoDispatchBelowAutograd(),
    ):
        yield


def map_samples(op: str, call: Callable[..., Any], info: Any, in_dims: Any, *args: Any) -> tuple[Tensor, int]:
    """torch.vmap by a loop, if each sample has rows of its own lengths."""
    samples = [
        call(*(a if dim is None else a.select(dim, i) for a, dim in zip(args, in_dims, strict=True)))
        for i in range(info.batch_size)
    ]
    if any(
        known(size != other) for s in samples for size, other in zip(s.shape, samples[0].shape, strict=True)
    ):
        raise ValueError(f"{op}: expected results of one shape from the samples of torch.vmap")
    return torch.stack(samples), 0
