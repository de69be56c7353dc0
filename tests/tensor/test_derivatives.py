"""Derivatives of every operator that takes floats: reverse and forward mode, their compositions, and torch.vmap.

The calls are found in the samples of the suites: every tensor that the operator also accepts as float64.
"""

import functools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.harness import OpSuite
from support.registry import OVERLOADS, suites
from support.versions import needs_torch
from torch import Tensor
from torch.autograd import forward_ad, gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

from torch_stringops import dense_to_ragged, ragged_to_dense


@dataclass
class FloatCall:
    """A call of an operator, as a function of those of its arguments that are float64."""

    overload: Any
    args: list[Any]
    kwargs: dict[str, Any]
    positions: tuple[int, ...]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        return tuple(self.args[i] for i in self.positions)

    def __call__(self, *inputs: Tensor) -> Any:
        args = list(self.args)
        for position, value in zip(self.positions, inputs, strict=True):
            args[position] = value
        results = self.overload(*args, **self.kwargs)
        results = [results] if isinstance(results, Tensor) else results
        return tuple(r for r in results if r.is_floating_point())

    def loss(self, *inputs: Tensor) -> Tensor:
        """Nonlinear, and a different function of each element."""
        total = inputs[0].new_zeros(())
        for result in self(*inputs):
            weights = torch.arange(1, result.numel() + 1).reshape(result.shape)
            total = total + (result.sin() * weights).sum()
        return total


def float_calls(suite: OpSuite, max_elements: int = 40) -> Iterator[FloatCall]:
    for sample in suite.samples:
        args, kwargs = suite.tensors(sample)
        tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if sum(args[i].numel() for i in tensors) > max_elements or any(args[i].is_complex() for i in tensors):
            continue
        for count in range(1, len(tensors) + 1):
            for positions in combinations(tensors, count):
                floats = [torch.rand(a.shape, dtype=torch.float64) if i in positions else a for i, a in enumerate(args)]
                call = FloatCall(suite.overload, floats, kwargs, positions)
                try:
                    results = call(*call.inputs)
                except (ValueError, RuntimeError):
                    continue
                # (gradcheck does not support empty tensors)
                if results and all(t.numel() for t in (*call.inputs, *results)):
                    yield call


SUITES = [
    suite
    for name in OVERLOADS
    for suite in (c.suite for c in suites(name.split(".")[0]))
    if suite.overload_name == (name.partition(".")[2] or "default")
]


@functools.cache
def calls() -> list[tuple[str, FloatCall]]:
    return [(suite.op, call) for suite in SUITES for call in float_calls(suite)]


