"""Padding values: the dtypes and numbers that ragged_to_dense and dense_to_ragged accept."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.ragged import splits
from torch import Tensor

from torch_stringops import dense_to_ragged, ragged_to_dense


def can_be_made(dtype: torch.dtype) -> bool:
    try:
        equal = torch.ones(2, dtype=dtype) == torch.ones(2, dtype=dtype)
    except (RuntimeError, TypeError, NotImplementedError):
        return False
    # Two numbers per element; and a dtype that the stable ABI of torch 2.10 does not have.
    return equal.numel() == 2 and dtype not in (torch.float4_e2m1fn_x2, torch.float8_e8m0fnu)


DTYPES = sorted({d for d in vars(torch).values() if isinstance(d, torch.dtype) and can_be_made(d)}, key=str)
NUMBERS: list[Any] = [
    *(0, 1, -1, 127, 128, 255, 256, 300, 65504, 65535, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63), 10**400),
    *(0.0, 0.5, 448.0, 449.0, 16777216.0, 57345.0, 1e5, -1e39, 1e39, 2.0**63, math.inf, -math.inf, math.nan),
    *(True, False, 1j, complex(1, 1e39), complex(0, math.inf), complex(1e300, 0)),
    *(np.int64(0), np.uint8(200), np.float32(0.5), np.float64(1e39), np.bool_(True), np.complex64(1j), np.array(7)),
]


def finite(dtype: torch.dtype) -> Tensor:
    """The lowest and the greatest finite number, and others in between: all numbers of small dtypes."""
    if dtype.itemsize > 2:
        return torch.tensor([torch.finfo(dtype).min, torch.finfo(dtype).max], dtype=torch.float64)
    bits = {1: torch.uint8, 2: torch.int16}[dtype.itemsize]
    every = torch.arange(2 ** (8 * dtype.itemsize)).to(bits).view(dtype).double()
    return every[every.isfinite()]


def holds(dtype: torch.dtype, number: Any) -> bool:
    if dtype.is_complex:
        return holds(dtype.to_real(), number.real) and holds(dtype.to_real(), number.imag)
    if isinstance(number, complex):
        return False
    if not dtype.is_floating_point:
        low, high = (0, 1) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
        return (
            math.isfinite(number) and int(number) == number and low <= int(number) <= high
            if (isinstance(number, float))
            else low <= number <= high
        )
    if isinstance(number, float) and math.isnan(number):
        return True
    if isinstance(number, float) and math.isinf(number):
        return bool(torch.tensor(number, dtype=torch.float32).to(dtype).double().isinf())
    return bool(finite(dtype).min().item() <= number <= finite(dtype).max().item())


@each("dtype", DTYPES)
def test_padding_values_that_a_dtype_can_represent(dtype: torch.dtype):
    values = torch.full((2,), 3, dtype=dtype) if dtype != torch.bool else torch.tensor([True, True])
    for number in NUMBERS:
        plain = number.item() if isinstance(number, np.generic | np.ndarray) else number
        if not holds(dtype, plain):
            text = "2**" if isinstance(plain, int) and plain >= 2**64 else str(plain)
            want = f"expected `padding_value` to be a number that {str(dtype).removeprefix('torch.')} holds, got {text}"
            for function, rejecting in (
                ("ragged_to_dense", lambda n=number: ragged_to_dense(values, splits([2]), 4, n)),
                ("dense_to_ragged", lambda n=number: dense_to_ragged(values[None], padding_value=n)),
            ):
                with pytest.raises(BAD_ARGUMENT) as error:
                    rejecting()
                assert str(error.value).startswith(f"{function}: {want}")
                assert len(str(error.value)) < 200
            continue
        dense = ragged_to_dense(values, splits([2]), 4, number)
        want = torch.tensor(plain, dtype=torch.complex128 if dtype.is_complex else torch.float64)
        if not dtype.is_floating_point and not dtype.is_complex:
            assert dense[0, 3].item() == plain
        else:
            got = dense[0, 3].to(want.dtype)
            torch.testing.assert_close(got, want, rtol=0.5, atol=1e-40, equal_nan=True)
        if plain != values[0].item():
            back, row_splits = dense_to_ragged(dense, padding_value=number)
            assert row_splits.tolist() == [0, 2]
            assert back.tolist() == values.tolist()


def test_padding_is_compared_in_the_dtype_of_the_rows():
    dense = torch.tensor([[1, 16777217, 16777217]])
    assert dense_to_ragged(dense, padding_value=16777216.0)[0].tolist() == [1, 16777217, 16777217]


@pytest.mark.parametrize("padding", ["x", None, [0], np.array([1, 2]), np.str_("x")], ids=repr)
def test_padding_must_be_a_number(padding: Any):
    with pytest.raises(TypeError, match="^ragged_to_dense: expected `padding_value` to be a number, got "):
        ragged_to_dense(torch.tensor([1]), splits([1]), 2, padding)


def test_padding_may_be_a_tensor_of_rank_0():
    values = torch.tensor([1.0, 2.0])
    padding = torch.tensor(5.0, requires_grad=True)
    dense = ragged_to_dense(values, splits([2, 0]), 3, padding)
    assert dense.tolist() == [[1, 2, 5], [5, 5, 5]]
    dense.sum().backward()
    assert padding.grad == 4
    assert dense_to_ragged(dense.detach(), padding_value=padding.detach())[1].tolist() == [0, 2, 2]
    nan = torch.tensor(math.nan)
    dense = ragged_to_dense(values, splits([2, 0]), 3, nan)
    assert dense_to_ragged(dense, padding_value=nan)[1].tolist() == [0, 2, 2]
    for function in (
        lambda p: ragged_to_dense(values, splits([2]), 3, p),
        lambda p: dense_to_ragged(values[None], padding_value=p),
    ):
        with pytest.raises(BAD_ARGUMENT, match=r"expected `padding_value` to be float32, got int64 \(convert with"):
            function(torch.tensor(5))
        with pytest.raises(BAD_ARGUMENT, match=r"expected `padding_value` of rank 0, got shape \[1\]"):
            function(torch.tensor([5.0]))


@pytest.mark.parametrize("dtype", [torch.float8_e8m0fnu, torch.bits8, torch.uint4], ids=str)
def test_dtypes_that_the_stable_abi_lacks_are_rejected_by_name(dtype: torch.dtype):
    name = str(dtype).removeprefix("torch.")
    text = f"expected dtypes that LibTorch's stable ABI has, got `%s` {name}, .*view"
    with pytest.raises(ValueError, match="^ragged_to_dense: " + text % "values"):
        ragged_to_dense(torch.empty(3, dtype=dtype), torch.tensor([0, 2, 3]), 2)
    with pytest.raises(ValueError, match="^dense_to_ragged: " + text % "dense"):
        dense_to_ragged(torch.empty(2, 2, dtype=dtype), torch.tensor([1, 2]))
