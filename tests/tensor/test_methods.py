"""Methods on strings: what they share, and what tests/stress/chains.py, which compares them with torch's methods on ids,
does not draw."""

import math

import pytest
import torch
from support.surrogate import pair, same

from torch_stringops import StringTensor

SHAPES = [(), (0,), (1,), (4,), (2, 3), (3, 0), (0, 3), (4, 1), (2, 1, 3), (2, 3, 4)]


@pytest.mark.parametrize(("cols", "new_cols"), [(1, 2), (2, 1), (1, 7), (3, 2), (2, 2100), (30, 7), (700, 3), (7, 900)])
def test_reshape_of_many_rows(cols, new_cols):
    ids, s = pair((2100 * 3 // cols, cols))
    assert s.reshape(-1, new_cols).data is s.data
    same(s.reshape(-1, new_cols), ids.reshape(-1, new_cols))
    order = torch.arange(len(ids))
    order[[-1, -2]] = order[[-2, -1]]  # the last rows are not adjacent
    same(s[order].reshape(-1, new_cols), ids[order].reshape(-1, new_cols))


def test_methods_on_compact_strings_share_data():
    _, s = pair((2, 3, 4))
    views = (s.reshape(-1), s.unsqueeze(-1), s.unsqueeze(0), s.permute(1, 0, 2), s.flip(0))
    assert all(view.data is s.data for view in views)


def test_reshape_shares_data_if_new_rows_are_within_old_ones():
    ids, s = pair((2, 4), "scattered")
    assert s.reshape(2, 2, 2).data is s.data
    same(s.reshape(2, 2, 2), ids.reshape(2, 2, 2))
    assert s.reshape(8).is_contiguous()  # rows are not adjacent, so they are gathered


def test_squeeze_of_the_last_axis_shares_data_if_rows_are_contiguous():
    ids, s = pair((4, 1))
    assert s.squeeze(-1).data is s.data
    same(s.flip(0).squeeze(-1), ids.flip(0).squeeze(-1))


def test_expand_of_leading_axes_takes_no_memory():
    _, s = pair((1, 3))
    e = s.expand(1_000_000, 3)
    assert e.offsets.untyped_storage().nbytes() == s.offsets.untyped_storage().nbytes()


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
