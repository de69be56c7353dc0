"""If, Loop, Scan and SequenceMap: operators with sub-graphs, which are modules that take captured values as well.

A condition or a number of iterations that follows from sizes is a Python number, and decides under tracing, too. An If
on a tensor is `torch.cond` under tracing, whose branches take and return tensors, of the same shapes, and no strings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

import torch_stringops
from torch_stringops.onnx._registry import OPERATORS, Operator, as_tensor, number
from torch_stringops.string_tensor import StringTensor


def run_if(
    condition: Any, then_branch: nn.Module, else_branch: nn.Module, then_captured: Any, else_captured: Any
) -> Any:
    """The outputs of one branch, as a tuple."""
    if isinstance(condition, Tensor) and torch.compiler.is_compiling():
        names = len(then_captured)
        captured = (*then_captured, *else_captured)

        def then(*values: Any) -> Any:
            return tuple(as_tensor(y) for y in then_branch(*values[:names]))

        def other(*values: Any) -> Any:
            return tuple(as_tensor(y) for y in else_branch(*values[names:]))

        return torch.cond(condition.reshape(()), then, other, captured)
    if bool(number(condition)):
        return then_branch(*then_captured)
    return else_branch(*else_captured)


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
    # Scan-8 has a batch axis.
    OPERATORS["", _name] = Operator("", _name, _call, version=9 if _name == "Scan" else 1)
