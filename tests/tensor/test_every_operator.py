"""Operators in one graph: compiled, exported, saved and loaded, and packaged by AOTInductor.

One of each family, and with `make check` all.

A call of the package enters no Python code: tests/stress/packages.py says why.
"""

import io
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from support.registry import OPERATORS, family, suites
from support.versions import TORCH
from torch import Tensor, nn

import torch_stringops


@dataclass(frozen=True)
class Input:
    """Placeholder of a tensor in the arguments of a call."""

    index: int


class EveryOperator(nn.Module):
    """Calls operators with the first sample of their suites; the tensors of the arguments are inputs of the graph."""

    def __init__(self, operators: Iterable[str]) -> None:
        super().__init__()
        self.calls: list[tuple[Any, list[Any], dict[str, Any]]] = []
        self.inputs: list[Tensor] = []
        for op in operators:
            for suite in (c.suite for c in suites(op)):
                args, kwargs = suite.tensors(suite.samples[0])
                if TORCH < (2, 13) and op == "string_murmur3":
                    continue  # torch 2.10 cannot save programs with uint32
                self.calls.append((suite.overload, [self._replace_tensors(a) for a in args], kwargs))

    def _replace_tensors(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        self.inputs.append(value.detach())
        return Input(len(self.inputs) - 1)

    def forward(self, *tensors: Tensor) -> list[Any]:
        results: list[Any] = []
        for overload, args, kwargs in self.calls:
            result = overload(*(tensors[a.index] if isinstance(a, Input) else a for a in args), **kwargs)
            results.extend([result] if isinstance(result, Tensor) else result)
        return results


ONE_OF_EACH_FAMILY = {family(op): op for op in reversed(OPERATORS)}.values()


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(ONE_OF_EACH_FAMILY, id="one of each family"),
        pytest.param(OPERATORS, id="all", marks=pytest.mark.check),
    ],
)
def every(request: pytest.FixtureRequest) -> EveryOperator:
    return EveryOperator(request.param)


@pytest.fixture(scope="module")
def program(every: EveryOperator) -> torch.export.ExportedProgram:
    file = io.BytesIO()
    torch.export.save(torch_stringops.export(every, tuple(every.inputs)), file)
    file.seek(0)
    return torch.export.load(file)


def check(got: Any, want: list[Tensor]) -> None:
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)


def test_compiled(every: EveryOperator):
    torch._dynamo.reset()
    check(torch.compile(every, fullgraph=True, dynamic=True)(*every.inputs), every(*every.inputs))


def test_exported_saved_and_loaded(every: EveryOperator, program: torch.export.ExportedProgram):
    check(program.module()(*every.inputs), every(*every.inputs))


def test_packaged_by_aotinductor(every: EveryOperator, program: torch.export.ExportedProgram, tmp_path: Path):
    path = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "every.pt2"))
    package = torch._inductor.aoti_load_package(path)
    check(package(*every.inputs), every(*every.inputs))
    assert python_calls(package.loader.boxed_run, list(every.inputs)) == []


def python_calls(function: Callable[..., Any], *args: Any) -> list[str]:
    """The Python functions that a call of a function in C++ enters."""
    entered: list[str] = []

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            entered.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return entered


def test_calls_into_python_are_found():
    """An operator with derivatives enters Python, and what a package calls instead does not."""
    args = torch.ones(3), torch.tensor([0, 3])
    operators = [torch._C._jit_get_operation(f"stringops::{p}ragged_to_dense")[0] for p in ("", "_packaged_")]
    assert ["kernel" in python_calls(operator, *args) for operator in operators] == [True, False]
    assert python_calls(operators[1], *args) == []
