"""Writes the tables of docs/onnx.md and docs/onnx_load.md, from the registries. `--check` compares only."""

import argparse
import sys
from pathlib import Path

import onnx

from torch_stringops.onnx import _load as _load  # enters the operators
from torch_stringops.onnx import _portable as _portable  # registers the forms
from torch_stringops.onnx._forms import FORMS, NEAREST
from torch_stringops.onnx._registry import OPERATORS

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- written by tools/write_onnx_tables.py -->\n", "<!-- end -->"
ON_STRINGS = {("com.microsoft", "Tokenizer"), ("com.microsoft", "MurmurHash3")}


def forms() -> list[str]:
    """A row for each operator of this package that has a portable form, or of which users expect one."""
    rows = [
        "| operator | nodes | for arguments |",
        "|---|---|---|",
    ]
    for name in sorted({*FORMS, *NEAREST}, key=lambda name: name.lstrip("_")):
        form = FORMS.get(name)
        columns = f"none: {NEAREST[name]} |" if form is None else f"{form.nodes} | {form.limits or 'all'}"
        rows.append(f"| `{name}` | {columns} |")
    return [*rows, "| every other | none | |"]


def admits_strings(domain: str, name: str) -> bool:
    """Whether an input or output of the operator may be strings, in any version."""
    return (domain, name) in ON_STRINGS or any(
        "string" in kind
        for schema in onnx.defs.get_all_schemas_with_history()
        if (schema.domain, schema.name) == (domain, name)
        for value in (*schema.inputs, *schema.outputs)
        for kind in value.types
    )


def loaded() -> list[str]:
    """A row for each domain of ONNX, with the operators that load reads in alphabetical order."""
    rows = ["| domain | operators |", "|---|---|"]
    names = {("", "Constant"), *OPERATORS}
    for domain in sorted({domain for domain, _ in names}):
        found = sorted(name for of, name in names if of == domain)
        marked = [f"**{name}**" if admits_strings(domain, name) else name for name in found]
        rows.append(f"| {domain or 'ai.onnx'} | {', '.join(marked)} |")
    return rows


def stale() -> dict[Path, str]:
    """The pages that have another table, with the text that they should have."""
    found = {}
    for name, table in (("onnx.md", forms), ("onnx_load.md", loaded)):
        text = (DOCS / name).read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        _, after = rest.split(END)
        new = f"{before}{BEGIN}{chr(10).join(table())}\n{END}{after}"
        if new != text:
            found[DOCS / name] = new
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a page has another table")
    pages = stale()
    if parser.parse_args().check:
        sys.exit(bool(pages))
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
