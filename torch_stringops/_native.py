"""Finds the native libraries. The first import of the package, before torch: its errors say what to do."""

from pathlib import Path

_FOLDER = Path(__file__).parent
OPERATORS = _FOLDER / "_ops.so"

for _name in (OPERATORS.name, "_convert.abi3.so"):
    if not (_FOLDER / _name).exists():
        raise ImportError(
            f"torch_stringops: {_name} is missing in {_FOLDER}, where Python found the package. A source folder hides "
            "the installed package from Python that runs in it: change to another folder; or build here, with "
            "`make build` or `pip install -e .`"
        )

# Refuses subinterpreters, in which torch itself crashes.
from torch_stringops import _convert as _convert  # type: ignore[attr-defined]  # noqa: E402
