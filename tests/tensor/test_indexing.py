"""Indexing: `s[index]` equals torch's result for the same index on a tensor of the strings' ids."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.strings import LAYOUTS
from support.surrogate import pair, same

from torch_stringops import StringTensor


def slices(size: int) -> st.SearchStrategy:
    edge = st.one_of(st.none(), st.integers(-size - 2, size + 2))
    return st.builds(slice, edge, edge, st.one_of(st.none(), st.integers(1, 3)))


def int_tensors(size: int) -> st.SearchStrategy:
    if size == 0:
        return st.just(torch.empty(0, dtype=torch.int64))
    shape = st.sampled_from([[], [1], [2], [3], [2, 1], [0]])
    return shape.flatmap(
        lambda sizes: st.lists(
            st.integers(-size, size - 1),
            min_size=torch.Size(sizes).numel(),
            max_size=torch.Size(sizes).numel(),
        ).map(lambda values: torch.tensor(values, dtype=torch.int64).reshape(sizes))
    )


@st.composite
def items(draw: st.DrawFn, size: int):
    """An item of an index for one axis of this size."""
    kind = draw(st.sampled_from(["int", "slice", "slice", "tensor", "list", "array", "mask"]))
    if kind == "int" and size:
        return draw(st.integers(-size, size - 1))
    if kind == "tensor":
        return draw(int_tensors(size))
    if kind == "list" and size:
        return draw(st.lists(st.integers(-size, size - 1), max_size=3))
    if kind == "array" and size:
        return np.array(draw(st.lists(st.integers(-size, size - 1), min_size=1, max_size=3)))
    if kind == "mask":
        mask = torch.tensor(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=torch.bool)
        return draw(st.sampled_from([mask, mask.tolist(), mask.numpy()])) if size else mask
    return draw(slices(size))


@st.composite
def cases(draw: st.DrawFn):
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    index = []
    axis = 0
    ellipsis = False
    while axis < len(shape) and draw(st.integers(0, 5)):
        kind = draw(st.integers(0, 9))
        if kind == 0:
            index.append(None)
        elif kind == 1 and not ellipsis:
            ellipsis = True
            index.append(...)
            axis = draw(st.integers(axis, len(shape)))
        elif kind == 2 and axis + 2 <= len(shape):
            count = shape[axis] * shape[axis + 1]
            flat = draw(st.lists(st.booleans(), min_size=count, max_size=count))
            index.append(torch.tensor(flat, dtype=torch.bool).reshape(shape[axis : axis + 2]))
            axis += 2
        else:
            index.append(draw(items(shape[axis])))
            axis += 1
    if index and draw(st.integers(0, 9)) == 0:
        index.append(None)
    one = len(index) == 1 and draw(st.booleans())
    return shape, index[0] if one else tuple(index)


def as_torch(index):
    """The index for torch: an empty list as an int64 tensor."""
    if isinstance(index, tuple):
        return tuple(map(as_torch, index))
    return torch.empty(0, dtype=torch.int64) if isinstance(index, list) and not index else index


@given(cases(), st.sampled_from(list(LAYOUTS)))
def test_indexing_equals_that_of_torch(case, layout):
    shape, index = case
    ids, s = pair(shape, layout)
    try:
        want = ids[as_torch(index)]
    except (IndexError, RuntimeError) as error:
        # The ellipsis covers other axes than intended; if torch fails, this must fail too.
        with pytest.raises(type(error)):
            s[index]
        return
    if want.numel() == 0:
        # torch does not check index tensors if the result is empty. Offsets are never empty, so they are checked here.
        try:
            same(s[index], want)
        except IndexError as error:
            assert "out of bounds" in str(error)  # noqa: PT017
        return
    same(s[index], want)


@pytest.mark.parametrize(
    "index",
    [
        (),
        ...,
        None,
        True,
        False,
        (None, None),
        (..., None),
        torch.tensor(True),
        torch.tensor([True, False]).any(),
    ],
)
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


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (3, IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        (-4, IndexError, "index -4 is out of bounds for dimension 0 with size 3"),
        ((0, 0), IndexError, "too many indices"),
        ((..., ..., None), IndexError, "single ellipsis"),
        (torch.tensor([3]), IndexError, "index 3 is out of bounds"),
        (torch.tensor([True]), IndexError, "mask"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        ("a", TypeError, "expected an index of ints, slices, .*, got str"),
        (1.0, TypeError, "got float"),
    ],
)
def test_errors_of_bad_indices(index, error, text):
    with pytest.raises(error, match=text):
        pair((3,))[1][index]


@each(
    "index",
    [
        slice(1, 3),
        (slice(None), slice(1, 2)),
        (..., slice(None, -1)),
        (slice(None, None, 2),),
        0,
        (1, slice(1, None)),
        (torch.tensor([2, 0, 2]), slice(None, 2)),
        (torch.tensor([True, False, True]),),
        (slice(None), None),
        (..., None),
        (0, slice(1, None), None, None),
        (0, slice(1, None), ...),
    ],
)
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
        assert s[index].is_compact()
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


@pytest.mark.parametrize(
    ("index", "got"),
    [
        (["a"], r"str at \[0\]"),
        ([0, "a"], r"str at \[1\]"),
        ([[0, 1], [1, None]], r"NoneType at \[1, 1\]"),
        ((0, ["a"]), r"str at \[0\]"),
    ],
)
def test_lists_of_others_are_no_index(index, got):
    strings = StringTensor.from_list([["a", "b"], ["c", "d"]])
    with pytest.raises(TypeError) as caught:
        strings[index]
    assert re.fullmatch(
        rf"StringTensor\.__getitem__: expected a list of ints or bools in an index, got {got}",
        str(caught.value),
    )
    with pytest.raises(ValueError, match=r"^StringTensor\.__getitem__: expected sequence of length 1"):
        strings[[[0], [0, 1]]]
