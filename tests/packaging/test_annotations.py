"""Annotations of public functions, methods and properties: complete, and without Any, except as listed here."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import torch_stringops
from torch_stringops import _function_of, data, distributed, nn, pretrain, ray, transformers

PACKAGE = Path(torch_stringops.__file__).parent
MODULES = (torch_stringops, nn, data, pretrain, distributed, ray, transformers)

# Where Any is right, and why.
ALLOWED = {
    "StringTensor.tolist": "the depth of the lists is that of the shape, as of torch.Tensor.tolist",
    "StringTensor.numpy": "the dtype is an argument; those with a type of their own are overloads",
    "StringTensor.__array__": "as StringTensor.numpy",
    "StringTensor.__torch_function__": "torch calls it with any of its functions and their arguments",
    "export": "the arguments of torch.export.export",
    "collate_strings": "samples of any structure, as of torch's default_collate",
    "CollateText.__call__": "as collate_strings",
    "StreamingDataset.__init__": "`transform` takes lines or tables, which the names of the files decide",
    "StreamingDataset.state_dict": "as of torch's modules and optimizers",
    "StreamingDataset.load_state_dict": "as of torch's modules and optimizers",
    "Pack.state_dict": "as of StreamingDataset",
    "Pack.load_state_dict": "as of StreamingDataset",
    "Mix.state_dict": "as of StreamingDataset",
    "Mix.load_state_dict": "as of StreamingDataset",
    "write_tokens": "the manifest is what json.loads gives",
    "Encoding.__getattr__": "the attributes of tokenizers.Encoding",
    "Tokenizer.__getattr__": "the attributes of tokenizers.Tokenizer",
    "CollateStrings.__call__": "a table of pyarrow, which has no types",
    "MapStrings.__call__": "tables of pyarrow, which has no types",
}
# What only pickle and copy call.
PROTOCOLS = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__deepcopy__")


def names_of(node: ast.AST | None) -> set[str]:
    """The names in an annotation, also in quotes."""
    if node is None:
        return set()
    found = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            found |= names_of(ast.parse(child.value, mode="eval"))
    return found


def definitions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """The functions of a module or class as type checkers see them: of overloads, not the implementation."""
    overloaded = set()
    for node in body:
        if isinstance(node, ast.If):
            yield from definitions([*node.body, *node.orelse])
        elif isinstance(node, ast.FunctionDef):
            if any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list):
                overloaded.add(node.name)
            elif node.name in overloaded:
                continue
            yield node


def source(path: str, cache: dict[str, ast.Module] = {}) -> ast.Module:  # noqa: B006
    if path not in cache:
        cache[path] = ast.parse(Path(path).read_text(encoding="utf-8"))
    return cache[path]


def is_public(name: str) -> bool:
    return name not in PROTOCOLS and (not name.startswith("_") or name.endswith("__"))


def is_of_method(function: FunctionType) -> bool:
    return function.__code__.co_filename == _function_of.__file__


def public_definitions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for module in MODULES:
        for name in getattr(module, "__all__", vars(module)):
            value = getattr(module, name)
            if name.startswith("_") or not str(getattr(value, "__module__", "")).startswith("torch_stringops"):
                continue
            if inspect.isfunction(value):
                if is_of_method(value):  # with the annotations of the method, which are below
                    continue
                function = inspect.unwrap(value)
                body = source(function.__code__.co_filename).body
                found = [node for node in definitions(body) if node.name == function.__name__]
                assert found, f"{name} is not defined in {function.__code__.co_filename}"
                yield from ((name, node) for node in found)
            elif isinstance(value, type):
                known: set[str] = set()
                for base in value.__mro__:
                    if not base.__module__.startswith("torch_stringops"):
                        continue
                    tree = source(inspect.getsourcefile(base))
                    (owner,) = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == base.__name__)
                    found = [node for node in definitions(owner.body) if node.name not in known]
                    known |= {node.name for node in found}
                    yield from ((f"{value.__name__}.{n.name}", n) for n in found if is_public(n.name))


DEFINITIONS = list(public_definitions())


def annotations(name: str, node: ast.FunctionDef) -> list[ast.expr | None]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    every = [arg for arg in every if arg is not None]
    is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    if "." in name and not is_static:
        every = every[1:]
    return [*(arg.annotation for arg in every), node.returns]


def test_public_functions_are_found():
    names = {name for name, _ in DEFINITIONS}
    assert {"string_equal", "as_strings", "read_csv", "StringTensor.lower", "StringTensor.__eq__"} < names
    assert {"Vocabulary.__call__", "StringColumn.shape", "ColumnDataset.__getitem__", "broadcast"} < names
    assert len(names) > 400


def test_every_argument_and_result_has_an_annotation():
    bare = {name for name, node in DEFINITIONS if None in annotations(name, node)}
    assert not bare


def test_any_is_in_the_annotations_that_are_listed_only():
    found = {
        name
        for name, node in DEFINITIONS
        # `Size` of _tracing.py is Any: a dimension, an int or a symbol.
        if any({"Any", "Size"} & names_of(annotation) for annotation in annotations(name, node))
    }
    assert found - ALLOWED.keys() == set(), "give them types, or list them with a reason"
    assert ALLOWED.keys() - found == set(), "these need no exception"


def test_no_alias_of_the_types_of_arguments_hides_any():
    """Any in an alias stands for a parameter of a generic type, such as the shape of an array."""
    tree = source(str(PACKAGE / "_types.py"))
    aliases = {
        n.target.id: n.value for n in ast.walk(tree) if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }
    assert "StringsLike" in aliases
    for name, value in aliases.items():
        parts = [value]
        while parts:
            part = parts.pop()
            assert not (isinstance(part, ast.Name) and part.id == "Any"), name
            if isinstance(part, ast.BinOp):
                parts += [part.left, part.right]
