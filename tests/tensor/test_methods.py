"""Each method on strings equals torch's method on their ids, for every memory layout."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.strings import LAYOUTS
from support.surrogate import pair, same

from torch_stringops import StringTensor

SHAPES = [(), (0,), (1,), (4,), (2, 3), (3, 0), (0, 3), (4, 1), (2, 1, 3), (2, 3, 4)]

# Called on the ids and on the strings. If torch rejects a shape, the method must do so too.
METHODS = {
    "reshape(-1)": lambda t: t.reshape(-1),
    "reshape((2, -1))": lambda t: t.reshape((2, -1)),
    "reshape(3, -1, 2)": lambda t: t.reshape(3, -1, 2),
    "reshape(1, n, 1)": lambda t: t.reshape(1, t.numel(), 1),
    "reshape(n, 1)": lambda t: t.reshape(torch.Size([t.numel(), 1])),
    "reshape(())": lambda t: t.reshape(()),
    "reshape(0, 5)": lambda t: t.reshape(0, 5),
    "reshape(5, 0)": lambda t: t.reshape(5, 0),
    "view(-1)": lambda t: t.view(-1),
    "reshape_as": lambda t: t.reshape_as(torch.zeros(2, t.numel() // 2)),
    "flatten()": lambda t: t.flatten(),
    "flatten(1)": lambda t: t.flatten(1),
    "flatten(0, 1)": lambda t: t.flatten(0, 1),
    "ravel()": lambda t: t.ravel(),
    "unflatten(-1, (-1, 2))": lambda t: t.unflatten(-1, (-1, 2)),
    "unflatten(0, (2, 2))": lambda t: t.unflatten(0, (2, 2)),
    "squeeze()": lambda t: t.squeeze(),
    "squeeze(-1)": lambda t: t.squeeze(-1),
    "squeeze(1)": lambda t: t.squeeze(1),
    "squeeze((0, 1))": lambda t: t.squeeze((0, 1)),
    "unsqueeze(0)": lambda t: t.unsqueeze(0),
    "unsqueeze(-1)": lambda t: t.unsqueeze(-1),
    "unsqueeze(1)": lambda t: t.unsqueeze(1),
    "permute reversed": lambda t: t.permute(tuple(range(t.ndim))[::-1]),
    "permute(1, 0, 2)": lambda t: t.permute(1, 0, 2),
    "permute(-1, 0, 1)": lambda t: t.permute(-1, 0, 1),
    "transpose(0, 1)": lambda t: t.transpose(0, 1),
    "transpose(0, -1)": lambda t: t.transpose(0, -1),
    "swapaxes(0, -1)": lambda t: t.swapaxes(0, -1),
    "t()": lambda t: t.t(),
    "mT": lambda t: t.mT if t.ndim else t,
    "movedim(0, -1)": lambda t: t.movedim(0, -1),
    "movedim((0, 1), (1, 2))": lambda t: t.movedim((0, 1), (1, 2)),
    "moveaxis(-1, 0)": lambda t: t.moveaxis(-1, 0),
    "expand same": lambda t: t.expand(t.shape),
    "expand(2, ...)": lambda t: t.expand(2, *t.shape),
    "expand(4, 5)": lambda t: t.expand(4, 5),
    "expand(-1, 5)": lambda t: t.expand(-1, 5),
    "expand_as": lambda t: t.expand_as(torch.zeros(2, 3)),
    "broadcast_to": lambda t: t.broadcast_to((2, 2, 3)),
    "repeat(2)": lambda t: t.repeat(2),
    "repeat(2, 1)": lambda t: t.repeat(2, 1),
    "repeat(3, 1, 2)": lambda t: t.repeat(3, 1, 2),
    "repeat(0)": lambda t: t.repeat(0),
    "repeat(0, 1)": lambda t: t.repeat(0, 1),
    "tile(2)": lambda t: t.tile(2),
    "tile((2, 1, 1))": lambda t: t.tile((2, 1, 1)),
    "repeat_interleave(2)": lambda t: t.repeat_interleave(2),
    "repeat_interleave(2, 0)": lambda t: t.repeat_interleave(2, 0),
    "select(0, 0)": lambda t: t.select(0, 0),
    "select(-1, -1)": lambda t: t.select(-1, -1),
    "select(1, 1)": lambda t: t.select(1, 1),
    "select(-1, tensor [1])": lambda t: t.select(-1, torch.tensor([-1])),
    "select(0, tensor [1, 1])": lambda t: t.select(0, torch.tensor([[0]])),
    "select(0, tensor of uint8)": lambda t: t.select(0, torch.tensor(1, dtype=torch.uint8)),
    "narrow(0, 1, 1)": lambda t: t.narrow(0, 1, 1),
    "narrow(-1, -2, 2)": lambda t: t.narrow(-1, -2, 2),
    "narrow(-1, 0, 0)": lambda t: t.narrow(-1, 0, 0),
    "split(1)": lambda t: t.split(1),
    "split(2, -1)": lambda t: t.split(2, -1),
    "split([1, 2], 1)": lambda t: t.split([1, 2], 1),
    "split([0, 3], dim=1)": lambda t: t.split([0, 3], dim=1),
    "chunk(2)": lambda t: t.chunk(2),
    "chunk(2, -1)": lambda t: t.chunk(2, -1),
    "chunk(7, 0)": lambda t: t.chunk(7, 0),
    "tensor_split(3)": lambda t: t.tensor_split(3),
    "tensor_split((1, 2), 1)": lambda t: t.tensor_split((1, 2), 1),
    "unbind()": lambda t: t.unbind(),
    "unbind(-1)": lambda t: t.unbind(-1),
    "unbind(1)": lambda t: t.unbind(1),
    "index_select(0)": lambda t: t.index_select(0, torch.tensor([1, 0, 1])),
    "index_select(-1)": lambda t: t.index_select(-1, torch.tensor([0, 0])),
    "masked_select": lambda t: t.masked_select(torch.tensor([True])),
    "masked_select column": lambda t: t.masked_select(torch.tensor([[True], [False]])),
    "take": lambda t: t.take(torch.tensor([[0, -1], [1, 1]])),
    "gather(0)": lambda t: t.gather(0, torch.ones([1] * t.ndim, dtype=torch.int64)),
    "gather(-1)": lambda t: t.gather(-1, torch.zeros([2] * t.ndim, dtype=torch.int64)),
    "take_along_dim": lambda t: t.take_along_dim(torch.zeros([1] * t.ndim, dtype=torch.int64), -1),
    "flip(0)": lambda t: t.flip(0),
    "flip((0, -1))": lambda t: t.flip((0, -1)),
    "flip(0, 1)": lambda t: t.flip(0, 1),
    "roll(1)": lambda t: t.roll(1),
    "roll(1, -1)": lambda t: t.roll(1, -1),
    "diagonal()": lambda t: t.diagonal(),
    "diagonal(1)": lambda t: t.diagonal(1),
    "clone()": lambda t: t.clone(),
    "contiguous()": lambda t: t.contiguous(),
    "detach()": lambda t: t.detach(),
    "chained": lambda t: t.transpose(0, 1)[1:].flatten().flip(0),
}


@each("method", METHODS)
def test_methods_equal_those_of_torch(method):
    did = 0
    for shape in SHAPES:
        for layout in LAYOUTS:
            ids, s = pair(shape, layout)
            try:
                want = METHODS[method](ids)
            except (RuntimeError, IndexError, ValueError, TypeError) as rejected:
                with pytest.raises(type(rejected)):
                    METHODS[method](s)
                continue
            same(METHODS[method](s), want)
            did += 1
    assert did, "torch rejects every shape"


@given(st.sampled_from(SHAPES), st.sampled_from(list(LAYOUTS)), st.data())
def test_methods_after_each_other(shape, layout, data):
    ids, s = pair(shape, layout)
    for _ in range(data.draw(st.integers(2, 8))):
        method = METHODS[data.draw(st.sampled_from(list(METHODS)))]
        try:
            want = method(ids)
        except (RuntimeError, IndexError, ValueError, TypeError):
            continue
        got = method(s)
        if isinstance(want, (tuple, list)):
            part = data.draw(st.integers(0, len(want) - 1)) if want else None
            want, got = (want[part], got[part]) if want else (ids, s)
        if want.numel() > 500:
            continue
        if want.ndim and want.numel() < 100 and data.draw(st.booleans()):
            dim = data.draw(st.integers(0, want.ndim - 1))
            want, got = torch.cat([want, want], dim), torch.cat([got, got.clone()], dim)
        ids, s = want, got
        same(s, ids)


@given(
    st.lists(st.integers(1, 4), max_size=4),
    st.randoms(use_true_random=False),
    st.sampled_from(list(LAYOUTS)),
)
def test_reshape_to_any_factors(shape, random, layout):
    ids, s = pair(shape, layout)
    factors, rest = [], ids.numel()
    while rest > 1:
        factors.append(random.choice([d for d in range(1, rest + 1) if rest % d == 0]))
        rest //= factors[-1]
    random.shuffle(factors)
    same(s.reshape(factors), ids.reshape(factors))
    order = random.sample(range(len(shape)), len(shape))
    same(s.permute(order).reshape(factors), ids.permute(order).reshape(factors))


@pytest.mark.parametrize(
    ("cols", "new_cols"), [(1, 2), (2, 1), (1, 7), (3, 2), (2, 2100), (30, 7), (700, 3), (7, 900)]
)
def test_reshape_of_many_rows(cols, new_cols):
    ids, s = pair((2100 * 3 // cols, cols))
    assert s.reshape(-1, new_cols).data is s.data
    same(s.reshape(-1, new_cols), ids.reshape(-1, new_cols))
    order = torch.arange(len(ids))
    order[[-1, -2]] = order[[-2, -1]]  # the last rows are not adjacent
    same(s[order].reshape(-1, new_cols), ids[order].reshape(-1, new_cols))


@pytest.mark.parametrize(
    "method", ["reshape(-1)", "unsqueeze(-1)", "unsqueeze(0)", "permute(1, 0, 2)", "flip(0)"]
)
def test_methods_on_compact_strings_share_data(method):
    _, s = pair((2, 3, 4))
    assert METHODS[method](s).data is s.data


def test_reshape_shares_data_if_new_rows_are_within_old_ones():
    ids, s = pair((2, 4), "scattered")
    assert s.reshape(2, 2, 2).data is s.data
    same(s.reshape(2, 2, 2), ids.reshape(2, 2, 2))
    assert s.reshape(8).is_compact()  # rows are not adjacent, so they are gathered


def test_squeeze_of_the_last_axis_shares_data_if_rows_are_contiguous():
    ids, s = pair((4, 1))
    assert s.squeeze(-1).data is s.data
    same(s.flip(0).squeeze(-1), ids.flip(0).squeeze(-1))


def test_expand_of_leading_axes_takes_no_memory():
    _, s = pair((1, 3))
    e = s.expand(1_000_000, 3)
    assert e.offsets.untyped_storage().nbytes() == s.offsets.untyped_storage().nbytes()


@each("shape", [(5,), (2, 5), (5, 2), (1, 4), (2, 1, 3)])
@each("layout", LAYOUTS)
def test_chunks_of_any_number_and_sizes(shape, layout):
    ids, s = pair(shape, layout)
    for dim in range(-len(shape), len(shape)):
        size = shape[dim]
        calls = [lambda t, n=n: t.chunk(n, dim) for n in range(1, 8)]  # noqa: B023
        calls += [lambda t, n=n: t.tensor_split(n, dim) for n in range(1, 8)]  # noqa: B023
        calls += [lambda t, n=n: t.split_with_sizes([n, 0, size - n], dim) for n in range(size + 1)]  # noqa: B023
        calls += [lambda t, n=n: t.tensor_split((n, 1, -n), dim) for n in range(-6, 7)]  # noqa: B023
        calls += [lambda t, n=n: (t.select(dim, n), t.narrow(dim, n, 1)) for n in range(size)]  # noqa: B023
        for call in calls:
            for chunk, expected in zip(call(s), call(ids), strict=True):
                same(chunk, expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_where_broadcasts(layout):
    (a, s), (b, t) = pair((2, 3), layout), pair((3,))
    for mask in (torch.tensor([[True], [False]]), a % 2 == 0, torch.tensor(False)):
        same(torch.where(mask, s, t), torch.where(mask, a, b))
        same(torch.where(mask, t, s), torch.where(mask, b, a))
        same(s.where(mask, s[0, 0]), torch.where(mask, a, a[0, 0]))
    assert s.where(a == 0, "x").tolist() == [[s[0, 0].item(), "x", "x"], ["x", "x", "x"]]
    same(torch.where(torch.tensor(True), s[0, 0], t[1]), a[0, 0])


def test_where_of_rank_0_is_rank_0():
    s = StringTensor.from_list("a")
    assert s.where(torch.tensor(False), "bc").item() == "bc"
    assert s.where(torch.tensor([False, True]), "bc").tolist() == ["bc", "a"]


def test_split_accepts_a_delimiter_or_sizes():
    s = StringTensor.from_list(["a,b", " c  d "])
    for by in (",", b","):
        pieces, counts = s.split(by)
        assert pieces.tolist() == [["a", "b"], [" c  d ", ""]]
        assert counts.tolist() == [2, 1]
    assert s.split()[0].tolist() == s.split(None)[0].tolist() == [["a,b", ""], ["c", "d"]]
    assert s.split(",", 0)[0].tolist() == s.split(",", maxsplit=0)[0].tolist() == [["a,b"], [" c  d "]]
    assert [part.tolist() for part in s.split(1)] == [["a,b"], [" c  d "]]
    assert [len(part) for part in s.split([0, 2], dim=0)] == [0, 2]
    pieces, row_splits = s.split_ragged(",")
    assert pieces.tolist() == ["a", "b", " c  d "]
    assert row_splits.tolist() == [0, 2, 3]
    assert s.split_ragged()[0].tolist() == ["a,b", "c", "d"]
    with pytest.raises(TypeError):
        s.split(",", dim=0)


def test_split_methods_skip_empty_pieces():
    s = StringTensor.from_list(["a||b|", ""])
    pieces, counts = s.split("|", skip_empty=True)
    assert pieces.tolist() == [["a", "b"], ["", ""]]
    assert counts.tolist() == [2, 0]
    pieces, row_splits = s.split_ragged("|", skip_empty=True)
    assert pieces.tolist() == ["a", "b"]
    assert row_splits.tolist() == [0, 2, 2]


def test_split_accepts_the_delimiter_by_name():
    s = StringTensor.from_list(["a,b,c", " d  e "])
    for got, want in ((s.split(delimiter=","), s.split(",")), (s.split(delimiter=","), s.split(by=","))):
        assert got[0].tolist() == want[0].tolist()
    assert s.split(delimiter=",", maxsplit=1)[0].tolist() == [["a", "b,c"], [" d  e ", ""]]
    assert s.split(delimiter=None)[0].tolist() == [["a,b,c", ""], ["d", "e"]]
    with pytest.raises(TypeError, match="split: expected one of `by` and `delimiter`, got both"):
        s.split(",", delimiter=",")


def test_moving_and_sharing():
    ids, s = pair((2, 3), "misaligned")
    assert s.cpu() is s
    assert s.to("cpu") is s
    assert s.to(torch.zeros(1)) is s
    assert s.to(s) is s
    copied = s.to("cpu", copy=True)
    assert copied.data.data_ptr() != s.data.data_ptr()
    same(copied, ids)
    for wrong in (lambda: s.to(torch.float32), lambda: s.to("cpu", dtype=torch.int8)):
        with pytest.raises(TypeError, match=r"StringTensor\.to: expected a device, got dtype torch\."):
            wrong()
    assert s.is_cpu
    assert not s.is_cuda
    assert s.device == torch.device("cpu")
    meta = s.to("meta")
    assert meta.shape == s.shape
    assert meta.device.type == "meta"
    shared = s.clone()
    assert not shared.is_shared()
    assert shared.share_memory_() is shared
    assert shared.is_shared()
    same(shared, ids)
    assert s.nbytes == s.data.nbytes + s.offsets.nbytes
    assert s.clone().data.data_ptr() != s.data.data_ptr()


def test_results_of_methods_are_not_scalar_by_mistake():
    for shape in SHAPES:
        _, s = pair(shape)
        assert s.reshape(-1).ndim == 1
        assert math.prod(s.shape) == s.numel()


def test_take_along_no_axis_takes_from_the_flattened_strings():
    s = StringTensor.from_list([["a", "b"], ["c", "d"]])
    assert s.take_along_dim(torch.tensor([[3], [0]])).tolist() == ["d", "a"]
