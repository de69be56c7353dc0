"""Shared by the tests of the operators that convert between ragged and dense rows."""

from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from support.errors import BAD_ARGUMENT
from support.harness import OpSuite

DTYPES = [torch.int64, torch.float32, torch.uint8, torch.int16, torch.bool, torch.float64, torch.complex128]

lengths_lists = st.lists(st.one_of(st.integers(0, 6), st.integers(0, 40)), max_size=12)
sides = st.sampled_from(["left", "right"])
widths = st.one_of(st.none(), st.integers(0, 9), st.integers(0, 70))
features = st.lists(st.integers(0, 3), max_size=2)


def splits(lengths: list[int]) -> Tensor:
    return torch.tensor([0, *lengths]).cumsum(0)


def numbered(shape: list[int], dtype: torch.dtype) -> Tensor:
    """Different elements, as far as the dtype allows, none of them zero."""
    return (torch.arange(torch.Size(shape).numel()).reshape(shape) % 120 + 1).to(dtype)


def strided(t: Tensor) -> Tensor:
    """The same elements in another memory layout."""
    wide = t.new_empty([*t.shape, 2])
    wide[..., 1] = t
    return wide[..., 1]


def check_metadata_errors_read_the_same_when_traced(suite: OpSuite, texts: list[str]) -> None:
    """Asserts that errors about shapes and dtypes have the same text when traced."""
    found = [(bad, text) for bad, text in suite.errors if any(part in text for part in texts)]
    assert found
    for bad, text in found:
        args, kwargs = suite.tensors(bad)
        with FakeTensorMode() as mode, pytest.raises(BAD_ARGUMENT) as error:
            suite.overload(*(fake(mode, a) for a in args), **kwargs)
        assert str(error.value) == text


def fake(mode: FakeTensorMode, value: Any) -> Any:
    return mode.from_tensor(value) if isinstance(value, Tensor) else value
