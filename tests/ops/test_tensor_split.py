"""split: the registered operators."""

import math
from collections.abc import Iterator

import pytest
import torch
from hypothesis import strategies as st
from reference.tensor import split_ref, split_sizes_ref
from support import harness, large, strategies
from support.errors import BAD_ARGUMENT
from support.harness import OpSuite, OpTests, call
from support.pieces import DTYPES, FLOATS, by_tensor, cuts, drawn_cut, numbered, words

import torch_stringops as so

ERRORS = [
    ({"num_outputs": 2, "opset": 0}, "expected `opset` >= 1, got 0"),
    ({}, "expected `split` or `num_outputs`, got neither"),
    ({"opset": 13}, "expected `split` or `num_outputs`, got neither"),
    ({"split": [2, 3], "num_outputs": 2}, "expected either `split` or `num_outputs`, got both"),
    ({"split": [2, 3], "num_outputs": 3, "opset": 13}, "expected `split` of 3 sizes (`num_outputs`), got 2"),
    ({"num_outputs": 0}, "expected `num_outputs` >= 1, got 0"),
    ({"num_outputs": -1, "opset": 11}, "expected `num_outputs` >= 1, got -1"),
    ({"num_outputs": 3, "opset": 13}, "expected `num_outputs` to divide 5 (size of axis 0) before opset 18, got 3"),
    (
        {"num_outputs": 4},
        "expected `num_outputs` chunks, of which only the last may be smaller, to fit into 5 (size of axis 0), got 4",
    ),
    ({"split": [2, 2]}, "expected `split` to sum to 5 (size of axis 0), got 4"),
    ({"split": [2, 4]}, "expected `split` to sum to 5 (size of axis 0), got 6"),
    ({"split": []}, "expected `split` to sum to 5 (size of axis 0), got 0"),
    ({"split": [6, -1]}, "expected `split` >= 0, got -1 at position 1"),
]
STRINGS = [b"a", b"bb", b"", b"c", b"dd"]


def bad_calls(input: object) -> list[tuple[harness.Call, str]]:
    calls = []
    for options, text in ERRORS:
        rest = dict(options)
        args = (input, rest.pop("split")) if "split" in rest else (input,)
        calls.append((harness.Call(args, rest), f"split: {text}"))
    return calls


@st.composite
def tensor_calls(draw: st.DrawFn) -> harness.Call:
    shape, axis, sizes = draw(cuts())
    input = numbered(*shape, dtype=draw(st.sampled_from([*DTYPES, torch.bfloat16])))
    if draw(st.booleans()):
        input = input.transpose(0, -1).contiguous().transpose(0, -1)
    return call(input, sizes, axis)


@st.composite
def string_calls(draw: st.DrawFn) -> harness.Call:
    shape, axis, sizes = draw(cuts())
    return call(words(shape, draw(strategies.rank1)), sizes, axis)


def too_large() -> Iterator[tuple[str, harness.Call]]:
    rows = torch.empty(2**31, 0)
    yield large.PIECES, call(rows, num_outputs=2**31)
    text = r"expected `split` to sum to 2147483648 \(size of axis 0\), got 2\*\*63 or more"
    yield text, call(rows, [2**63 - 1, 2**63 - 1, 2**31 + 2])


def too_large_strings() -> Iterator[tuple[str, harness.Call]]:
    for count in (2048, 1):
        yield large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048), num_outputs=count)


def too_many_sizes() -> Iterator[tuple[str, harness.Call]]:
    yield large.PIECES, call(large.repeated(0, (2**31,)), 0, 0, "split")


class TestSplit(OpTests):
    suite = OpSuite(
        op="split",
        reference=split_ref,
        samples=[
            call(numbered(7), [2, 0, 5]),
            call(numbered(2, 6).requires_grad_(), [2, 4], -1),
            call(numbered(7, dtype=torch.bfloat16), None, num_outputs=4),
            call(numbered(6, dtype=torch.float16), None, num_outputs=3, opset=1),
            call(numbered(3, 4, 2, dtype=torch.complex64), None, 1, num_outputs=2, opset=11),
            call(numbered(5, dtype=torch.uint64), [5]),
            call(numbered(0, dtype=torch.bool), [0, 0]),
            call(numbered(2, 0), [1, 1], 0),
            # More than a task.
            call(numbered(40, 300), [7] * 5 + [5]),
            call(numbered(300, 40), [7] * 5 + [5], 1),
        ],
        strategy=tensor_calls(),
        small=call(torch.tensor([0, 2]), num_outputs=2),
        too_large=too_large,
        errors=[
            *bad_calls(numbered(5)),
            (call(torch.tensor(1.0), [1]), "expected `input` of rank >= 1, got a scalar"),
            (
                call(numbered(5, dtype=torch.bfloat16), [5], opset=11),
                "expected `input` of a dtype that ONNX lists, got bfloat16",
            ),
            (
                call(numbered(5, dtype=torch.int64), [5], opset=1),
                "expected `input` to be float16, float32 or float64 in opset 1, got int64",
            ),
        ],
    )


