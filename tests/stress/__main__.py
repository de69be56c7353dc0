"""Runs one of the long checks of this folder: python tests/stress CHECK [ARGUMENT ...]; without a check, lists them.

A check is a file with a function `main`, which takes its arguments from `sys.argv` and returns the exit status. The first
line of its docstring says what it checks. `test_<check>.py` next to it runs a short form.
"""

import ast
import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)
sys.path.append(str(HERE.parents[1]))  # after PYTHONPATH, which may name another build


def checks() -> dict[str, str]:
    """The name of each check, and the first line of its docstring."""
    found = {}
    for path in sorted(HERE.glob("[a-z]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").split("\n")[0]
    return found


def main() -> int:
    name, *arguments = sys.argv[1:] or [""]
    if name not in checks():
        print("".join(f"{check:20} {line}\n" for check, line in checks().items()), end="")
        return f"stress: no check {name!r}, see above" if name else 0
    sys.argv = [f"stress {name}", *arguments]
    return importlib.import_module(f"stress.{name}").main()


if __name__ == "__main__":
    sys.exit(main())
