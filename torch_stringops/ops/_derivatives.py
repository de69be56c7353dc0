"""Derivatives of operators: reverse and forward mode, of any order, and torch.vmap.

They are registered with the dispatcher, for torch.ops, compiled graphs and exported programs. The kernels of
torch.library.register_autograd support reverse mode only: they drop the tangents of forward mode, which gives zeros,
and do not support the transforms of torch.func.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad

from torch_stringops._tracing import known
from torch_stringops.ops._packaged import overload_below, register_kernel

_unpack_dual = torch._C._VariableFunctions._unpack_dual


def register_derivative(op: str, differentiate: Callable[..., Any]) -> None:
    """Registers `differentiate` for calls of `torch.ops.stringops.<op>` with differentiated arguments."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        for a in args:
            if isinstance(a, Tensor) and is_differentiated(a):
                return differentiate(*args, **kwargs)
        with torch._C._AutoDispatchBelowAutograd():
            return overload_below(op)(*args, **kwargs)

    register_kernel(op, kernel)


def call(overload: Callable[..., Any], values: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Calls an operator; skips its kernel of `register_derivative` if `values` is not differentiated.

    That kernel is Python code, and takes as long as the operator itself on a few elements.
    """
    if torch.compiler.is_compiling() or values.requires_grad or may_have_tangents():
        return overload(values, *args, **kwargs)
    with torch._C._AutoDispatchBelowAutograd():
        return overload(values, *args, **kwargs)


def is_differentiated(t: Tensor) -> bool:
    return (t.requires_grad and torch.is_grad_enabled()) or unpack(t)[1] is not None


def unpack(t: Tensor) -> tuple[Tensor, Tensor | None]:
    """Returns the value of a tensor, and its tangent in forward mode, or None."""
    if not (t.is_floating_point() or t.is_complex()):
        return t, None
    # level=0, since a compiled graph enters the level without setting forward_ad._current_level. Only a mode of
    # torch.export needs the wrapper, which takes three times as long.
    traced = torch._C._is_torch_function_mode_enabled()
    value, tangent = (forward_ad.unpack_dual if traced else _unpack_dual)(t, level=0)
    return (t, None) if tangent is None else (value, tangent)


def pack(value: Tensor, tangent: Tensor) -> Tensor:
    dual: Tensor = forward_ad.make_dual(value, tangent, level=0)
    return dual


def may_have_tangents() -> bool:
    return forward_ad._current_level >= 0 or torch._C._are_functorch_transforms_active()


class Reverse(torch.autograd.Function):
    """Base class for reverse mode, called by a kernel of `register_derivative`."""

    @classmethod
    def record(cls, *args: Any) -> Any:
        # The dispatcher calls the kernel at a level of torch.func's transforms. `Function.apply` would restart at the
        # outermost level; the `apply` of its base class records at the current one.
        with enable_single_level_autograd_function():
            return super(torch.autograd.Function, cls).apply(*args)  # type: ignore[misc]


@contextmanager
def below(op: str) -> Iterator[Callable[..., Any]]:
    """For the call in `Reverse.forward`, which is recorded at the outer levels of torch.func, but not at this one.

    Yields the overload to call.
    """
    with (
        torch.enable_grad(),
        forward_ad._set_fwd_grad_enabled(True),
        torch._C._AutoDispatchBelowAutograd(),
    ):
        yield overload_below(op)


def map_samples(op: str, call: Callable[..., Any], info: Any, in_dims: Any, *args: Any) -> tuple[Tensor, int]:
    """Implements torch.vmap by a loop, for samples with different row lengths."""
    samples = [
        call(*(a if dim is None else a.select(dim, i) for a, dim in zip(args, in_dims, strict=True)))
        for i in range(info.batch_size)
    ]
    if any(known(size != other) for s in samples for size, other in zip(s.shape, samples[0].shape, strict=True)):
        raise ValueError(f"{op}: expected results of one shape from the samples of torch.vmap")
    return torch.stack(samples), 0