class TestSplitStrings(OpTests):
    suite = OpSuite(
        op="split_strings",
        name_in_errors="split",
        reference=split_ref,
        samples=[
            call(STRINGS, [2, 0, 3]),
            call([[b"a", b"bb", b""], [b"c", b"", b"dd"]], [1, 2], 1),
            call([[b"a", b"bb", b""], [b"c", b"", b"dd"]], [0, 2], 0),
            call([[[b"a", b"b"], [b"", b"c"]]] * 3, None, 1, num_outputs=2),
            call([], None, num_outputs=2),
            call([[], []], [1, 1]),
            call([b"k=v", b"", b"x" * 70] * 1000, [1500, 0, 1500]),
        ],
        strategy=string_calls(),
        draw=drawn_cut,
        small=call([b"ab c", b"d"], num_outputs=2),
        too_large=too_large_strings,
        errors=[
            *bad_calls(STRINGS),
            (call(STRINGS, [5], opset=1), "expected `input` to be float16, float32 or float64 in opset 1, got strings"),
        ],
    )


TENSOR_ERRORS = [
    (torch.tensor([2, 3], dtype=torch.int32), {}, "to be int64, got int32"),
    (torch.tensor([[2, 3]]), {}, "of rank 1, got shape [1, 2]"),
    (torch.tensor(5), {"opset": 13}, "of rank 1, got shape []"),
    (torch.tensor([2, 3]), {"opset": 11}, "to be a list in opset 11, got a Tensor"),
]


class TestSplitTensor(OpTests):
    suite = by_tensor(
        TestSplit.suite,
        [
            *((call(numbered(5), *t, **k), f"split: expected `split` {text}") for *t, k, text in TENSOR_ERRORS),
            (
                call(numbered(5), torch.tensor([5]), opset=1),
                "split: expected `split` to be float32 like `input` in opset 1, got int64 (pass the sizes as a list)",
            ),
        ],
    )


class TestSplitStringsTensor(OpTests):
    suite = by_tensor(
        TestSplitStrings.suite,
        [(call(STRINGS, *t, **k), f"split: expected `split` {text}") for *t, k, text in TENSOR_ERRORS],
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_sizes_of_the_first_version_are_floats_like_the_input(dtype: torch.dtype):
    x = numbered(5, dtype=dtype)
    for split in (so.split, torch.ops.stringops.split):
        pieces = split(x, torch.tensor([2, 3], dtype=dtype), opset=1)
        assert [piece.tolist() for piece in pieces] == [[0, 1], [2, 3, 4]]
        for wrong in (torch.int64, *(d for d in FLOATS if d != dtype)):
            with pytest.raises(BAD_ARGUMENT, match="like `input` in opset 1"):
                split(x, torch.tensor([2, 3], dtype=wrong), opset=1)
        for bad in (2.5, math.inf, math.nan):
            text = f"split: expected `split` to hold whole numbers, got {bad} at position 1"
            with pytest.raises(BAD_ARGUMENT, match=f"^{text}$"):
                split(x, torch.tensor([2, bad], dtype=dtype), opset=1)


class TestSizes(OpTests):
    suite = OpSuite(
        op="_split_sizes",
        reference=split_sizes_ref,
        samples=[
            call(torch.tensor([2, 0, 3]), 5, 0, "split"),
            call(torch.tensor([], dtype=torch.int64), 0, 1, "split"),
        ],
        name_in_errors="split",
        small=call(torch.tensor([2, 0, 3]), 5, 0, "split"),
        too_large=too_many_sizes,
        parallel=False,
        errors=[
            (call(torch.tensor([2, 2]), 5, 1, "split"), "expected `split` to sum to 5 (size of axis 1), got 4"),
            (call(torch.tensor([-1, 6]), 5, 1, "f"), "f: expected `split` >= 0, got -1 at position 0"),
            (
                call(torch.tensor([2**63 - 1, 2**63 - 1]), 5, 0, "f"),
                "f: expected `split` to sum to 5 (size of axis 0), got 2**63 or more",
            ),
            (call(torch.tensor([2.0]), 2, 0, "f"), "f: expected `split` to be int64, got float32"),
            (call(torch.tensor(2), 2, 0, "f"), "f: expected `split` of rank 1, got shape []"),
        ],
    )
