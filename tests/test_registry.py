"""Every registered operator has a fake implementation, a suite, an oracle, calls for the fuzz target, and documentation."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from fuzz import write_samples
from support.registry import (
    OPERATORS,
    OVERLOADS,
    PACKAGED,
    PUBLIC,
    REGISTERED,
    TESTS,
    classes_by_overload,
    family,
    suites,
)

import torch_stringops
from torch_stringops._native import schema_of

CSRC = TESTS.parent / "csrc"


def test_operators_are_registered():
    assert "string_tensor_pack" in OPERATORS


@pytest.mark.parametrize("name", OVERLOADS)
def test_overload_has_a_fake_and_a_suite(name: str):
    assert torch._C._dispatch_has_kernel_for_dispatch_key(f"stringops::{name}", "Meta"), f"{name} has no fake"
    found = classes_by_overload().get(name, [])
    assert found, f"tests/ops declares no OpSuite for {name}"
    assert all(c.suite.samples for c in found), f"{name} has no samples for opcheck"


# Keys that a call with tensors on the CPU passes before its kernel. Operators have one in Python for the first only.
KEYS = [
    "AutogradCPU", "ADInplaceOrView", "AutocastCPU", "BackendSelect", "Conjugate", "Functionalize", "Negative",
]  # fmt: skip
KEYS += ["Python", "PythonDispatcher", "PythonTLSSnapshot", "PreDispatch", "Tracer", "ZeroTensor"]


@pytest.mark.parametrize("name", REGISTERED)
def test_operator_of_a_package_has_a_kernel_for_the_cpu_only(name: str):
    keys = [k for k in KEYS if torch._C._dispatch_has_kernel_for_dispatch_key(f"stringops::{name}", k)]
    if not keys:
        return
    assert keys == ["AutogradCPU"]
    assert name not in PACKAGED
    twin = f"_packaged_{name}"
    assert twin in PACKAGED, f"{name} has a kernel in Python: register {twin} (csrc/ops/packaged.h)"
    schema, other = schema_of(name), schema_of(twin)
    assert str(other) == str(schema).replace(f"stringops::{name}(", f"stringops::{twin}(")


@pytest.mark.parametrize("op", OPERATORS)
def test_operator_has_the_files_of_its_family(op: str):
    stem = family(op)
    assert all(c.__module__.startswith(f"ops.test_{stem}") for c in suites(op)), (
        f"the suite of {op} is not in tests/ops/test_{stem}*.py"
    )
    assert (TESTS / "reference" / f"{stem}.py").exists(), f"{op} has no oracle in tests/reference"
    package = Path(torch_stringops.__file__).parent
    functions = [package / "functions"] if stem in map(family, PUBLIC) else []  # none of private operators
    for folder in (CSRC / "ops", package / "ops", *functions):
        assert any(folder.glob(f"{stem}*")), f"{folder.name} has no {stem}*"
    headers = [file for folder in ("kernels", "driver") for file in (CSRC / folder).glob(f"{stem}*.h")]
    assert headers, f"csrc/kernels and csrc/driver have no {stem}*.h"


@pytest.mark.check
def test_the_fuzz_target_has_the_calls_of_the_suites(tmp_path: Path):
    """tests/fuzz/operators.cpp begins with them, and requires a call of every operator that gives a result."""
    stored = write_samples.FILE.read_text(encoding="ascii").splitlines()
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    command = [sys.executable, write_samples.__file__, tmp_path / "samples.txt"]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True)
    written = (tmp_path / "samples.txt").read_text(encoding="ascii").splitlines()
    assert stored == written, "run tests/fuzz/write_samples.py"
    assert {line.split("\t")[0] for line in stored if "\t!" not in line} == set(OVERLOADS)


@pytest.mark.parametrize("op", PUBLIC)
def test_public_function_has_an_example(op: str):
    function = getattr(torch_stringops, op, None)
    assert callable(function), f"torch_stringops has no function {op}"
    assert ">>>" in (function.__doc__ or ""), f"the docstring of {op} has no example"


@pytest.mark.parametrize("op", PUBLIC)
def test_wrapper_takes_the_attributes_of_the_schema(op: str):
    attributes = {
        a.name: a for a in getattr(torch.ops.stringops, op).default._schema.arguments if "Tensor" not in str(a.type)
    }
    if op in ("string_max", "string_min"):
        del attributes["flatten"]  # dim=None
    if op == "string_sort":
        del attributes["count"]  # of string_topk
    parameters = inspect.signature(getattr(torch_stringops, op)).parameters
    for name, attribute in attributes.items():
        assert name in parameters, f"{op}: the wrapper lacks {name}"
        if attribute.has_default_value():
            assert parameters[name].default == attribute.default_value, f"{op}: the default of {name} differs"


def test_every_suite_is_of_a_registered_operator():
    assert sorted(classes_by_overload()) == OVERLOADS
