"""The public function split: results and errors of each version of ONNX Split."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from ops.test_tensor_split import ERRORS, STRINGS, TENSOR_ERRORS, string_calls, tensor_calls
from reference.tensor import split_ref
from support import harness
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.pieces import DTYPES, FLOATS, numbered, values

import torch_stringops as so


@given(drawn=st.one_of(tensor_calls(), string_calls()), as_tensor=st.booleans())
def test_public_function_matches_the_oracle(drawn: harness.Call, as_tensor: bool):
    input, sizes, axis = drawn.args
    want = list(split_ref(input, sizes, axis))
    if isinstance(input, list):
        got = so.split(so.StringTensor.from_list(input), torch.tensor(sizes) if as_tensor else sizes, axis)
        assert [piece.tolist(as_bytes=True) for piece in got] == want
    else:
        assert values(so.split(input, torch.tensor(sizes) if as_tensor else sizes, axis)) == want


@given(length=st.integers(0, 40), count=st.integers(1, 45))
def test_ceiling_in_opset_18(length: int, count: int):
    size = -(-length // count)
    last = length - size * (count - 1)
    for input in (numbered(length), so.StringTensor.from_list(["x"] * length)):
        if last < 0:
            with pytest.raises(BAD_ARGUMENT, match="only the last may be smaller"):
                so.split(input, num_outputs=count)
        else:
            pieces = so.split(input, num_outputs=count)
            assert [piece.shape[0] for piece in pieces] == [size] * (count - 1) + [last]


def test_sizes_of_an_axis_beyond_float32_and_int64():
    assert [len(piece) for piece in so.split(torch.zeros(1).expand(2**24 + 1), num_outputs=2)] == [2**23 + 1, 2**23]
    # Pieces of 2 elements: all but the last would have 2**63 elements or more in total.
    for length, count in ((2**62 + 6, 2**62 + 5), (2, 2**62)):
        for split in (so.split, torch.ops.stringops.split):
            with pytest.raises(BAD_ARGUMENT, match="only the last may be smaller"):
                split(torch.empty(length, 0), num_outputs=count)


@pytest.mark.parametrize("opset", [1, 2, 11, 13])
def test_equal_parts_before_opset_18(opset: int):
    assert values(so.split(numbered(6), num_outputs=3, opset=opset)) == [[0, 1], [2, 3], [4, 5]]
    assert values(so.split(numbered(0), num_outputs=3, opset=opset)) == [[], [], []]
    with pytest.raises(BAD_ARGUMENT, match="to divide 7"):
        so.split(numbered(7), num_outputs=3, opset=opset)


@pytest.mark.parametrize("opset", [1, 2, 11, 13, 18])
def test_zero_sizes_and_negative_axes_in_every_version(opset: int):
    x = numbered(2, 3)
    assert values(so.split(x, [0, 2, 1, 0], -1, opset=opset)) == [
        [[], []],
        [[0, 1], [3, 4]],
        [[2], [5]],
        [[], []],
    ]
    assert values(so.split(x, [1, 1], opset=opset)) == [[[0, 1, 2]], [[3, 4, 5]]]  # the default axis is 0


@pytest.mark.parametrize(("opset", "like"), [(12, 11), (17, 13), (10, 2), (25, 18)])
def test_newest_version_up_to_the_opset_applies(opset: int, like: int):
    for kwargs in ({"num_outputs": 4}, {"split": torch.tensor([3, 4])}, {"split": [3, 4], "num_outputs": 2}):
        results = []
        for version in (opset, like):
            try:
                results.append(values(so.split(numbered(7), **kwargs, opset=version)))
            except BAD_ARGUMENT as error:
                results.append(str(error).replace(f"opset {version},", "opset,"))
        assert results[0] == results[1]


@each("opset", [1, 2, 11, 13, 18])
@each("dtype", [*DTYPES, torch.bfloat16, torch.float8_e4m3fn])
def test_dtypes_of_each_version(dtype: torch.dtype, opset: int):
    x = numbered(3).to(dtype)
    accepted = FLOATS if opset == 1 else DTYPES if opset < 13 else [*DTYPES, torch.bfloat16]
    for split in (so.split, torch.ops.stringops.split):
        if dtype in accepted:
            first, second = split(x, [1, 2], opset=opset)
            assert first.dtype == second.dtype == dtype
            assert values([first, second]) == [x.tolist()[:1], x.tolist()[1:]]
        else:
            with pytest.raises(BAD_ARGUMENT, match="split: expected `input`"):
                split(x, [1, 2], opset=opset)


@pytest.mark.parametrize("num_outputs", [2**24 + 1, 2**62])
@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("input", [torch.empty(0), so.StringTensor.from_list([])], ids=["numbers", "strings"])
def test_there_are_at_most_2_24_pieces(input, opset: int, num_outputs: int):
    with pytest.raises(BAD_ARGUMENT, match=rf"^split: expected at most {2**24} chunks, got {num_outputs}$"):
        so.split(input, num_outputs=num_outputs, opset=opset)
    with pytest.raises(BAD_ARGUMENT, match=rf"^split: expected at most {2**24} chunks, got {2**24 + 1}$"):
        so.split(input, torch.zeros(1, dtype=torch.int64).expand(2**24 + 1))


def test_bad_calls_of_the_public_function():
    wrong = [*ERRORS, *(({"split": t, **k}, f"expected `split` {text}") for t, k, text in TENSOR_ERRORS)]
    for input in (numbered(5), so.StringTensor.from_list(STRINGS)):
        for kwargs, text in wrong:
            with pytest.raises(BAD_ARGUMENT) as error:
                so.split(input, **kwargs)
            assert str(error.value) == f"split: {text}"
    for scalar in (torch.tensor(1.0), so.StringTensor.from_list("a")):
        with pytest.raises(BAD_ARGUMENT, match="expected `input` of rank >= 1, got a scalar"):
            so.split(scalar, [1])


@pytest.mark.parametrize("axis", [2, -3, 2**40])
def test_axis_out_of_range(axis: int):
    text = rf"split: expected `axis` in \[-2, 1\], got {axis}"
    x, s = numbered(2, 3), so.StringTensor.from_list([["a"], ["b"]])
    for bad in (
        lambda: so.split(x, [1, 1], axis),
        lambda: so.split(s, [1, 1], axis),
        lambda: torch.ops.stringops.split(x, [1, 1], axis),
        lambda: torch.ops.stringops.split_strings(s.data, s.offsets, [1, 1], axis),
    ):
        with pytest.raises(IndexError, match=text):
            bad()


def test_pieces_are_differentiable_views():
    x = numbered(4, 6, dtype=torch.float64).requires_grad_()
    pieces = so.split(x, [1, 0, 5], 1)
    assert [p.data_ptr() for p in (pieces[0], pieces[2])] == [x.data_ptr(), x.data_ptr() + 8]
    assert all(p._base is x for p in pieces)
    # An unused piece has no gradient; the gradient of the input has zeros there.
    torch.ops.stringops.split(x, [1, 5], 1)[1].sum().backward()
    assert x.grad.tolist() == [[0, 1, 1, 1, 1, 1]] * 4


def test_conjugate_and_expanded_tensors():
    x = torch.tensor([1 + 2j, 3 - 1j, 0j]).conj()
    assert values(torch.ops.stringops.split(x, [1, 2])) == values(so.split(x, [1, 2])) == [[1 - 2j], [3 + 1j, 0j]]
    y = torch.tensor([[1], [2]]).expand(2, 3)
    assert values(torch.ops.stringops.split(y, [1, 2], 1)) == [[[1], [2]], [[1, 1], [2, 2]]]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_pieces_of_strings_share_data(axis: int):
    s = so.StringTensor.from_list([[["a", "bb"], ["", "c"]], [["d", ""], ["eé", "f"]]])
    for piece in so.split(s, [1, 1], axis):
        assert piece.data.data_ptr() == s.data.data_ptr()
        assert piece.shape[axis] == 1


def test_sizes_may_be_tuples_and_numpy_ints():
    np = pytest.importorskip("numpy")
    assert values(so.split(numbered(3), (1, 2))) == [[0], [1, 2]]
    assert values(so.split(numbered(3), [np.int64(1), np.int64(2)], np.int32(0))) == [[0], [1, 2]]
