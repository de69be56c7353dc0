"""torch's functions on string tensors."""

import operator

import pytest
import torch
from support.cases import each
from support.surrogate import pair, same

from torch_stringops import StringTensor
from torch_stringops.tensor.dispatch import HANDLERS

INDEX = torch.tensor([[1, 0, 1]])
MASK = torch.tensor([True, False, True])

FUNCTIONS = {
    torch.cat: lambda t: torch.cat([t, t], dim=1),
    torch.concat: lambda t: torch.concat((t, t)),
    torch.concatenate: lambda t: torch.concatenate([t, t], axis=1),
    torch.stack: lambda t: torch.stack([t, t], 1),
    torch.where: lambda t: torch.where(t_mask(t), t, t.flip(0)),
    torch.split: lambda t: torch.split(t, 1, dim=1),
    torch.split_with_sizes: lambda t: torch.split_with_sizes(t, [1, 2], 1),
    torch.tensor_split: lambda t: torch.tensor_split(t, 2, dim=1),
    torch.chunk: lambda t: torch.chunk(t, 2),
    torch.unbind: lambda t: torch.unbind(t, 1),
    torch.reshape: lambda t: torch.reshape(input=t, shape=(3, 2)),
    torch.flatten: lambda t: torch.flatten(t),
    torch.ravel: lambda t: torch.ravel(t),
    torch.unflatten: lambda t: torch.unflatten(t, 1, (3, 1)),
    torch.squeeze: lambda t: torch.squeeze(t[:1]),
    torch.unsqueeze: lambda t: torch.unsqueeze(t, -1),
    torch.permute: lambda t: torch.permute(t, dims=(1, 0)),
    torch.transpose: lambda t: torch.transpose(t, 0, 1),
    torch.t: lambda t: torch.t(t),
    torch.swapaxes: lambda t: torch.swapaxes(t, 0, 1),
    torch.swapdims: lambda t: torch.swapdims(t, 0, 1),
    torch.movedim: lambda t: torch.movedim(t, 0, 1),
    torch.moveaxis: lambda t: torch.moveaxis(t, 1, 0),
    torch.broadcast_to: lambda t: torch.broadcast_to(t, size=(2, 2, 3)),
    torch.tile: lambda t: torch.tile(t, dims=(2,)),
    torch.repeat_interleave: lambda t: torch.repeat_interleave(t, 2, dim=0),
    torch.index_select: lambda t: torch.index_select(t, 1, INDEX[0]),
    torch.masked_select: lambda t: torch.masked_select(t, MASK),
    torch.take: lambda t: torch.take(t, INDEX),
    torch.gather: lambda t: torch.gather(t, 1, INDEX),
    torch.take_along_dim: lambda t: torch.take_along_dim(t, INDEX, 1),
    torch.select: lambda t: torch.select(t, 1, 2),
    torch.narrow: lambda t: torch.narrow(t, 1, 1, 2),
    torch.flip: lambda t: torch.flip(t, dims=(0, 1)),
    torch.roll: lambda t: torch.roll(t, 1),
    torch.diagonal: lambda t: torch.diagonal(t),
    torch.clone: lambda t: torch.clone(t),
    torch.hstack: lambda t: torch.hstack([t, t[:, :1]]),
    torch.vstack: lambda t: torch.vstack((t, t[0])),
    torch.row_stack: lambda t: torch.row_stack((t, t[0])),
    torch.dstack: lambda t: torch.dstack([t, t]),
    torch.column_stack: lambda t: torch.column_stack([t, t[:, 0]]),
    torch.atleast_1d: lambda t: torch.atleast_1d(t[0, 0], t),
    torch.atleast_2d: lambda t: torch.atleast_2d([t[0, 0], t[0], t]),
    torch.atleast_3d: lambda t: (torch.atleast_3d(t), *torch.atleast_3d(t[0, 0], t[0])),
    torch.masked_fill: lambda t: torch.masked_fill(t, MASK, t[1, 2]),
    torch.detach: lambda t: torch.detach(t),
}

ANSWERS = {
    torch.numel: lambda t: torch.numel(t),
    torch.equal: lambda t: (torch.equal(t, t), torch.equal(t, t[:1])),
    torch.eq: lambda t: torch.eq(t, t[:1]).tolist(),
    torch.ne: lambda t: torch.ne(t, t[:1]).tolist(),
}

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


def t_mask(t):
    return MASK.expand(t.shape)


@each("function", FUNCTIONS)
@each("layout", ["compact", "scattered"])
def test_functions_on_strings_equal_those_on_ids(function, layout):
    ids, s = pair((2, 3), layout)
    same(FUNCTIONS[function](s), FUNCTIONS[function](ids))


@pytest.mark.parametrize("function", ANSWERS, ids=lambda f: f.__name__)
def test_functions_that_return_python_objects(function):
    ids, s = pair((2, 3))
    assert ANSWERS[function](s) == ANSWERS[function](ids)


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


def test_every_function_that_is_handled_is_tested():
    assert set(HANDLERS) - METHODS_OF_TENSOR - OF_LISTS == (
        set(FUNCTIONS) | set(ANSWERS) | set(ORDERED) | TESTED_BELOW | IN_TEST_ORDER | IN_TEST_FILLING
    )


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
        torch.where(MASK[:2], s, torch.zeros(2))
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
