"""Doctests: what every one of them may name without importing it, and which of them run."""

from pathlib import Path
from typing import Any

import pytest
import torch

from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary


@pytest.fixture(autouse=True)
def _names_in_doctests(doctest_namespace: dict[str, Any]) -> None:
    names = StringTensor, SubwordTokenizer, Vocabulary
    doctest_namespace.update({name.__name__: name for name in names}, torch=torch)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves out the examples of functions that tools/write_functions.py wrote: they run as those of the methods."""
    items[:] = [item for item in items if not (isinstance(item, pytest.DoctestItem) and _is_written(item))]


def _is_written(item: pytest.DoctestItem) -> bool:
    file, line = item.dtest.filename, item.dtest.lineno
    if file is None or line is None or Path(file).parent.name != "functions":
        return False
    before = Path(file).read_text(encoding="utf-8").splitlines()[:line]
    return any("Written by tools/write_functions.py" in text for text in before)
