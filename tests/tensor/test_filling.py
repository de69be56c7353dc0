"""Strings that are filled with others: scatter, pad, full, new_empty, nonzero."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.strings import LAYOUTS
from support.surrogate import pair, same

from torch_stringops import StringTensor


def scattered(ids: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    """torch's definition of scatter, element by element in row-major order."""
    out = ids.clone()
    for at in torch.ones(index.shape).nonzero().tolist():
        to = list(at)
        to[dim] = int(index[tuple(at)])
        out[tuple(to)] = src[tuple(at)]
    return out


@given(st.data())
def test_scatter_keeps_the_last_write(data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    axis = dim % len(shape)
    sizes = [data.draw(st.integers(0, 5 if d == axis else n)) for d, n in enumerate(shape)]
    larger = [n + data.draw(st.integers(0, 2)) for n in sizes]
    ids, s = pair(shape, data.draw(st.sampled_from(list(LAYOUTS))))
    more, t = pair(larger)
    index = torch.tensor(
        data.draw(st.lists(st.integers(0, shape[axis] - 1), min_size=(n := torch.Size(sizes).numel()), max_size=n)),
        dtype=torch.int64,
    ).reshape(sizes)
    same(s.scatter(dim, index, t), scattered(ids, axis, index, more))
    same(s.scatter(dim, index, t.reshape(-1)[0]) if t.numel() else s, scattered(ids, axis, index, more * 0))


def test_scatter_through_torch_and_compiled():
    s = StringTensor.from_list([["a", "b"], ["c", "d"]])
    index = torch.tensor([[0, 0], [1, 0]])
    src = StringTensor.from_list([["w", "x"], ["y", "z"]])
    want = [["x", "b"], ["z", "y"]]
    assert torch.scatter(s, 1, index, src).tolist() == s.scatter(1, index, src).tolist() == want
    assert torch.compile(lambda: s.scatter(1, index, src), fullgraph=True)().tolist() == want
    assert s.scatter(1, index[:1], "-").tolist() == [["-", "b"], ["c", "d"]]
    assert StringTensor.from_list("a").scatter(0, torch.tensor(0), "b").item() == "b"


@each("call", [
    lambda t, src: t.scatter(1, torch.tensor([[2]]), src),
    lambda t, src: t.scatter(1, torch.tensor([[-1]]), src),
    lambda t, src: t.scatter(1, torch.tensor([0]), src),
    lambda t, src: t.scatter(0, torch.zeros(3, 1, dtype=torch.int64), src),
    lambda t, src: t.scatter(1, torch.tensor([[0.5]]), src),
    lambda t, src: t.scatter(2, torch.tensor([[0]]), src),
    lambda t, _: F.pad(t, (1,)),
    lambda t, _: F.pad(t, (1, 1, 1, 1, 1, 1)),
    lambda t, _: F.pad(t, (-2, -1)),
    lambda t, _: F.pad(t, (1, 1), mode="reflect") if isinstance(t, StringTensor) else t[9],
])  # fmt: skip
def test_what_torch_rejects_is_rejected(call):
    ids, s = pair((2, 2))
    with pytest.raises(Exception) as error:  # noqa: PT011
        call(ids, ids)
    with pytest.raises((type(error.value), ValueError, TypeError)):
        call(s, s)


@each("layout", LAYOUTS)
@each("sizes", [(0, 0), (2, 1), (-1, 3), (1, 0, 2, 1), (0, -2, -1, 4), (1, 1, 0, 0, 1, 0)])
def test_pad_equals_torch(sizes, layout):
    ids, s = pair((2, 3, 2), layout)
    fill, value = pair((1,))
    same(F.pad(s, sizes, value=value[0]), F.pad(ids, sizes, value=int(fill)))
    same(s.pad(sizes, value[0]), F.pad(ids, sizes, value=int(fill)))


def test_pad_by_default_adds_empty_strings():
    s = StringTensor.from_list(["a"])
    assert F.pad(s, (1, 1)).tolist() == ["", "a", ""]
    with pytest.raises(RuntimeError, match=r"pad: expected `value` of rank 0, got shape \[1\]"):
        s.pad((1, 1), ["x"])
    with pytest.raises(BAD_ARGUMENT, match="pad"):
        s.pad((2**31, 0))


def test_full_and_empty():
    s = StringTensor.from_list(["a", "b"])
    assert StringTensor.full([2, 2], "é").tolist() == [["é", "é"], ["é", "é"]]
    assert StringTensor.full([], "x").item() == "x"
    assert StringTensor.full((0, 3), "x").shape == (0, 3)
    assert s.new_full(s.shape, "x").tolist() == ["x", "x"]
    s.new_full([], "b").data.fill_(0)  # a copy of the argument that later calls compare with
    assert (s == "b").tolist() == [False, True]
    assert torch.empty_like(s).tolist() == s.new_empty(2).tolist() == ["", ""]
    assert torch.empty_like(s[0]).item() == ""
    assert torch.empty_like(s, device="meta").device.type == "meta"
    with pytest.raises(RuntimeError, match=r"full: expected `fill_value` of rank 0, got shape \[2\]"):
        StringTensor.full([2], s)
    with pytest.raises(TypeError, match="unexpected 'dtype'"):
        torch.empty_like(s, dtype=torch.int8)
    with pytest.raises(RuntimeError, match=r"full: expected sizes of at least 0, got \[-1\]"):
        StringTensor.full([-1], "x")
    with pytest.raises(TypeError, match="pad: expected `pad` to be a tuple of ints, got int"):
        s.pad(1)
    with pytest.raises(BAD_ARGUMENT):
        StringTensor.full([2**31], "x")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nonzero_gives_the_positions_of_strings_that_are_not_empty(layout):
    ids, s = pair((2, 3), layout)
    blank = torch.where(ids % 2 == 0, s, StringTensor.from_list(""))
    assert torch.nonzero(blank).tolist() == (ids % 2 == 0).nonzero().tolist()
    rows, columns = blank.nonzero(as_tuple=True)
    assert torch.stack([rows, columns], 1).tolist() == blank.nonzero().tolist()
    assert StringTensor.from_list("a").nonzero().shape == torch.tensor(1).nonzero().shape
