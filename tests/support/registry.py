"""Every registered operator: its names, its family's files, and the suites that its family's tests declare."""

import importlib
import inspect
from functools import cache
from pathlib import Path
from types import ModuleType

import torch

import torch_stringops
from support.harness import OpSuite, OpTests

TESTS = Path(__file__).resolve().parents[1]
OVERLOADS = sorted(
    name.removeprefix("stringops::")
    for name in torch._C._dispatch_get_all_op_names()
    if name.startswith("stringops::")
)
OPERATORS = sorted({name.split(".")[0] for name in OVERLOADS})

# What the names of private operators end with.
PARTS = ("_backward", "_ranges", "_sizes")


def is_private(op: str) -> bool:
    """An operator that only another one calls: `_<stem>_<part>`. It has every part but a public function."""
    return op.startswith("_")


PUBLIC = [op for op in OPERATORS if not is_private(op)]


def stem(op: str) -> str:
    """The name under which an operator's files are found: its own, or its padded form's, or its forward's."""
    if is_private(op):
        part = next((part for part in PARTS if op.endswith(part)), "")
        return op.removeprefix("_").removesuffix(part)
    has_own_file = (Path(torch_stringops.__file__).parent / "ops" / f"{op}.py").exists()
    return op if has_own_file else op.removesuffix("_ragged")


def module_of(op: str) -> ModuleType:
    return importlib.import_module(f"torch_stringops.ops.{stem(op)}")


def suites(op: str) -> list[type[OpTests]]:
    module = importlib.import_module(f"ops.test_{stem(op)}")
    classes = [
        c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, OpTests) and c is not OpTests
    ]
    return [c for c in classes if c.suite.op == op]


@cache
def suite_of(overload: str) -> OpSuite:
    op, _, name = overload.partition(".")
    return next(c.suite for c in suites(op) if c.suite.overload_name == (name or "default"))