def check(call: FloatCall) -> None:
    """Every kind of derivative against finite differences, or against another kind."""
    inputs = tuple(i.clone().requires_grad_() for i in call.inputs)
    assert gradcheck(call, inputs, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(call, inputs, check_fwd_over_rev=True, check_rev_over_rev=True, check_batched_grad=True)
    check_transforms(call)


def check_transforms(call: FloatCall, transformed: Callable[[Any], Any] = lambda f: f) -> None:
    """torch.func's transforms, each passed through `transformed`, against reverse mode."""
    inputs = call.inputs
    positions = tuple(range(len(inputs)))
    wanted = tuple(i.clone().requires_grad_() for i in inputs)
    gradients = torch.autograd.grad(call.loss(*wanted), wanted)
    close(transformed(grad(call.loss, positions))(*inputs), gradients)
    second = torch.autograd.functional.hessian(call.loss, inputs)
    close(transformed(hessian(call.loss, positions))(*inputs), second)
    close(transformed(jacrev(jacrev(call.loss, positions), positions))(*inputs), second)
    close(transformed(jacfwd(call, positions))(*inputs), torch.autograd.functional.jacobian(call, inputs))
    tangents = tuple(i.cos() for i in inputs)
    slope = sum(((g * t).sum() for g, t in zip(gradients, tangents, strict=True)), torch.zeros(()).double())
    close(transformed(lambda *x: jvp(call.loss, x, tangents)[1])(*inputs), slope)
    close(transformed(lambda *x: forward_mode(call.loss, x, tangents))(*inputs), slope)


def forward_mode(f: Callable[..., Tensor], inputs: tuple[Tensor, ...], tangents: tuple[Tensor, ...]) -> Tensor:
    with forward_ad.dual_level():
        duals = (forward_ad.make_dual(i, t) for i, t in zip(inputs, tangents, strict=True))
        tangent = forward_ad.unpack_dual(f(*duals)).tangent
    assert tangent is not None
    return tangent


def check_samples(call: FloatCall, transformed: Callable[[Any], Any] = lambda f: f) -> None:
    """torch.vmap, by itself and composed with gradients, against a loop."""
    samples = [tuple(torch.rand_like(i) for i in call.inputs) for _ in range(3)]
    positions = tuple(range(len(call.inputs)))

    def function(*inputs: Tensor) -> Any:
        return call(*inputs)

    results = tuple(torch.stack(r) for r in zip(*(call(*s) for s in samples), strict=True))
    gradients = tuple(torch.stack(g) for g in zip(*(grad(call.loss, positions)(*s) for s in samples), strict=True))
    for dim in (0, -1):
        stacked = tuple(torch.stack(s, dim) for s in zip(*samples, strict=True))
        batched = transformed(vmap(function, in_dims=dim))(*stacked)
        close(batched, results)
        close(transformed(vmap(grad(call.loss, positions), in_dims=dim))(*stacked), gradients)
        total = grad(lambda *x, d=dim: vmap(call.loss, in_dims=d)(*x).sum(), positions)
        close(transformed(total)(*stacked), tuple(g.movedim(0, dim) for g in gradients))
    # Only one argument is batched.
    for position in positions:
        in_dims = tuple(0 if p == position else None for p in positions)
        mixed = [torch.stack([s[p] for s in samples]) if p == position else samples[0][p] for p in positions]
        alone = [tuple(s[p] if p == position else samples[0][p] for p in positions) for s in samples]
        loop = tuple(torch.stack(r) for r in zip(*(call(*s) for s in alone), strict=True))
        close(transformed(vmap(function, in_dims=in_dims))(*mixed), loop)


def close(got: Any, want: Any) -> None:
    torch.testing.assert_close(got, want)


def test_operators_on_floats_are_found():
    assert {op for op, _ in calls()} >= {"ragged_to_dense", "dense_to_ragged", "split", "split_to_sequence"}


@each(("op", "call"), calls)
def test_derivatives(op: str, call: FloatCall):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*(autograd kernel was not|batching rule for) ")
        check(call)


@each(("op", "call"), calls)
def test_samples_of_vmap(op: str, call: FloatCall):
    check_samples(call)


COMPILED = [
    (lambda x: ragged_to_dense(x, torch.tensor([0, 3, 3, 5]), 4, 2.0, side="left"), torch.rand(5, 2).double()),
    (lambda x: torch.ops.stringops.split(x, [2, 3])[1], torch.rand(5).double()),
]


@pytest.mark.parametrize(("function", "x"), COMPILED, ids=["ragged_to_dense", "split"])
def test_compiled(function: Callable[[Tensor], Tensor], x: Tensor):
    def compiled(f: Any) -> Any:
        torch._dynamo.reset()
        return torch.compile(f, fullgraph=True, backend="aot_eager")

    call = FloatCall(lambda x: function(x), [x], {}, (0,))
    check_transforms(call, compiled)
    check_samples(call, compiled)


@needs_torch((2, 13), "torch 2.10 cannot trace functional derivatives of data-dependent sizes")
def test_compiled_with_data_dependent_sizes():
    dense, lengths = torch.rand(3, 3).double(), torch.tensor([3, 0, 2])
    row_splits = torch.tensor([0, 3, 3, 5])

    def loss(values: Tensor) -> Tensor:
        return ragged_to_dense(dense_to_ragged(values, lengths)[0], row_splits).sin().sum()

    torch._dynamo.reset()
    close(torch.compile(grad(loss), fullgraph=True)(dense), grad(loss)(dense))


@pytest.mark.parametrize("dim", [0, 1])
def test_rows_of_each_sample(dim: int):
    values, row_splits = torch.rand(4), torch.tensor([[0, 1, 4], [0, 3, 4], [0, 0, 4]])
    want = torch.stack([ragged_to_dense(values, r, 2) for r in row_splits])
    close(vmap(lambda r: ragged_to_dense(values, r, 2), in_dims=dim)(row_splits.movedim(0, dim)), want)
    with pytest.raises(ValueError, match="^ragged_to_dense: expected results of one shape from the samples of"):
        vmap(lambda r: ragged_to_dense(values, r))(row_splits)
    with pytest.raises(
        ValueError, match="^dense_to_ragged: expected `lengths` that is the same for all samples of torch.vmap"
    ):
        vmap(lambda n: dense_to_ragged(values.reshape(2, 2), n))(torch.tensor([[1, 0], [2, 0]]))


def test_samples_of_vmap_are_checked_together():
    for op, sample, args in (
        ("ragged_to_dense", torch.rand(3), (torch.tensor([0, 1]),)),
        ("dense_to_ragged", torch.rand(3, 1), (torch.tensor([1]),)),
        ("split", torch.rand(3), ([1],)),
    ):
        overload = getattr(torch.ops.stringops, op).default
        with pytest.raises(BAD_ARGUMENT) as alone:
            overload(sample[0], *args)
        with pytest.raises(BAD_ARGUMENT) as among_samples:
            vmap(lambda x, o=overload, a=args: o(x, *a))(sample)
        assert str(among_samples.value) == str(alone.value)


def test_gradients_through_vmap_levels_that_do_not_require_them():
    """Inside vmap, a tensor does not show whether its samples require gradients."""
    values, row_splits = torch.rand(2, 4), torch.tensor([0, 1, 4])
    total = grad(lambda v: vmap(lambda x: ragged_to_dense(x, row_splits).square().sum())(v).sum())
    close(total(values), 2 * values)


def test_an_operator_without_derivatives_is_detected():
    with torch.library._scoped_library("stringops_test", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CPU")
        call = FloatCall(torch.ops.stringops_test.twice.default, [torch.rand(3).double()], {}, (0,))
        with pytest.raises((AssertionError, RuntimeError)):
            check(call)
