"""What every doctest may name without importing it."""

from typing import Any

import pytest
import torch

from torch_stringops import StringTensor, SubwordTokenizer


@pytest.fixture(autouse=True)
def _names_in_doctests(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(StringTensor=StringTensor, SubwordTokenizer=SubwordTokenizer, torch=torch)
