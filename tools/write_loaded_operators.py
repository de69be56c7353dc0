"""Writes the table of docs/onnx_load.md: the ONNX operators that load reads. `--check` compares only."""

import argparse
import sys
from pathlib import Path

import onnx

from torch_stringops.onnx import _load as _load  # enters the operators
from torch_stringops.onnx._registry import OPERATORS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "onnx_load.md"
BEGIN, END = "<!-- written by tools/write_loaded_operators.py -->", "<!-- end -->"
ON_STRINGS = {("com.microsoft", "Tokenizer"), ("com.microsoft", "MurmurHash3")}


def admits_strings(domain: str, name: str) -> bool:
    """Whether an input or output of the operator may be strings, in any version."""
    return (domain, name) in ON_STRINGS or any(
        "string" in kind
        for schema in onnx.defs.get_all_schemas_with_history()
        if (schema.domain, schema.name) == (domain, name)
        for value in (*schema.inputs, *schema.outputs)
        for kind in value.types
    )


def table() -> str:
    """A row for each domain, with its operators in alphabetical order."""
    rows = ["| domain | operators |", "|---|---|"]
    names = {("", "Constant"), *OPERATORS}
    for domain in sorted({domain for domain, _ in names}):
        found = sorted(name for of, name in names if of == domain)
        marked = [f"**{name}**" if admits_strings(domain, name) else name for name in found]
        rows.append(f"| {domain or 'ai.onnx'} | {', '.join(marked)} |")
    return "\n".join(rows) + "\n"


def page() -> str:
    """The page with the current table."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN + "\n")
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table()}{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page has another table")
    args = parser.parse_args()
    new = page()
    if args.check:
        sys.exit(new != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
