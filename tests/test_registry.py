"""Walks every registered operator and names what it lacks. An operator added without one of its parts fails here."""

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest
import torch
from support.harness import OpTests

import torch_stringops

TESTS = Path(__file__).parent
OVERLOADS = sorted(
    name.removeprefix("stringops::")
    for name in torch._C._dispatch_get_all_op_names()
    if name.startswith("stringops::")
)
OPERATORS = sorted({name.split(".")[0] for name in OVERLOADS})

# Operators that run the kernel of another one.
KERNEL_OF = {"split_to_sequence": "split"}

# What the names of private operators end with.
PARTS = ("_backward", "_ranges", "_sizes")


def is_private(op: str) -> bool:
    """An operator that only another one calls: `_<stem>_<part>`. It has every part but a public function."""
    return op.startswith("_")


def stem(op: str) -> str:
    """The name under which an operator's files are found: its own, or its padded form's, or its forward's."""
    if is_private(op):
        part = next((part for part in PARTS if op.endswith(part)), "")
        return op.removeprefix("_").removesuffix(part)
    has_own_file = (TESTS / "ops" / f"test_{op}.py").exists()
    return op if has_own_file else op.removesuffix("_ragged")


def module_of(op: str) -> ModuleType:
    return importlib.import_module(getattr(torch_stringops, op).__module__)


def suites(op: str) -> list[type[OpTests]]:
    module = importlib.import_module(f"ops.test_{stem(op)}")
    classes = [
        c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, OpTests) and c is not OpTests
    ]
    return [c for c in classes if c.suite.op == op]


def test_there_are_operators():
    assert "string_tensor_pack" in OPERATORS


@pytest.mark.parametrize("name", OVERLOADS)
def test_overload_has_a_fake_and_a_suite(name: str):
    op, _, overload = name.partition(".")
    assert torch._C._dispatch_has_kernel_for_dispatch_key(f"stringops::{name}", "Meta"), f"{name} has no fake"
    found = [c for c in suites(op) if c.suite.overload_name == (overload or "default")]
    assert found, f"tests/ops/test_{stem(op)}.py declares no OpSuite for {name}"
    assert all(c.suite.samples for c in found), f"{name} has no samples for opcheck"


@pytest.mark.parametrize("op", OPERATORS)
def test_operator_is_complete(op: str):
    if not is_private(op):
        function = getattr(module_of(op), op, None)
        assert callable(function), f"torch_stringops has no function {op}"
        assert ">>>" in (function.__doc__ or ""), f"the docstring of {op} has no example"
    assert (TESTS / "reference" / f"{stem(op)}.py").exists(), f"{op} has no oracle in tests/reference"
    csrc = TESTS.parent / "csrc"
    assert (csrc / "ops" / f"{stem(op)}.cpp").exists()
    kernel = KERNEL_OF.get(op, stem(op))
    assert (csrc / "kernels" / f"{kernel}.cpp").exists()
    assert (TESTS / "fuzz" / f"{kernel}.cpp").exists(), f"{op} has no fuzz target in tests/fuzz"
    corpus = TESTS / "fuzz" / "corpus" / f"{kernel}.pack"
    assert corpus.exists(), (
        f"{op} has no stored inputs: make fuzz OP={kernel}, then tests/fuzz/run.py pack {kernel}"
    )


PUBLIC = [op for op in OPERATORS if not is_private(op)]


@pytest.mark.parametrize("op", PUBLIC)
def test_wrapper_takes_the_attributes_of_the_schema(op: str):
    attributes = {
        a.name: a
        for a in getattr(torch.ops.stringops, op).default._schema.arguments
        if "Tensor" not in str(a.type)
    }
    parameters = inspect.signature(getattr(module_of(op), op)).parameters
    for name, attribute in attributes.items():
        assert name in parameters, f"{op}: the wrapper lacks {name}"
        if attribute.has_default_value():
            assert parameters[name].default == attribute.default_value, f"{op}: the default of {name} differs"


@pytest.mark.parametrize("op", PUBLIC)
def test_public_functions_are_exported(op: str):
    assert getattr(torch_stringops, op, None) is getattr(module_of(op), op)
