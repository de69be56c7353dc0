"""Writes the public functions that call methods of StringTensor; `make docs` runs it.

A file of torch_stringops/functions names the functions in a comment. This tool writes what follows the comment, with
the signatures and docstrings of the methods, so that editors and type checkers read both in the source. It writes
imports too, if the comment is the first thing after the docstring of the file. It does not import the package, whose
files may lack functions. tests/test_docs.py fails if a file is not up to date.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "torch_stringops"
MARK = re.compile(r"^# Written by tools/write_functions\.py[^:]*:((?:.*\n#)*.*)\n", re.MULTILINE)
INPUT = "    input: strings `[*S]`, in any form that `as_strings` accepts.\n"
WIDTH = 110

# Where the names come from that functions use in addition to those of the methods' modules.
IMPORTS = {
    "ERRORS": "torch_stringops._names",
    "StringTensor": "torch_stringops.string_tensor",
    "StringsLike": "torch_stringops._types",
    "name_error": "torch_stringops._names",
    "strings_argument": "torch_stringops._arguments",
}


class Method(NamedTuple):
    """A method: its definition, overloads, and the source and the imports of its file."""

    definition: ast.FunctionDef
    overloads: list[ast.FunctionDef]
    source: str
    imports: dict[str, str]


def methods() -> dict[str, Method]:
    """The methods of all families, by name."""
    found = {}
    for path in sorted((PACKAGE / "methods").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        imports = {
            alias.name: node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for owner in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            overloads: list[ast.FunctionDef] = []
            for node in (node for node in owner.body if isinstance(node, ast.FunctionDef)):
                if any(ast.unparse(d) == "overload" for d in node.decorator_list):
                    overloads.append(node)
                else:
                    found[node.name] = Method(node, overloads, source, imports)
                    overloads = []
    return found


def parameters(method: Method, node: ast.FunctionDef) -> tuple[list[str], list[str]]:
    """The parameters of the function with their annotations and defaults, and the arguments of its call."""

    def text(part: ast.expr) -> str:
        return (ast.get_source_segment(method.source, part) or "").replace("Self", "StringTensor")

    def parameter(arg: ast.arg, default: ast.expr | None) -> str:
        written = f"{arg.arg}: {text(arg.annotation)}" if arg.annotation else arg.arg
        return written if default is None else f"{written} = {text(default)}"

    args = node.args
    _self, *positional = [*args.posonlyargs, *args.args]
    defaults = [*[None] * (len(positional) - len(args.defaults)), *args.defaults]
    written = ["input: StringsLike", *map(parameter, positional, defaults)]
    if args.kwonlyargs:
        written += ["*", *map(parameter, args.kwonlyargs, args.kw_defaults)]
    call = [arg.arg for arg in positional] + [f"{arg.arg}={arg.arg}" for arg in args.kwonlyargs]
    return written, call


def wrapped(head: str, parts: list[str], tail: str, indent: str = "") -> str:
    """`head(parts)tail` on one line if it fits, else as ruff formats it."""
    line = f"{indent}{head}({', '.join(parts)}){tail}\n"
    if len(line) <= WIDTH + 1:
        return line
    inner = f"{indent}    {', '.join(parts)}\n"
    if len(inner) > WIDTH + 1:
        inner = "".join(f"{indent}    {part},\n" for part in parts)
    return f"{indent}{head}(\n{inner}{indent}){tail}\n"


def function(name: str, method: Method) -> str:
    """The source of the function `name`."""
    node = method.definition
    text = ""
    for overload in (*method.overloads, node):
        returns = (ast.get_source_segment(method.source, overload.returns) or "") if overload.returns else ""
        tail = f" -> {returns.replace('Self', 'StringTensor')}:" + (" ..." if overload is not node else "")
        written, call = parameters(method, overload)
        text += "@overload\n" if overload is not node else ""
        text += wrapped(f"def {name}", written, tail)
    docstring = ast.get_source_segment(method.source, node.body[0].value)
    docstring = re.sub(r"^    ", "", docstring, flags=re.MULTILINE)
    docstring = docstring.replace("Args:\n", f"Args:\n    {INPUT}", 1)
    return (
        f"{text}    {docstring}\n    try:\n"
        + wrapped(f'return strings_argument("{name}", "input", input).{node.name}', call, "", " " * 8)
        + f'    except ERRORS as error:\n        name_error(error, "{name}")\n        raise\n'
    )


def imports(text: str, origins: dict[str, str]) -> str:
    """The import statements of what `text` uses, in the order of ruff."""
    functions = ast.parse(text).body

    def names() -> set[str]:
        return {
            node.id for function in functions for node in ast.walk(function) if isinstance(node, ast.Name)
        }

    used = names() & IMPORTS.keys()
    for function in functions:
        function.body = []  # its other names are those of parameters
    used |= names()
    modules: dict[str, set[str]] = {}
    for name in used & origins.keys():
        modules.setdefault(origins[name], set()).add(name)
    groups = ["", "", ""]
    for module in sorted(modules, key=lambda m: (not m.startswith("torch."), m)):
        names = ", ".join(sorted(modules[module], key=lambda n: (not n.isupper(), not n[0].isupper(), n)))
        group = 2 if module.startswith("torch_stringops") else 1 if module.startswith("torch") else 0
        groups[group] += f"from {module} import {names}\n"
    if "torch" in used:
        groups[1] = f"import torch\n{groups[1]}"
    return "\n".join(group for group in groups if group)


def written(source: str) -> str:
    """A file of functions, whose source is `source`, with what the tool writes."""
    mark = MARK.search(source)
    if mark is None:
        return source
    by_name = methods()
    names = re.findall(r"\w+", mark[1])
    chosen = [by_name.get(name) or by_name[name.removeprefix("string_")] for name in names]
    text = "\n\n".join(map(function, names, chosen))
    head = source[: mark.end()]
    if source[: mark.start()].rstrip().endswith('"""'):
        origins = {key: module for method in chosen for key, module in method.imports.items()} | IMPORTS
        head += f"\nfrom __future__ import annotations\n\n{imports(text, origins)}"
    return f"{head}\n\n{text}"


def files() -> list[Path]:
    return sorted((PACKAGE / "functions").glob("*.py"))


if __name__ == "__main__":
    for path in files():
        source = path.read_text(encoding="utf-8")
        if (text := written(source)) != source:
            path.write_text(text, encoding="utf-8")
