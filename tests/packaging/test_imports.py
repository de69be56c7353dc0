"""The modules of the package have no circular imports, and modules that StringTensor uses do not name it.

Importing the package imports no compiler of torch.
"""

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import torch
from support.cases import each

import torch_stringops
from torch_stringops import _native

PACKAGE = Path(torch_stringops.__file__).parent


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    return {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def imports(tree: ast.Module) -> set[str]:
    """The modules of the package that a source imports, including in functions and under TYPE_CHECKING."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in trees()}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            # For names that are not modules, the module that they are imported from.
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= submodules & trees().keys()
            native = {"torch_stringops._convert"}
            if node.module in trees() and not submodules <= trees().keys() | native:
                found.add(node.module)
    return found


@cache
def graph() -> dict[str, set[str]]:
    return {module: imports(tree) for module, tree in trees().items()}


def reached_from(module: str) -> set[str]:
    reached: set[str] = set()
    waiting = {module}
    while waiting:
        reached |= waiting
        waiting = {to for one in waiting for to in graph()[one]} - reached
    return reached - {module}


def folder(module: str) -> str:
    return module.split(".")[1] if module.count(".") > 1 else ""


def test_imports_are_found():
    assert "torch_stringops.tensor.strings" in graph()["torch_stringops.string_tensor"]
    assert "torch_stringops._checks" in graph()["torch_stringops._native"]
    assert "torch_stringops.string_tensor" in graph()["torch_stringops"]


def test_there_are_no_circular_imports():
    TopologicalSorter(graph()).prepare()  # raises CycleError, which names the cycle


@pytest.mark.parametrize(("below", "above"), [
    ("tensor", "interop"), ("interop", "ops"), ("ops", "methods"), ("methods", "functions"), ("functions", "nn"),
])  # fmt: skip
def test_lower_folders_do_not_import_higher_ones(below: str, above: str):
    for module in trees():
        if folder(module) == below:
            assert above not in map(folder, reached_from(module)), f"{module} imports something of {above}/"


def core_modules() -> list[str]:
    return [m for m in trees() if folder(m) in ("tensor", "interop", "ops", "methods")]


@each("module", core_modules)
def test_lower_folders_do_not_name_the_class(module: str):
    assert "torch_stringops.string_tensor" not in reached_from(module)
    for node in ast.walk(trees()[module]):
        known_as = (getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "name", None))
        assert "StringTensor" not in known_as, f"{module}, line {node.lineno}: names StringTensor"
        annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
        if isinstance(annotation, ast.AST):
            assert "StringTensor" not in ast.unparse(annotation), f"{module}, line {node.lineno}"


CORE = ("", "tensor", "interop", "ops", "methods", "functions", "vocabulary")
AROUND = {"data", "nn", "onnx", "pretrain", "subword", "transformers"}
# What is around the core, and what of it each of these imports. ray has the tasks of data and pretrain.
ALLOWED = {
    "subword": set(),
    "nn": {"subword"},
    "data": {"subword"},
    "pretrain": {"data", "subword"},
    "onnx": {"nn", "subword"},
    "transformers": {"data", "subword"},
}
# The rooms of data: each imports those before it, but streams do not import batches.
DATA = ("files", "columns", "tables", "batches", "streams")
# Modules of the root that are of no use alone, or that users import.
ROOTS = {"torch_stringops", *(f"torch_stringops.{name}" for name in ("__main__", "distributed", "ray"))}


def test_the_core_imports_nothing_from_around_it():
    core = [module for module in trees() if folder(module) in CORE and module not in ROOTS]
    core = [module for module in core if module.split(".")[1] not in AROUND]
    assert len(core) > 100
    for module in core:
        reached = {to for to in reached_from(module) if to in ROOTS or to.split(".")[1] in AROUND}
        assert not reached, f"{module} imports {sorted(reached)}"


@each("room", ALLOWED)
def test_rooms_around_the_core_import_only_some_others(room: str):
    for module in trees():
        if folder(module) == room or module == f"torch_stringops.{room}":
            others = {to.split(".")[1] for to in graph()[module] if to.count(".")} & (AROUND | {"ray", "distributed"})
            assert others <= {room} | ALLOWED[room], f"{module} imports {sorted(others)}"


def test_rooms_of_data_stand_on_each_other():
    found = {m: m.split(".")[2] for m in trees() if folder(m) == "data" and m.count(".") > 2}
    assert set(found.values()) == set(DATA)
    for module, room in found.items():
        below = {*DATA[: DATA.index(room) + 1]} - ({"batches"} if room == "streams" else set())
        others = {found.get(to, "") for to in graph()[module] if folder(to) == "data"}
        assert others <= below, f"{module} imports of {sorted(others - below)}"


def test_the_import_loads_neither_the_compiler_nor_what_is_around_the_core():
    """torch._dynamo takes a third of the time of all imports."""
    code = f"""
import sys, torch
before = set(sys.modules)
import torch_stringops
loaded = set(sys.modules) - before
assert "torch._dynamo" not in loaded
around = [m for m in loaded if m.startswith("torch_stringops.") and m.split(".")[1] in {AROUND | {"ray", "distributed"}}]
assert not around, around
assert not loaded & {{"pyarrow", "pandas", "onnx", "transformers", "ray", "sklearn"}}, loaded
assert torch_stringops.SubwordTokenizer is torch_stringops.subword.SubwordTokenizer
assert torch_stringops.nn.Hashing and torch_stringops.data.StringColumn and torch_stringops.pretrain.Mix
try:
    torch_stringops.nothing
except AttributeError as error:
    assert str(error) == "module 'torch_stringops' has no attribute 'nothing'"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_constants_of_graphs_are_marked_as_by_torch():
    marked = torch.compiler.assume_constant_result(lambda: None)
    assert vars(_native.group_names) == vars(_native.has_case) == vars(marked)
