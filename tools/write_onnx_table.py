"""Writes the table of portable forms of docs/onnx.md, from the registry of the forms. `--check` compares only."""

import argparse
import sys
from pathlib import Path

from torch_stringops.onnx import _portable as _portable  # registers the forms
from torch_stringops.onnx._forms import FORMS, NEAREST

PAGE = Path(__file__).resolve().parent.parent / "docs" / "onnx.md"
BEGIN, END = "<!-- written by tools/write_onnx_table.py -->", "<!-- end -->"


def table() -> str:
    """The tables of operators with and without a portable form."""
    rows = ["| operator | nodes of the portable form | arguments |", "|---|---|---|"]
    for name, form in sorted(FORMS.items(), key=lambda item: item[0].lstrip("_")):
        rows.append(f"| `{name}` | {form.nodes} | {form.limits or 'all'} |")
    rows += ["", "| operator without one | why, or what has one |", "|---|---|"]
    rows += [f"| `{name}` | {reason} |" for name, reason in sorted(NEAREST.items())]
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
