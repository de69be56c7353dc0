"""If, Loop, Scan and SequenceMap: operators with sub-graphs, which are modules that take captured values as well.

A condition or a number of iterations that follows from sizes is a Python number, and decides under tracing, too. An If
on a tensor is `torch.cond` under tracing, whose branches take and return tensors, of the same shapes, and no strings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops.while_loop import while_loop
from torch.utils._pytree import tree_flatten, tree_unflatten

import torch_stringops
from torch_stringops.onnx._registry import OPERATORS, Operator, as_tensor, number
from torch_stringops.string_tensor import StringTensor


def run_if(
    condition: Any,
    then_branch: nn.Module,
    else_branch: nn.Module,
    then_captured: Any,
    else_captured: Any,
    strings: Sequence[int | None] = (),
) -> Any:
    """The outputs of one branch, as a tuple. `strings` has the rank of each output of strings, and None for others."""
    if isinstance(condition, Tensor) and torch.compiler.is_compiling():
        given, tree = tree_flatten((then_captured, else_captured))

        def tensors(outputs: Any) -> tuple[Tensor, ...]:
            return tuple(
                part.clone()  # a branch may not return one of its inputs
                for y in outputs
                for part in ((y.data, y.offsets) if isinstance(y, StringTensor) else (as_tensor(y),))
            )

        def then(*values: Any) -> Any:
            return tensors(then_branch(*tree_unflatten(values, tree)[0]))

        def other(*values: Any) -> Any:
            return tensors(else_branch(*tree_unflatten(values, tree)[1]))

        parts = iter(torch.cond(condition.reshape(()), then, other, tuple(given)))
        return tuple(
            next(parts) if rank is None else StringTensor(next(parts), next(parts), scalar=rank == 0)
            for rank in strings
        )
    if bool(number(condition)):
        return then_branch(*then_captured)
    return else_branch(*else_captured)


def repeat_while(
    goes: Callable[..., Tensor], body: Callable[..., tuple[Tensor, ...]], carried: tuple[Tensor, ...]
) -> tuple[Tensor, ...]:
    """Calls `body` on the tensors that it returned, while `goes` is true of them; under tracing, as one loop."""
    if torch.compiler.is_compiling():
        return tuple(while_loop(goes, body, carried))
    while bool(goes(*carried)):
        carried = body(*carried)
    return carried


def run_loop(
    count: Any, condition: Any, body: nn.Module, carried: Any, captured: Any, scanned: int
) -> tuple[Any, ...]:
    """The carried values after the last iteration, and `scanned` outputs with the values of all iterations."""
    limit = None if count is None else number(count)
    values = list(carried)
    collected: list[list[Any]] = [[] for _ in range(scanned)]
    goes = condition is None or bool(number(condition))
    iteration = 0
    while goes and (limit is None or iteration < limit):
        after, *results = body(iteration, True, *values, *captured)
        values = results[: len(values)]
        for kept, value in zip(collected, results[len(values) :], strict=True):
            kept.append(as_tensor(value))
        goes = condition is None or bool(
            number(after)
        )  # without a condition, that of the body does not count
        iteration += 1
    return (*values, *(_stacked(kept) for kept in collected))


def _stacked(values: list[Any], dim: int = 0) -> Any:
    if not values:
        return torch.zeros(0)
    if isinstance(values[0], StringTensor):
        return torch_stringops.stack(values, dim)
    return torch.stack(values, dim)


def run_scan(
    body: nn.Module,
    states: Any,
    inputs: Any,
    captured: Any,
    input_axes: list[int],
    output_axes: list[int],
    input_directions: list[int],
    output_directions: list[int],
    outputs: int,
) -> tuple[Any, ...]:
    """The states after the last step, and the outputs of all steps."""
    values, slices = list(states), []
    for x, axis, backwards in zip(inputs, input_axes, input_directions, strict=True):
        rows = as_tensor(x).unbind(axis)
        slices.append(rows[::-1] if backwards else rows)
    collected: list[list[Any]] = [[] for _ in range(outputs)]
    for row in zip(*slices, strict=True):
        results = body(*values, *row, *captured)
        values = list(results[: len(values)])
        for kept, value in zip(collected, results[len(values) :], strict=True):
            kept.append(as_tensor(value))
    stacked = [
        _stacked(kept[::-1] if backwards else kept, axis)
        for kept, axis, backwards in zip(collected, output_axes, output_directions, strict=True)
    ]
    return (*values, *stacked)


def run_batched_scan(
    body: nn.Module,
    lengths: Tensor | None,
    states: Any,
    inputs: Any,
    captured: Any,
    directions: list[int],
    outputs: int,
) -> tuple[Any, ...]:
    """Scan-8: a scan of each row of a batch. Beyond the length of a row, its outputs are zeros."""
    first, results = inputs[0], []
    steps = first.shape[1]
    for b in range(first.shape[0]):
        count = steps if lengths is None else min(max(int(lengths[b]), 0), steps)
        rows = [as_tensor(x)[b, :count] for x in inputs]
        axes = [0] * len(rows)
        one = run_scan(
            body,
            [s[b] for s in states],
            rows,
            captured,
            axes,
            [0] * outputs,
            directions,
            [0] * outputs,
            outputs,
        )
        scanned = [_padded(y, steps) for y in one[len(states) :]]
        results.append([*map(as_tensor, one[: len(states)]), *scanned])
    return tuple(_stacked(list(values)) for values in zip(*results, strict=True))


def _padded(values: Any, steps: int) -> Any:
    if isinstance(values, StringTensor):
        rest = StringTensor.full([steps - values.shape[0], *values.shape[1:]], "")
        return torch_stringops.cat([values, rest])
    return torch.cat([values, values.new_zeros(steps - values.shape[0], *values.shape[1:])])


def run_sequence_map(
    body: nn.Module, sequence: list[Any], others: Any, captured: Any, outputs: int
) -> tuple[Any, ...]:
    """The outputs of the body for each element of a sequence, as sequences. Other inputs are sequences or tensors."""
    collected: list[list[Any]] = [[] for _ in range(outputs)]
    for i, value in enumerate(sequence):
        results = body(value, *(x[i] if isinstance(x, list) else x for x in others), *captured)
        for kept, result in zip(collected, results, strict=True):
            kept.append(as_tensor(result))
    return tuple(collected)


_CALLS: dict[str, Callable[..., Any]] = {
    "If": run_if,
    "Loop": run_loop,
    "Scan": run_scan,
    "SequenceMap": run_sequence_map,
}
for _name, _call in _CALLS.items():
    OPERATORS["", _name] = Operator("", _name, _call)
