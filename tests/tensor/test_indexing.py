"""Indexing: `s[index]` equals torch's result for the same index on a tensor of the strings' ids."""

import re

import numpy as np
import pytest
import torch
from support.cases import each
from support.surrogate import pair, same

from torch_stringops import StringTensor


@pytest.mark.parametrize("index", [
    (), ..., None, True, False, (None, None), (..., None), torch.tensor(True), torch.tensor([True, False]).any(),
])  # fmt: skip
def test_rank_0_accepts_indices_without_axes(index):
    ids, s = pair(())
    same(s[index], ids[index])


def test_several_ellipses_are_read_as_by_torch():
    for shape in ((2,), (2, 3), (2, 3, 4)):
        ids, s = pair(shape)
        for index in (
            *((..., ...), (..., 0, ...), (0, ..., ...), (..., ..., 0), (..., None, ...), (..., ..., None)),
            *((0, ..., 0, ..., 0), (0, ..., ..., 0), (..., [0, 1], ..., ...)),
        ):
            try:
                want = ids[index]
            except (IndexError, RuntimeError):
                with pytest.raises((IndexError, RuntimeError)):
                    s[index]
            else:
                same(s[index], want)


def test_rank_0_has_no_axis_to_index():
    s = StringTensor.from_list("a")
    with pytest.raises(IndexError, match=r"0-dim StringTensor. Use `s\.item\(\)`"):
        s[0]
    with pytest.raises(IndexError):
        s[:1]


@pytest.mark.parametrize(("index", "error", "text"), [
    (3, IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
    (-4, IndexError, "index -4 is out of bounds for dimension 0 with size 3"),
    ((0, 0), IndexError, "too many indices"), ((..., ..., None), IndexError, "single ellipsis"),
    (torch.tensor([3]), IndexError, "index 3 is out of bounds"),
    (torch.tensor([True]), IndexError, "mask"),
    (slice(None, None, -1), ValueError, "step must be greater than zero"),
    ("a", TypeError, "expected an index of ints, slices, .*, got str"),
    (1.0, TypeError, "got float"),
])  # fmt: skip
def test_errors_of_bad_indices(index, error, text):
    with pytest.raises(error, match=text):
        pair((3,))[1][index]


@each("index", [
    slice(1, 3), (slice(None), slice(1, 2)), (..., slice(None, -1)), (slice(None, None, 2),), 0, (1, slice(1, None)),
    (torch.tensor([2, 0, 2]), slice(None, 2)), (torch.tensor([True, False, True]),), (slice(None), None), (..., None),
    (0, slice(1, None), None, None), (0, slice(1, None), ...),
])  # fmt: skip
def test_views_share_data(index):
    ids, s = pair((3, 4))
    assert s[index].data is s.data
    same(s[index], ids[index])


def test_gathered_strings_are_compact():
    ids, s = pair((3, 4))
    for index in (
        (slice(None), 1),
        (slice(None), torch.tensor([3, 0])),
        ids % 2 == 0,
        (..., slice(None, None, 2)),
    ):
        assert s[index].is_contiguous()
        same(s[index], ids[index])


def test_one_string_is_a_view():
    _, s = pair((2, 3))
    assert s[0][1].data is s.data
    assert s[0, 1].data is s.data


def test_a_step_that_is_not_an_int_is_rejected():
    s = StringTensor.from_list([[], []])
    with pytest.raises(TypeError, match="slice indices must be integers"):
        s[:, :0:1.0]


def test_numpy_integers_are_ints():
    ids, s = pair((3, 2))
    same(s[np.int64(1)], ids[1])
    same(s[np.uint8(2), np.int32(-1)], ids[2, -1])
    same(s[np.array([2, 0], dtype=np.uint8)], ids[[2, 0]])
    same(s[[np.int8(2), np.int8(-1)]], ids[[2, -1]])
    same(s[[np.uint8(1), np.uint8(0)]], ids[[1, 0]])
    same(s[np.bool_(True)], ids[True])
    with pytest.raises(TypeError):
        s[np.array([0.5])]


@pytest.mark.parametrize(("index", "got"), [
    (["a"], r"str at \[0\]"), ([0, "a"], r"str at \[1\]"), ([[0, 1], [1, None]], r"NoneType at \[1, 1\]"),
    ((0, ["a"]), r"str at \[0\]"),
])  # fmt: skip
def test_lists_of_others_are_no_index(index, got):
    strings = StringTensor.from_list([["a", "b"], ["c", "d"]])
    with pytest.raises(TypeError) as caught:
        strings[index]
    assert re.fullmatch(
        rf"StringTensor\.__getitem__: expected a list of ints or bools in an index, got {got}", str(caught.value)
    )
    with pytest.raises(ValueError, match=r"^StringTensor\.__getitem__: expected sequence of length 1"):
        strings[[[0], [0, 1]]]
