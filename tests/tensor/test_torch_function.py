"""torch's functions on string tensors."""

import operator
import random
import re
from typing import Any

import pytest
import torch
from stress.chain_steps import STEPS, Writer
from support.surrogate import pair

from torch_stringops import StringTensor
from torch_stringops.tensor.dispatch import HANDLERS

# Functions of order, which ids do not have: they are compared with Python's operators.
ORDERED = {
    torch.lt: operator.lt, torch.le: operator.le, torch.gt: operator.gt, torch.ge: operator.ge,
    torch.less: operator.lt, torch.less_equal: operator.le, torch.greater: operator.gt,
    torch.greater_equal: operator.ge,
}  # fmt: skip

TESTED_BELOW = {torch.unique, torch.sort, torch.argsort, torch.min, torch.max, torch.searchsorted, torch.isin}
IN_TEST_ORDER = {
    torch.argmin, torch.argmax, torch.topk, torch.minimum, torch.maximum, torch.bucketize, torch.unique_consecutive,
    torch.broadcast_tensors,
}  # fmt: skip
IN_TEST_FILLING = {torch.scatter, torch.nonzero, torch.empty_like, torch.nn.functional.pad}
METHODS_OF_TENSOR = {torch.Tensor.expand, torch.Tensor.split}
OF_LISTS = {torch._VF.atleast_1d, torch._VF.atleast_2d, torch._VF.atleast_3d}


@pytest.mark.parametrize("function", ORDERED, ids=lambda f: f.__name__)
def test_functions_of_order_equal_the_operators_of_python(function):
    left, right = ["a", "b", "é", ""], ["b", "b", "z", ""]
    want = [ORDERED[function](a, b) for a, b in zip(left, right, strict=True)]
    assert function(StringTensor.from_list(left), StringTensor.from_list(right)).tolist() == want


def test_functions_that_sort_and_search():
    strings = [["b", "a", "b"], ["", "ab", "a"]]
    s, ids = StringTensor.from_list(strings), torch.tensor([[3, 1, 3], [0, 2, 1]])
    for dim, descending in ((-1, False), (0, True)):
        values, indices = torch.sort(s, dim=dim, descending=descending)
        want = torch.sort(ids, dim=dim, descending=descending, stable=True)
        assert torch.equal(indices, want.indices)
        assert values.equal(s.take_along_dim(indices, dim))
        assert torch.equal(torch.argsort(s, dim, descending), want.indices)
    assert torch.min(s).item() == ""
    assert torch.max(s, dim=1, keepdim=True).values.tolist() == [["b"], ["ab"]]
    assert torch.min(s, 0).indices.tolist() == [1, 0, 1]
    row = StringTensor.from_list(["a", "b"])
    assert torch.isin(s, row).tolist() == [[True, True, True], [False, False, True]]
    assert torch.isin(s, row, invert=True).tolist() == [[False, False, False], [True, True, False]]
    for side in ({}, {"right": True}, {"side": "right"}, {"side": "left"}):
        want = torch.searchsorted(torch.tensor([1, 3]), ids, **side)
        assert torch.equal(torch.searchsorted(row, s, **side), want)
    with pytest.raises(ValueError, match="expected `side` to be 'left' or 'right'"):
        torch.searchsorted(row, s, side="middle")


def functions_of_chains() -> set[Any]:
    """Those that tests/stress/chains.py compares on strings and on ids."""
    rng = random.Random(0)
    shapes = [(), (3,), (2, 3), (2, 3, 4)] * 20
    steps = [step(Writer(rng, shape)) for step in STEPS for shape in shapes]
    return {getattr(torch, name) for step in steps for name in re.findall(r"torch\.(\w+)\(", step)}


def test_every_function_that_is_handled_is_tested():
    handled = set(HANDLERS) - METHODS_OF_TENSOR - OF_LISTS
    tested = functions_of_chains() | set(ORDERED) | TESTED_BELOW | IN_TEST_ORDER | IN_TEST_FILLING
    assert handled <= tested, handled - tested


@pytest.mark.parametrize("name", ["relu", "sum", "median", "mm", "zeros_like", "isnan", "cumsum", "argwhere"])
def test_functions_without_a_meaning_for_strings_are_rejected_by_name(name):
    _, s = pair((2, 2))
    args = {"mm": (s, s), "cumsum": (s, 0)}.get(name, (s,))
    with pytest.raises(TypeError, match=f"torch.{name} does not take string tensors"):
        getattr(torch, name)(*args)


def test_tensors_together_with_strings_are_rejected():
    _, s = pair((2,))
    with pytest.raises(TypeError, match="eq: expected a StringTensor first, got Tensor"):
        torch.eq(torch.zeros(2), s)
    with pytest.raises(TypeError, match=r"torch\.add does not take string tensors"):
        torch.add(torch.zeros(2), s)
    with pytest.raises(TypeError, match="unsupported operand"):
        torch.zeros(2) + s
    with pytest.raises(TypeError, match="where: expected StringTensors, got Tensor at position 1"):
        torch.where(torch.tensor([True, False]), s, torch.zeros(2))
    assert (torch.zeros(2) == s) is False


@pytest.mark.parametrize("sort", [True, False])
def test_unique(sort):
    strings = [["b", "a", "b"], ["", "ab", "a"]]
    s = StringTensor.from_list(strings)
    values, inverse, counts = torch.unique(s, sorted=sort, return_inverse=True, return_counts=True)
    first_seen = list(dict.fromkeys(strings[0] + strings[1]))
    assert values.tolist() == (sorted(first_seen) if sort else first_seen)
    assert values[inverse].tolist() == strings
    assert counts.tolist() == [(s == v).sum() for v in values.tolist()]
    assert torch.unique(s).tolist() == sorted(first_seen)
    assert torch.unique(s, return_counts=True)[1].sum() == 6
    assert torch.unique(s[:0]).tolist() == []


def test_out_is_rejected():
    _, s = pair((2,))
    with pytest.raises(TypeError, match="out"):
        torch.index_select(s, 0, torch.tensor([0]), out=s)


def test_functions_that_use_python_protocols():
    s = StringTensor.from_list(["a", "b"])
    assert torch.equal(torch.where(s == "a", torch.tensor(1), torch.tensor(0)), torch.tensor([1, 0]))


def test_strings_are_rejected_as_buffers():
    s = StringTensor.from_list(["a"])
    module = torch.nn.Module()
    cure = "register its `data` and `offsets` as two buffers, and create StringTensor.data, offsets. in forward"
    with pytest.raises(TypeError, match=f"register_buffer: expected a Tensor for 'words', got StringTensor .{cure}"):
        module.register_buffer("words", s)
    assert not list(module.buffers())
    module.register_buffer("data", s.data)
    module.words = s
    assert module.half().words is s, "a plain attribute, which torch leaves as it is"
