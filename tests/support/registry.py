"""Every registered operator, with its family and its suites, which are found in tests/ops."""

import importlib
import inspect
from functools import cache
from pathlib import Path

import torch

import torch_stringops
from support.harness import OpSuite, OpTests

TESTS = Path(__file__).resolve().parents[1]
REGISTERED = sorted(
    name.removeprefix("stringops::") for name in torch._C._dispatch_get_all_op_names() if name.startswith("stringops::")
)
# Packages call these instead of operators with derivatives: the same kernels (csrc/ops/packaged.h).
PACKAGED = [name for name in REGISTERED if name.startswith("_packaged_")]
OVERLOADS = [name for name in REGISTERED if name not in PACKAGED]
OPERATORS = sorted({name.split(".")[0] for name in OVERLOADS})


def is_private(op: str) -> bool:
    """Whether only other operators call it. It has everything but a public function."""
    return op.startswith("_")


# `split` and `split_to_sequence` are the functions of these, too.
OF_STRINGS = ("split_strings", "split_strings_to_sequence")
PUBLIC = [op for op in OPERATORS if not is_private(op) and op not in OF_STRINGS]


@cache
def classes_by_overload() -> dict[str, list[type[OpTests]]]:
    """Overload -> the test classes that declare a suite of it, in tests/ops/test_*.py."""
    found: dict[str, list[type[OpTests]]] = {}
    for path in sorted((TESTS / "ops").glob("test_*.py")):
        if "Suite(" not in path.read_text(encoding="utf-8"):
            continue
        module = importlib.import_module(f"ops.{path.stem}")
        for item in vars(module).values():
            if inspect.isclass(item) and issubclass(item, OpTests) and hasattr(item, "suite"):
                found.setdefault(item.suite.name, []).append(item)
    return found


def suites(op: str) -> list[type[OpTests]]:
    """The test classes of all overloads of an operator."""
    return [c for name, classes in classes_by_overload().items() if name.split(".")[0] == op for c in classes]


def suite_of(overload: str) -> OpSuite:
    return classes_by_overload()[overload][0].suite


def all_suites() -> dict[str, OpSuite]:
    """Overload -> its first suite."""
    return {name: suite_of(name) for name in sorted(classes_by_overload())}


def family(op: str) -> str:
    """The stem of the files of an operator's family: the module of its public function."""
    if op not in PUBLIC:
        # That of a public operator whose suite is in the same file, if there is one.
        (file,) = {c.__module__ for c in suites(op)}
        found = (family(p) for p in PUBLIC if any(c.__module__ == file for c in suites(p)))
        return next(found, file.removeprefix("ops.test_"))
    return str(getattr(torch_stringops, op).__module__).rpartition(".")[2]
