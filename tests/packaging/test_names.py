"""A public name is defined in one place: functions that operators and methods share have a leading underscore."""

import ast
from collections.abc import Iterator
from pathlib import Path

import torch_stringops

PACKAGE = Path(torch_stringops.__file__).parent


def defined(body: list[ast.stmt]) -> Iterator[str]:
    """The names of functions, classes and variables that statements define."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
        elif isinstance(node, ast.If):
            yield from defined([*node.body, *node.orelse])


def test_a_public_name_is_defined_in_one_module():
    modules: dict[str, set[str]] = {name: set() for name in torch_stringops.__all__}
    # torch_stringops.onnx has an `export` and a `library_path` of its own, as torch.onnx has of torch's.
    onnx = set(PACKAGE.glob("onnx/**/*.py"))
    for path in sorted(set(PACKAGE.rglob("*.py")) - onnx):
        for name in defined(ast.parse(path.read_text(encoding="utf-8")).body):
            if name in modules:
                modules[name].add(path.relative_to(PACKAGE).as_posix())
    repeated = {name: sorted(files) for name, files in modules.items() if len(files) > 1}
    assert not repeated
    assert all(modules.values()), [name for name, files in modules.items() if not files]
