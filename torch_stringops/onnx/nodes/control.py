"""If, Loop, Scan and SequenceMap: operators with sub-graphs, which are modules that take captured values as well.

A condition that follows from sizes is a Python number, and decides under tracing, too. Under tracing, an If on a tensor
is `torch.cond`, whose branches return tensors of the same shapes, and a Loop or Scan over any number of steps is a
`while_loop`, whose carried values keep their shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops.while_loop import while_loop
from torch.utils._pytree import tree_flatten, tree_unflatten

import torch_stringops
from torch_stringops._tracing import known
from torch_stringops.onnx._registry import OPERATORS, Operator, as_tensor, is_static, number
from torch_stringops.string_tensor import StringTensor

MAX_ROWS = 2**40  # a loop with more steps has a limit in name only


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


# Takes the number of the step, the limit and the states; returns whether to go on, the new states and the results.
Step = Callable[[Any, Any, Sequence[Any]], tuple[Any, Sequence[Any], Sequence[Any]]]


def repeat(
    step: Step, limit: Any, goes: Any, states: Sequence[Any], like: Sequence[Tensor | None]
) -> tuple[list[Any], list[Any]]:
    """Runs at most `limit` steps (None: any number) while `goes`, and stacks the results of all steps along axis 0.

    Under tracing, steps whose number is not known are one loop of the program. `goes` is None if they do not end early.

    Args:
        like: for each result of a step a tensor of its shape and dtype, or None if they are not known in advance.

    Returns:
        The states after the last step, and the stacked results.
    """
    if torch.compiler.is_compiling() and (goes is not None or not (limit is None or is_static(limit))):
        if not any(isinstance(state, StringTensor) for state in states):
            return _traced(step, limit, goes, [as_tensor(state) for state in states], like)
        if goes is not None or not known(limit >= 0):
            raise ValueError("strings that change from step to step are traced for a known number of steps only")
    collected: list[Sequence[Any]] = []
    last, i = list(states), 0
    while (limit is None or i < limit) and (goes is None or bool(number(goes))):
        after, new, results = step(i, limit, last)
        last, goes = list(new), None if goes is None else after
        collected.append([as_tensor(result) for result in results])
        i += 1
    if not collected:
        return last, [torch.zeros(0) if t is None else t.new_zeros([0, *t.shape]) for t in like]
    return last, [stack(list(values), 0) for values in zip(*collected, strict=True)]


def _traced(
    step: Step, limit: Any, goes: Any, states: list[Tensor], like: Sequence[Tensor | None]
) -> tuple[list[Any], list[Any]]:
    """`repeat` as a `while_loop`, whose states keep their shapes. Results are written to tensors of `limit` rows."""
    device = states[0].device if states else None
    zero = torch.zeros([], dtype=torch.int64, device=device)
    if like and (limit is None or (is_static(limit) and limit > MAX_ROWS)):
        raise ValueError("results of steps are traced for a limited number of steps only")
    # A size that depends on data may not be captured, so it is a tensor.
    count = torch.full_like(zero, torch.iinfo(torch.int64).max if limit is None else limit)
    if any(t is None for t in like):
        # The program has only the shapes of these results: nothing else of them is used, so they are not computed.
        like = [as_tensor(result) for result in step(zero, count, states)[2]]
    buffers = [t.new_zeros([limit, *t.shape]) for t in like if t is not None]
    go = torch.ones_like(zero, dtype=torch.bool) if goes is None else as_tensor(goes, device).reshape(())

    def going(i: Tensor, go: Tensor, *_: Tensor) -> Tensor:
        return go & (i < count)

    def body(i: Tensor, go: Tensor, *carried: Tensor) -> tuple[Tensor, ...]:
        after, new, results = step(i, count, carried[: len(states)])
        rows = [as_tensor(result).unsqueeze(0) for result in results]
        written = [t.index_copy(0, i.reshape(1), row) for t, row in zip(carried[len(states) :], rows, strict=True)]
        after = go if goes is None else as_tensor(after, device).reshape(())
        # A loop may not return what it was given.
        return i + 1, after.clone(), *(as_tensor(t, device).clone() for t in new), *written

    given = (zero, go, *(t.contiguous() for t in states), *buffers)
    if torch.compiler.is_dynamo_compiling():
        steps, _, *carried = while_loop(going, body, given)
    else:
        # Sizes of weights stay numbers, on which the body may depend.
        with torch._dynamo.config.patch(assume_static_by_default=True, automatic_dynamic_shapes=False):
            steps, _, *carried = while_loop(going, body, given)
    results = carried[len(states) :]
    if goes is not None and results:
        done = steps.item()
        torch._check(done >= 0)
        torch._check(done <= limit)
        results = [t.narrow(0, 0, done) for t in results]
    return carried[: len(states)], results


def run_loop(
    count: Any, condition: Any, body: nn.Module, carried: Any, captured: Any, kept: list[bool], scanned: int
) -> tuple[Any, ...]:
    """The carried values after the last iteration, and `scanned` outputs with the values of all iterations.

    Iterations return values that are `kept` as they are. `condition` is None if only `count` ends the loop.
    """

    def merged(states: Sequence[Any]) -> list[Any]:
        given = iter(states)
        return [value if same else next(given) for value, same in zip(carried, kept, strict=True)]

    def step(i: Any, _: Any, states: Sequence[Any]) -> tuple[Any, Sequence[Any], Sequence[Any]]:
        after, *results = body(i, True, *merged(states), *captured)
        new = [value for value, same in zip(results, kept, strict=False) if not same]
        return after, new, results[len(kept) :]

    states = [value for value, same in zip(carried, kept, strict=True) if not same]
    limit = None if count is None else number(count)
    last, results = repeat(step, limit, condition, states, [None] * scanned)
    return (*merged(last), *results)


def stack(values: list[Any], dim: int) -> Any:
    return torch_stringops.stack(values, dim) if isinstance(values[0], StringTensor) else torch.stack(values, dim)


def row(x: Any, dim: int, i: Any) -> Any:
    """The slice of `x` at a position, which is a tensor under tracing."""
    return x.index_select(dim, i.reshape(1)).squeeze(dim) if isinstance(i, Tensor) else x.select(dim, i)


def run_scan(
    body: nn.Module,
    states: Any,
    inputs: Any,
    captured: Any,
    input_axes: list[int],
    output_axes: list[int],
    input_directions: list[int],
    output_directions: list[int],
) -> tuple[Any, ...]:
    """The states after the last step, and the outputs of all steps."""
    tensors = [as_tensor(x) for x in inputs]

    def step(i: Any, count: Any, states: Sequence[Any]) -> tuple[Any, Sequence[Any], Sequence[Any]]:
        rows = [
            row(x, axis, count - 1 - i if backwards else i)
            for x, axis, backwards in zip(tensors, input_axes, input_directions, strict=True)
        ]
        results = body(*states, *rows, *captured)
        return None, results[: len(states)], results[len(states) :]

    last, results = repeat(step, tensors[0].shape[input_axes[0]], None, states, [None] * len(output_axes))
    stacked = [
        (y.flip(0) if backwards else y).movedim(0, axis)
        for y, axis, backwards in zip(results, output_axes, output_directions, strict=True)
    ]
    return (*last, *stacked)


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
        )
        scanned = [_padded(y, steps) for y in one[len(states) :]]
        results.append([*map(as_tensor, one[: len(states)]), *scanned])
    return tuple(stack(list(values), 0) for values in zip(*results, strict=True))


def _padded(values: Any, steps: int) -> Any:
    if isinstance(values, StringTensor):
        rest = StringTensor.full([steps - values.shape[0], *values.shape[1:]], "")
        return torch_stringops.cat([values, rest])
    return torch.cat([values, values.new_zeros(steps - values.shape[0], *values.shape[1:])])


def run_sequence_map(body: nn.Module, sequence: list[Any], others: Any, captured: Any, outputs: int) -> tuple[Any, ...]:
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
