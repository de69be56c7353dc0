"""pyarrow, which is imported when an attribute of it is used first: lines and columns in memory do not need it."""

from __future__ import annotations

import importlib
from typing import Any


def pyarrow_module(what: str, name: str = "pyarrow") -> Any:
    """pyarrow, or a module of it, for a function that needs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"torch_stringops.data: {what} needs pyarrow (pip install pyarrow)") from None


class _Module:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(pyarrow_module("reading tables", self._name), attribute)
        setattr(self, attribute, value)
        return value


pa: Any = _Module("pyarrow")
types: Any = _Module("pyarrow.types")
compute: Any = _Module("pyarrow.compute")
arrow_csv: Any = _Module("pyarrow.csv")
arrow_json: Any = _Module("pyarrow.json")
parquet: Any = _Module("pyarrow.parquet")


def validated(batch: Any) -> Any:
    """A record batch of a file that may be damaged.

    Calls such as `nbytes` and `null_count` of pyarrow read offsets and masks, whose buffers it has not checked.
    """
    batch.validate()
    return batch
