"""Writes docs/operators.md and the operators, by family, of README.md from the docstrings; `make docs` runs it.

tests/test_docs.py fails if they are not up to date.
"""

import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import torch_stringops

ROOT = Path(__file__).resolve().parent.parent
TABLE = re.compile(r"(<!-- operators: written by `make docs` -->\n).*?(<!-- end -->)", re.DOTALL)
SECTION = re.compile(r"^(Args|Returns|Raises|See also|Example):(.*)\n((?:(?:[ ]{4}.*)?\n)*)", re.MULTILINE)


def operators() -> dict[str, Callable[..., object]]:
    """The public functions on strings, ragged rows and tensors, by family and name."""
    public = {name: getattr(torch_stringops, name) for name in torch_stringops.__all__}
    return {
        name: function
        for name, function in sorted(public.items(), key=lambda item: (family(item[1]), item[0]))
        if inspect.isfunction(function)
        and (
            function.__module__ == "torch_stringops"
            or function.__module__.startswith("torch_stringops.functions.")
        )
    }


def family(function: Callable[..., object]) -> str:
    """What the operators of the function's module do: the first sentence of the module."""
    return (inspect.getdoc(inspect.getmodule(function)) or "").split("\n")[0].removesuffix(".")


def signature(name: str, function: Callable[..., object]) -> str:
    """`name(argument, argument=default)`, on one line if it fits; the text has the types."""
    bare = inspect.signature(function)
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in bare.parameters.values()]
    return name + str(bare.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def entries(body: str) -> list[str]:
    """The `name: text` entries of a section, with continuation lines joined."""
    joined: list[str] = []
    for line in textwrap.dedent(body).strip("\n").splitlines():
        if line.startswith(" ") and joined:
            joined[-1] += " " + line.strip()
        elif line.strip():
            joined.append(line.strip())
    return joined


def markdown_section(match: re.Match[str]) -> str:
    title, inline, body = match.groups()
    if title == "Example":
        return f"\n```python\n{textwrap.dedent(body).strip()}\n```\n"
    if title == "See also":
        return f"\nSee also: {inline.strip() or ' '.join(entries(body))}\n"
    lines = []
    for entry in entries(body):
        named = re.match(r"(\*{0,2}\w+(?:, \w+)*): (.*)", entry, re.DOTALL)
        lines.append(f"- `{named[1]}`: {named[2]}" if named and title != "Returns" else f"- {entry}")
    if title == "Returns" and not any(re.match(r"- \w+: ", line) for line in lines):
        return "\nReturns: " + " ".join(line.removeprefix("- ") for line in lines) + "\n"
    return f"\n{title}:\n\n" + "\n".join(lines) + "\n"


def operator_section(name: str, function: Callable[..., object]) -> str:
    text = SECTION.sub(markdown_section, inspect.getdoc(function) + "\n")
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return f"## {name}\n\n```python\n{signature(name, function)}\n```\n\n{text}\n"


def operators_page() -> str:
    head = (
        "# Operators\n\n"
        "Written by `make docs` from the docstrings. Strings are `StringTensor`s; shapes stand in brackets, `[*S]`\n"
        "being any shape. Operators are also found in `torch.ops.stringops`, where a string tensor is its two\n"
        "tensors, `data` and `offsets`.\n\n"
    )
    sections = "\n".join(operator_section(name, function) for name, function in operators().items())
    links = ", ".join(f"[`{name}`](#{name})" for name in sorted(operators()))
    return head + operator_table("") + f"\nIn alphabetical order: {links}\n\n" + sections


def operator_table(page: str) -> str:
    """A row for each family, with links to the sections of `page`."""
    rows: dict[str, list[str]] = {}
    for name, function in operators().items():
        rows.setdefault(family(function), []).append(f"[`{name}`]({page}#{name})")
    return "| | operators |\n|---|---|\n" + "".join(
        f"| {title} | {', '.join(links)} |\n" for title, links in rows.items()
    )


def readme(text: str) -> str:
    """README.md with an up-to-date table."""
    return TABLE.sub(lambda m: m[1] + operator_table("docs/operators.md") + m[2], text)


if __name__ == "__main__":
    (ROOT / "docs" / "operators.md").write_text(operators_page(), encoding="utf-8")
    path = ROOT / "README.md"
    path.write_text(readme(path.read_text(encoding="utf-8")), encoding="utf-8")
