"""split_to_sequence."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.tensor import split_to_sequence_ref, split_to_sequence_strings_ref
from support import harness, large, strategies
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.harness import OpSuite, OpTests, call
from support.pieces import DTYPES, by_tensor, cuts, drawn_cut, numbered, values, words

import torch_stringops as so

STRINGS = [b"a", b"bb", b"", b"c", b"dd"]
SUMS = [
    ([2, 2], "expected `split` to sum to 5 (size of axis 0), got 4"),
    ([2, 4], "expected `split` to sum to 5 (size of axis 0), got 6"),
    ([], "expected `split` to sum to 5 (size of axis 0), got 0"),
    ([6, -1], "expected `split` >= 0, got -1 at position 1"),
]


@st.composite
def options(draw: st.DrawFn) -> tuple[list[int], list[int] | None, int, bool]:
    shape, axis, sizes = draw(cuts())
    return shape, draw(st.sampled_from([sizes, None])), axis, draw(st.booleans())


@st.composite
def tensor_calls(draw: st.DrawFn) -> harness.Call:
    shape, sizes, axis, keepdims = draw(options())
    input = numbered(*shape, dtype=draw(st.sampled_from([*DTYPES, torch.bfloat16])))
    if draw(st.booleans()):
        input = input.transpose(0, -1).contiguous().transpose(0, -1)
    return call(input, sizes, axis, keepdims)


@st.composite
def string_calls(draw: st.DrawFn) -> harness.Call:
    shape, sizes, axis, keepdims = draw(options())
    return call(words(shape, draw(strategies.rank1)), sizes, axis, keepdims)


class TestSplitToSequence(OpTests):
    suite = OpSuite(
        op="split_to_sequence",
        reference=split_to_sequence_ref,
        samples=[
            call(numbered(7), [2, 0, 5]),
            call(numbered(2, 3).requires_grad_(), None, -1),
            call(numbered(2, 3).requires_grad_(), None, 1, False),
            call(numbered(3, dtype=torch.uint16), None, 0, False),
            call(numbered(3, 4, 2, dtype=torch.complex128), [1, 3], 1, False),
            call(numbered(0, dtype=torch.bool)),
            call(numbered(0), [0, 0]),
            call(numbered(2, 0), None, 0),
            call(numbered(100, 150, dtype=torch.bfloat16)),
            call(numbered(150, 100), None, 1, False),
        ],
        strategy=tensor_calls(),
        small=call(torch.tensor([0, 2])),
        too_large=lambda: [(large.PIECES, call(torch.empty(2**31, 0)))],
        errors=[
            *((call(numbered(5), sizes), f"{text}") for sizes, text in SUMS),
            (call(torch.tensor(1.0)), "expected `input` of rank >= 1, got a scalar"),
            (
                call(numbered(3).to(torch.float8_e4m3fn)),
                "expected `input` of a dtype that ONNX lists, got Float8_e4m3fn",
            ),
        ],
    )


class TestSplitToSequenceStrings(OpTests):
    suite = OpSuite(
        op="split_strings_to_sequence",
        name_in_errors="split_to_sequence",
        reference=split_to_sequence_strings_ref,
        samples=[
            call(STRINGS, [2, 0, 3]),
            call(STRINGS),
            call(STRINGS, None, 0, False),
            call([[b"a", b"bb", b""], [b"c", b"", b"dd"]], None, 1, False),
            call([[b"a", b"bb", b""], [b"c", b"", b"dd"]], None, 0, False),
            call([[[b"a", b"b"], [b"", b"c"]]] * 3, None, 1),
            call([[[b"a", b"b"], [b"", b"c"]]] * 3, None, 2, False),
            call([[[b"a", b"b"], [b"", b"c"]]] * 3, [1, 1], 1, False),
            call([]),
            call([[], []], None, 0, False),
            call([[b"k=v", b"", b"x" * 70]] * 1000, None, 1),
        ],
        strategy=string_calls(),
        draw=drawn_cut,
        too_large=lambda: [(large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048)))],
        errors=[(call(STRINGS, sizes), f"split_to_sequence: {text}") for sizes, text in SUMS],
    )


TENSOR_ERRORS = [
    *(
        (torch.tensor(1, dtype=d), f"to be int32 or int64, got {str(d)[6:]}")
        for d in (torch.int8, torch.float32, torch.bool)
    ),
    (torch.tensor([2, 3], dtype=torch.uint8), "to be int32 or int64, got uint8"),
    (torch.tensor([[2, 3]]), "of rank 0 or 1, got shape [1, 2]"),
]


class TestSplitToSequenceTensor(OpTests):
    suite = by_tensor(
        TestSplitToSequence.suite,
        [(call(numbered(5), t), f"split_to_sequence: expected `split` {text}") for t, text in TENSOR_ERRORS],
    )


class TestSplitToSequenceStringsTensor(OpTests):
    suite = by_tensor(
        TestSplitToSequenceStrings.suite,
        [(call(STRINGS, t), f"split_to_sequence: expected `split` {text}") for t, text in TENSOR_ERRORS],
    )


def test_types_of_arguments_have_one_reading():
    """Two tensors are a tensor and its sizes, for every dtype; strings have operators of their own."""
    ops, s = torch.ops.stringops, so.StringTensor.from_list(["a", "b", "c", "d", "ef"])
    for dtype in (torch.uint8, torch.int32, torch.int64, torch.float32):
        x = numbered(5, dtype=dtype)
        for sizes in (torch.int32, torch.int64):
            split = torch.tensor([2, 3], dtype=sizes)
            for rest, kwargs in (
                ((), {}),
                ((0,), {}),
                ((0, False), {}),
                ((), {"axis": 0, "keepdims": False}),
            ):
                assert values(ops.split_to_sequence(x, split, *rest, **kwargs)) == [[0, 1], [2, 3, 4]]
            assert values(ops.split_to_sequence(input=x, split=split)) == [[0, 1], [2, 3, 4]]
        split = torch.tensor([2, 3])
        for kwargs in ({}, {"opset": 13, "num_outputs": 2}):
            assert values(ops.split(x, split, **kwargs)) == [[0, 1], [2, 3, 4]]
        assert len(ops.split(x, None, num_outputs=5)) == len(ops.split_to_sequence(x, None)) == 5
    for op in (ops.split_strings, ops.split_strings_to_sequence):
        for split in ([1, 4], torch.tensor([1, 4])):
            assert op(s.data, s.offsets, split)[0].tolist() == [97]
        assert op(s.data, s.offsets, torch.tensor([5]))[1].tolist() == s.offsets.tolist()  # not an axis
    assert len(ops.split_strings_to_sequence(s.data, s.offsets)) == 10


# The public function, which returns views and accepts sizes of more types.


@given(
    drawn=st.one_of(tensor_calls(), string_calls()),
    kind=st.sampled_from([list, tuple, torch.tensor, lambda sizes: torch.tensor(sizes, dtype=torch.int32)]),
)
def test_public_function_matches_the_oracle(drawn: harness.Call, kind):
    input, sizes, axis, keepdims = drawn.args
    want = list(split_to_sequence_ref(input, sizes, axis, keepdims))
    split = None if sizes is None else kind(sizes)
    if isinstance(input, list):
        got = so.split_to_sequence(so.StringTensor.from_list(input), split, axis, keepdims)
        assert [piece.tolist(as_bytes=True) for piece in got] == want
    else:
        assert values(so.split_to_sequence(input, split, axis, keepdims)) == want


@given(
    length=st.integers(0, 20), size=st.integers(1, 25), kind=st.sampled_from([int, np.int64, torch.int32, torch.int64])
)
def test_one_size_for_all_pieces(length: int, size: int, kind):
    split = torch.tensor(size, dtype=kind) if isinstance(kind, torch.dtype) else kind(size)
    want = [list(range(at, min(at + size, length))) for at in range(0, length, size)]
    for keepdims in (True, False):  # ignored, as sizes are given
        assert values(so.split_to_sequence(numbered(length), split, keepdims=keepdims)) == want
        texts = so.StringTensor.from_list([str(i) for i in range(length)])
        assert values(so.split_to_sequence(texts, split, keepdims=keepdims)) == [[str(i) for i in w] for w in want]
        if isinstance(split, torch.Tensor):
            ops = torch.ops.stringops
            assert values(ops.split_to_sequence(numbered(length), split, 0, keepdims)) == want
            found = ops.split_strings_to_sequence(texts.data, texts.offsets, split, 0, keepdims)
            pieces = [so.StringTensor(*pair).tolist() for pair in zip(found[::2], found[1::2], strict=True)]
            assert pieces == [[str(i) for i in w] for w in want]


@each("size", [0, -1, torch.tensor(0), torch.tensor(-3, dtype=torch.int32)])
def test_one_size_is_positive(size):
    for split in (so.split_to_sequence, torch.ops.stringops.split_to_sequence)[: 1 + isinstance(size, torch.Tensor)]:
        with pytest.raises(BAD_ARGUMENT, match=f"split_to_sequence: expected `split` > 0, got {int(size)}$"):
            split(numbered(3), size)


@each("input", [numbered(5), so.StringTensor.from_list(STRINGS)])
def test_wrong_sizes(input):
    wrong = [(sizes, text) for sizes, text in SUMS if sizes]
    wrong += [(kind(sizes), text) for sizes, text in wrong for kind in (torch.tensor, torch.IntTensor)]
    wrong += [(split, f"expected `split` {text}") for split, text in TENSOR_ERRORS]
    for split, text in wrong:
        with pytest.raises(BAD_ARGUMENT) as error:
            so.split_to_sequence(input, split)
        assert str(error.value) == f"split_to_sequence: {text}"


def test_one_size_may_be_the_largest_that_the_dtype_holds():
    for size in (2**63 - 1, torch.tensor(2**63 - 1), torch.tensor(2**31 - 1, dtype=torch.int32)):
        assert values(so.split_to_sequence(numbered(3), size)) == [[0, 1, 2]]
        assert so.split_to_sequence(numbered(0), size) == []


def test_no_sizes_at_all_are_for_an_empty_axis():
    none = torch.tensor([], dtype=torch.int64)
    assert so.split_to_sequence(numbered(0), none) == so.split_to_sequence(numbered(0, 2), []) == []
    for empty in (none, []):
        with pytest.raises(BAD_ARGUMENT, match=r"to sum to 5 \(size of axis 0\), got 0"):
            so.split_to_sequence(numbered(5), empty)


def test_without_sizes_every_slice_is_a_piece():
    x = numbered(2, 3)
    assert [list(p.shape) for p in so.split_to_sequence(x)] == [[1, 3]] * 2
    assert [list(p.shape) for p in so.split_to_sequence(x, keepdims=0)] == [[3]] * 2
    assert [list(p.shape) for p in so.split_to_sequence(x, keepdims=7, axis=-1)] == [[2, 1]] * 3
    assert [list(p.shape) for p in so.split_to_sequence(numbered(2, 0))] == [[1, 0]] * 2
    assert [p.shape for p in so.split_to_sequence(numbered(2), keepdims=False)] == [(), ()]
    for empty in (numbered(0), numbered(0, 3), so.StringTensor.from_list([])):
        assert so.split_to_sequence(empty) == so.split_to_sequence(empty, keepdims=False) == []


def test_keepdims_is_ignored_if_sizes_are_given():
    s = so.StringTensor.from_list([["a"], ["b"]])
    for input in (numbered(2, 1), s):
        for split in ([1, 1], 1, torch.tensor(1), torch.tensor([1, 1])):
            pieces = so.split_to_sequence(input, split, keepdims=False)
            assert [list(piece.shape) for piece in pieces] == [[1, 1]] * 2
    assert [list(p.shape) for p in torch.ops.stringops.split_to_sequence(numbered(2), [1, 1], 0, False)] == [[1]] * 2


@pytest.mark.parametrize("split", [None, 1, torch.tensor(1)], ids=["slices", "int", "tensor"])
@pytest.mark.parametrize("keepdims", [True, False])
def test_there_are_at_most_2_24_pieces(split, keepdims: bool):
    with pytest.raises(BAD_ARGUMENT, match=rf"^split_to_sequence: expected at most {2**24} chunks, got {2**40}$"):
        so.split_to_sequence(torch.empty(2**40, 0), split, keepdims=keepdims)
    for sizes in ([0] * (2**24 + 1), torch.zeros(1, dtype=torch.int32).expand(2**24 + 1)):
        with pytest.raises(BAD_ARGUMENT, match=rf"expected at most {2**24} chunks, got {2**24 + 1}$"):
            so.split_to_sequence(torch.empty(0), sizes)


@each("dtype", [*DTYPES, torch.bfloat16])
def test_dtypes(dtype: torch.dtype):
    x = numbered(3, dtype=dtype)
    for split in (so.split_to_sequence, torch.ops.stringops.split_to_sequence):
        pieces = split(x, [1, 2])
        assert [p.dtype for p in pieces] == [dtype] * 2
        assert values(pieces) == [x.tolist()[:1], x.tolist()[1:]]


def test_other_dtypes_are_rejected():
    with pytest.raises(BAD_ARGUMENT, match="of a dtype that ONNX lists, got float8_e4m3fn"):
        so.split_to_sequence(numbered(3).to(torch.float8_e4m3fn))


@pytest.mark.parametrize("axis", [2, -3])
def test_axis_out_of_range(axis: int):
    x, s = numbered(2, 3), so.StringTensor.from_list([["a"], ["b"]])
    for bad in (
        lambda: so.split_to_sequence(x, axis=axis),
        lambda: so.split_to_sequence(s, axis=axis, keepdims=False),
        lambda: torch.ops.stringops.split_to_sequence(x, None, axis),
        lambda: torch.ops.stringops.split_strings_to_sequence(s.data, s.offsets, None, axis),
    ):
        with pytest.raises(IndexError, match=rf"expected `axis` in \[-2, 1\], got {axis}"):
            bad()
    for scalar in (torch.tensor(1.0), so.StringTensor.from_list("a")):
        with pytest.raises(BAD_ARGUMENT, match="expected `input` of rank >= 1, got a scalar"):
            so.split_to_sequence(scalar)


def test_pieces_are_differentiable_views():
    x = numbered(3, 4, dtype=torch.float64).requires_grad_()
    for keepdims in (True, False):
        pieces = so.split_to_sequence(x, axis=1, keepdims=keepdims)
        assert [p.data_ptr() - x.data_ptr() for p in pieces] == [0, 8, 16, 24]
    torch.ops.stringops.split_to_sequence(x, None, 0, False)[1].sum().backward()
    assert x.grad.tolist() == [[0] * 4, [1] * 4, [0] * 4]


@pytest.mark.parametrize(("axis", "keepdims"), [(0, True), (1, True), (0, False)])
def test_pieces_of_strings_share_data(axis: int, keepdims: bool):
    s = so.StringTensor.from_list([["a", "bb"], ["", "c"]])
    for piece in so.split_to_sequence(s, axis=axis, keepdims=keepdims):
        assert piece.data.data_ptr() == s.data.data_ptr()
    for piece in so.split_to_sequence(so.StringTensor.from_list(["a", "b"]), keepdims=False):
        assert piece.shape == ()
