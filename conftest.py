"""Doctests: what every one of them may name without importing it, and which of them run."""

import inspect
import sys
from typing import Any

import pytest
import torch

from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary, _function_of


@pytest.fixture(autouse=True)
def _names_in_doctests(doctest_namespace: dict[str, Any]) -> None:
    names = StringTensor, SubwordTokenizer, Vocabulary
    doctest_namespace.update({name.__name__: name for name in names}, torch=torch)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves out the examples of functions that `function_of` made: they run as those of the methods."""
    items[:] = [item for item in items if not (isinstance(item, pytest.DoctestItem) and _is_of_method(item))]


def _is_of_method(item: pytest.DoctestItem) -> bool:
    module, _, name = item.dtest.name.rpartition(".")
    function = getattr(sys.modules.get(module), name, None)
    return inspect.isfunction(function) and function.__code__.co_filename == _function_of.__file__
