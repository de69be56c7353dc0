"""Walks every registered operator and names what it lacks. An operator added without one of its parts fails here."""

import inspect

import pytest
import torch
from support.registry import OPERATORS, OVERLOADS, PUBLIC, TESTS, is_private, module_of, stem, suites

import torch_stringops

# Operators that run the kernel of another one.
KERNEL_OF = {"split_to_sequence": "split"}


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
        assert callable(function), f"torch_stringops/ops/{stem(op)}.py has no function {op}"
        assert ">>>" in (function.__doc__ or ""), f"the docstring of {op} has no example"
    assert (TESTS / "reference" / f"{stem(op)}.py").exists(), f"{op} has no oracle in tests/reference"
    csrc = TESTS.parent / "csrc"
    assert (csrc / "ops" / f"{stem(op)}.cpp").exists()
    kernel = KERNEL_OF.get(op, stem(op))
    assert (csrc / "kernels" / f"{kernel}.cpp").exists()
    assert (TESTS / "fuzz" / f"{kernel}.cpp").exists(), f"{op} has no fuzz target in tests/fuzz"
    corpus = TESTS / "fuzz" / "corpus" / f"{kernel}.pack"
    assert corpus.exists(), (
        f"{op} has no stored inputs: make sanitize KIND=fuzz OP={kernel}, then tests/fuzz/run.py pack {kernel}"
    )


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
