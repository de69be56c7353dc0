"""The strings of an exported program: examples, which become distinct tensors, and checks of what enters it.

The checks are of ranks, dtypes and sizes, and of strides in a package. torch adds guards to the program, but an
AOTInductor package checks none of its inputs: the code that inductor generates reads as many elements as the shape of
the example says.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.utils._pytree import (
    TreeSpec,
    keystr,
    tree_flatten,
    tree_flatten_with_path,
    tree_leaves,
    tree_unflatten,
)

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import quoted
from torch_stringops.interop.strings import is_column
from torch_stringops.ops.pack_inputs import check_strings_as_now
from torch_stringops.string_tensor import StringTensor

Call = tuple[tuple[Any, ...], dict[str, Any]]


def is_strings(value: Any) -> bool:
    return isinstance(value, StringTensor)


def with_strings(model: torch.nn.Module, args: Any, kwargs: dict[str, Any]) -> Call:
    """The call with StringTensors for lists and columns of strings, which torch.export would take for constants."""
    if not isinstance(args, tuple):
        raise TypeError(
            f"export: expected `args` to be a tuple, got {type(args).__name__} (write a comma after one input: (x,))"
        )
    leaves, spec = tree_flatten_with_path(
        (args, kwargs), lambda v: v is not args and (is_strings(v) or _is_texts(v) or _is_empty_list(v))
    )
    positional = _positional_names(model, len(args))
    call: Call = tree_unflatten([_as_input(leaf, _name(positional, path)) for path, leaf in leaves], spec)
    return call


def _is_texts(value: Any, *, only: bool = False) -> bool:
    """Whether a list or tuple has a text among its elements, or has, at any depth, texts `only`."""
    if type(value) not in (list, tuple) or not value:
        return False
    is_text = [isinstance(v, str | bytes) for v in value]
    return (any(is_text) and not only) or all(t or _is_texts(v, only=True) for t, v in zip(is_text, value, strict=True))


def _is_empty_list(value: Any) -> bool:
    return type(value) is list and not value


def _as_input(value: Any, name: str) -> Any:
    if _is_empty_list(value):
        raise TypeError(
            f"export: expected `{name}` to be strings in a list or a StringTensor, got an empty list, which would be a "
            "constant (pass at least one string as example)"
        )
    if isinstance(value, str | bytes):
        raise TypeError(
            f"export: expected `{name}` to be strings in a list or a StringTensor, got {type(value).__name__}, which "
            "would be a constant (pass a list for a batch, or StringTensor.from_list for a string of rank 0)"
        )
    is_texts = _is_texts(value) or (is_column(value) and not isinstance(value, Tensor | StringTensor | np.generic))
    return strings_argument("export", name, value) if is_texts else value


def distinct_tensors(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The call with contiguous offsets, in which each tensor is a Python object of its own.

    torch.export makes one input of an object that occurs twice, such as the `data` of two slices of one batch, and no
    input of one that is a parameter or buffer of the model.
    """
    leaves, spec = tree_flatten((args, kwargs))
    for position in _positions(leaves):
        leaves[position + 1] = leaves[position + 1].contiguous()
    leaves = [t.data.requires_grad_(t.requires_grad) if isinstance(t, Tensor) else t for t in leaves]
    call: Call = tree_unflatten(leaves, spec)
    return call


def accepting_texts(module_of: Callable[..., torch.fx.GraphModule]) -> Callable[..., torch.fx.GraphModule]:
    """ExportedProgram.module, whose result takes strings in any form that `as_strings` accepts, as eager does."""

    @wraps(module_of)
    def module(program: ExportedProgram, *args: Any, **kwargs: Any) -> torch.fx.GraphModule:
        made = module_of(program, *args, **kwargs)
        positions = tree_unflatten(list(range(made._in_spec.num_leaves)), made._in_spec)
        examples, spec = tree_flatten_with_path(positions, is_strings)
        positional = _positional_names(made, len(positions[0]))
        strings = [
            (at, _name(positional, path), example) for at, (path, example) in enumerate(examples) if is_strings(example)
        ]
        if strings:
            convert = partial(_convert, spec=spec, strings=strings)
            made.register_forward_pre_hook(convert, prepend=True, with_kwargs=True)
        return made

    return module


def _convert(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    spec: TreeSpec,
    strings: list[tuple[int, str, StringTensor]],
) -> Call | None:
    if torch.compiler.is_compiling():
        return None
    try:
        leaves = spec.flatten_up_to((args, kwargs))
    except ValueError:  # torch's own check of the structure follows
        return None
    for at, name, example in strings:
        leaves[at] = value = strings_argument("export", name, leaves[at])
        if value._scalar != example._scalar:
            want = "a string of rank 0" if example._scalar else "strings of rank >= 1"
            raise ValueError(
                f"export: expected `{name}` to be {want}, as in the example, got shape {list(value.shape)}"
            )
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
