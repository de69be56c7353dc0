"""Checks of strings that enter an exported program: their rank, dtypes and sizes, and strides in a package.

torch adds guards to the program, but an AOTInductor package checks none of its inputs: the code that inductor generates
reads as many elements as the shape of the example says.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import keystr, tree_flatten, tree_flatten_with_path, tree_leaves, tree_unflatten

from torch_stringops._checks import quoted
from torch_stringops.ops.pack_inputs import check_strings_as_now

Call = tuple[tuple[Any, ...], dict[str, Any]]


def contiguous_strings(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The call with contiguous offsets."""
    leaves, spec = tree_flatten((args, kwargs))
    for position in _positions(leaves):
        leaves[position + 1] = leaves[position + 1].contiguous()
    call: Call = tree_unflatten(leaves, spec)
    return call


def check_has_parameters(model: torch.nn.Module, kwargs: dict[str, Any]) -> None:
    """Rejects inputs that `forward` takes by `**kwargs`, for which torch.export supports no dynamic sizes."""
    parameters = inspect.signature(model.forward).parameters
    rest = next((p.name for p in parameters.values() if p.kind is p.VAR_KEYWORD), None)
    other = next((name for name in kwargs if name not in parameters or name == rest), None)
    if rest is not None and other is not None:
        raise ValueError(
            f"export: expected `kwargs` of names that `forward` declares, got {quoted(other)}, which it takes by "
            f"`**{rest}` (torch.export supports no dynamic sizes there: declare a parameter)"
        )


@contextmanager
def checked_strings(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[None]:
    """Within the context, a traced call of `model` begins with checks that its strings are as in this call."""
    leaves = tree_flatten_with_path((args, kwargs))[0]
    positional = _positional_names(model, len(args))
    checks = [
        (at, _name(positional, leaves[at][0]), _name(positional, leaves[at + 1][0]))
        for at in _positions([leaf for _, leaf in leaves])
    ]

    def check(_: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        leaves = tree_leaves((args, kwargs))
        for at, data_name, offsets_name in checks:
            check_strings_as_now(leaves[at], leaves[at + 1], data_name, offsets_name)

    hook = model.register_forward_pre_hook(check, prepend=True, with_kwargs=True)
    try:
        yield
    finally:
        hook.remove()


def _positions(leaves: list[Any]) -> list[int]:
    """The positions of the `data` of strings on the CPU. Their offsets follow.

    Two inputs of the dtypes of `data` and `offsets`, one after the other, are taken for strings.
    """

    def has(leaf: Any, dtype: torch.dtype) -> bool:
        return isinstance(leaf, Tensor) and leaf.dtype == dtype and leaf.is_cpu

    return [
        position
        for position, (data, offsets) in enumerate(pairwise(leaves))
        if has(data, torch.uint8) and has(offsets, torch.int32) and data.dim() == 1 and offsets.dim() > 0
    ]


def _positional_names(model: torch.nn.Module, count: int) -> list[str]:
    """The names of `count` positional arguments of the model's `forward`, as errors show them."""
    names: list[str] = []
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{i}]" for i in range(count - len(names))]
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)
    return names


def _name(positional: list[str], path: Any) -> str:
    """The name of an input, such as `text.offsets`; the path begins with 0 for `args`, 1 for `kwargs`."""
    group, first, *rest = path
    if group.idx == 0:
        name = positional[first.idx] if first.idx < len(positional) else f"args[{first.idx}]"
    else:
        name = first.key
    return f"{name}{keystr(tuple(rest))}"
