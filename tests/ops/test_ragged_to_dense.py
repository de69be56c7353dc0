"""ragged_to_dense and its gradient."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import strategies as st
from reference.ragged import ragged_to_dense_backward_ref, ragged_to_dense_ref
from support import large
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import (
    DTYPES,
    check_metadata_errors_read_the_same_when_traced,
    features,
    lengths_lists,
    numbered,
    sides,
    splits,
    strided,
    widths,
)
from torch.nn.utils.rnn import pad_sequence

from torch_stringops import StringTensor, ragged_to_dense

IDS = torch.tensor([7, 8, 9, 5, 6])
SPLITS = torch.tensor([0, 3, 3, 5])
LARGE = splits([n % 37 for n in range(3000)])


@st.composite
def width_limits(draw: st.DrawFn) -> dict[str, int | None]:
    min_width = draw(st.integers(0, 20))
    max_width = draw(st.one_of(st.none(), st.integers(min_width, 50)))
    return {"max_width": max_width, "min_width": min_width, "pad_to_multiple_of": draw(st.integers(1, 9))}


@st.composite
def calls(draw: st.DrawFn) -> Call:
    row_splits = splits(draw(lengths_lists))
    dtype = draw(st.sampled_from(DTYPES))
    values = numbered([int(row_splits[-1]), *draw(features)], dtype)
    if draw(st.booleans()):
        values, row_splits = strided(values), strided(row_splits)
    padding = draw(st.one_of(st.none(), st.sampled_from([0, 1, 100]).map(lambda p: torch.tensor(p, dtype=dtype))))
    width = draw(widths)
    limits = draw(width_limits()) if width is None else {}
    return call(values, row_splits, width, padding, draw(sides), **limits)


@st.composite
def backward_calls(draw: st.DrawFn) -> Call:
    lengths = draw(lengths_lists)
    shape = [len(lengths), draw(st.integers(0, 30)), *draw(features)]
    grad = numbered(shape, draw(st.sampled_from([torch.float32, torch.float64])))
    if draw(st.booleans()):
        grad = strided(grad)
    return call(grad, splits(lengths), sum(lengths), draw(sides))


def bad_split(text: str) -> str:
    return f"ragged_to_dense: expected `row_splits` non-decreasing from 0 to 5 (rows of `values`), got {text}"


METADATA = [
    (call(torch.tensor(1), SPLITS), "expected `values` of rank >= 1, got a scalar"),
    (call(IDS, SPLITS.int()), "expected `row_splits` to be int64, got int32 (convert with .to(torch.int64))"),
    (call(IDS, SPLITS[:0]), "expected `row_splits` of shape [n + 1] with n >= 0, got shape [0]"),
    (call(IDS, SPLITS[None]), "expected `row_splits` of shape [n + 1] with n >= 0, got shape [1, 4]"),
    (call(IDS, SPLITS, -1), "expected `width` >= 0 or None, got -1"),
    *(
        (
            call(IDS, SPLITS, 2, **limit),
            "expected either `width` or its limits (`max_width`, `min_width`, `pad_to_multiple_of`), got both",
        )
        for limit in ({"max_width": 2}, {"min_width": 1}, {"pad_to_multiple_of": 2})
    ),
    (call(IDS, SPLITS, max_width=-1), "expected `max_width` >= 0 or None, got -1"),
    (call(IDS, SPLITS, min_width=-1), "expected `min_width` >= 0, got -1"),
    (call(IDS, SPLITS, max_width=2, min_width=3), "expected `min_width` <= `max_width` (2), got 3"),
    (call(IDS, SPLITS, pad_to_multiple_of=0), "expected `pad_to_multiple_of` >= 1, got 0"),
    (call(IDS, SPLITS, 2, None, "up"), "expected `side` to be 'left' or 'right', got 'up'"),
    (
        call(IDS, SPLITS, 2, torch.tensor(0.5)),
        "expected `padding_value` to be int64, got float32 (convert with .to(torch.int64))",
    ),
    (call(IDS, SPLITS, 2, torch.tensor([0])), "expected `padding_value` of rank 0, got shape [1]"),
]


def too_large() -> Iterator[tuple[str, Call]]:
    three = torch.zeros(3, dtype=torch.int64)
    ids = torch.zeros(2 * large.MILLION, dtype=torch.int64)
    yield large.PADDING + "elements needs " + large.WIDTH, call(ids, large.long_ragged_row())
    yield large.WIDTH, call(three, torch.tensor([0, 3]), 2**31)
    yield large.WIDTH, call(three, torch.tensor([0, 1, 3]), 2**30)
    yield large.WIDTH, call(large.repeated(0, (2**31,)), torch.tensor([0, 2**31]))
    yield large.ROW_SPLITS, call(three[:0], large.repeated(0, (2**31,)))


def too_large_when_traced() -> Iterator[tuple[str, Call]]:
    rows = torch.zeros(1001, dtype=torch.int64)
    text = r"padding 1000 rows to 1000000000 elements needs more than 2147483647 \(keep the rows ragged"
    yield text, call(rows, rows, 10**9)
    yield large.ROW_SPLITS, call(rows, large.repeated(0, (2**31,)), 1)


def too_large_backward() -> Iterator[tuple[str, Call]]:
    grad, row_splits = large.repeated(0, (2**31, 1)), large.repeated(0, (2**31 + 1,))
    yield large.ROW_SPLITS, call(grad, row_splits, 0, "right")


class TestRaggedToDense(OpTests):
    suite = OpSuite(
        op="ragged_to_dense",
        reference=ragged_to_dense_ref,
        samples=[
            call(IDS, SPLITS),
            call(IDS, SPLITS, 2, torch.tensor(-1), "left"),
            call(IDS, SPLITS, 0),
            call(IDS[:0], SPLITS[:1]),
            call(IDS[:0], torch.tensor([0, 0, 0]), 3),
            call(torch.rand(5, 2, 3), SPLITS, 4, torch.tensor(0.5)),
            call(torch.rand(5, 0), SPLITS, 4),
            call(torch.rand(5), SPLITS, max_width=2),
            call(torch.rand(5), SPLITS, None, torch.tensor(0.5), "left", min_width=4, pad_to_multiple_of=3),
            call(IDS, SPLITS, max_width=0),
            call(torch.arange(int(LARGE[-1])), LARGE, None, torch.tensor(-100)),
            call(torch.arange(int(LARGE[-1])), LARGE, 16, None, "left"),
        ],
        strategy=calls(),
        small=call(torch.tensor([0, 2]), torch.tensor([0, 1, 2]), 2),
        too_large=too_large,
        too_large_when_traced=too_large_when_traced,
        errors=[
            *METADATA,
            (call(IDS, torch.tensor([1, 3, 5])), bad_split("1 at position 0")),
            (call(IDS, torch.tensor([-1, 3, 5])), bad_split("-1 at position 0")),
            (call(IDS, torch.tensor([0, 3, 2, 5])), bad_split("2 after 3 at position 2")),
            (call(IDS, torch.tensor([0, 3, 4])), bad_split("4 after 3 at position 2")),
            (call(IDS, torch.tensor([0, 3, 6])), bad_split("6 after 3 at position 2")),
            (call(IDS, torch.tensor([0, 2**62, 5])), bad_split(f"5 after {2**62} at position 2")),
            (call(IDS, torch.tensor([0, -(2**63), 5])), bad_split(f"{-(2**63)} after 0 at position 1")),
            (call(IDS, torch.tensor([0])), bad_split("0 at position 0")),
            (
                call(IDS, SPLITS, 2**61),
                f"padding 3 rows to {2**61} elements needs more than 2147483647 "
                "(keep the rows ragged, or pass a smaller `width`)",
            ),
            (
                call(torch.rand(5, 0), SPLITS, 2**62),
                f"padding 3 rows to {2**62} elements needs more than 2147483647 "
                "(keep the rows ragged, or pass a smaller `width`)",
            ),
            (
                call(torch.rand(1, 1), torch.tensor([0, 1]).expand(2), 2**31),
                f"padding 1 rows to {2**31} elements needs more than 2147483647 "
                "(keep the rows ragged, or pass a smaller `width`)",
            ),
            (
                call(IDS, SPLITS, pad_to_multiple_of=2**63 - 1),
                f"padding 3 rows to {2**63 - 1} elements needs more than 2147483647 "
                "(keep the rows ragged, or pass a smaller `width`)",
            ),
            (
                call(IDS, SPLITS, min_width=2**62 + 1, pad_to_multiple_of=2**62),
                f"padding 3 rows to {2**63 - 1} elements needs more than 2147483647 "
                "(keep the rows ragged, or pass a smaller `width`)",
            ),
            (
                # One long row and many short ones.
                call(torch.zeros(10**6).long(), torch.tensor([0] * 10**5 + [10**6])),
                "padding 100000 rows to 1000000 elements needs more than 2147483647 "
                "(keep the rows ragged, or pass a smaller `width`)",
            ),
        ],
    )

    def test_metadata_errors_when_traced(self) -> None:
        check_metadata_errors_read_the_same_when_traced(self.suite, [text for _, text in METADATA])


class TestRaggedToDenseBackward(OpTests):
    suite = OpSuite(
        op="_ragged_to_dense_backward",
        reference=ragged_to_dense_backward_ref,
        samples=[
            call(numbered([3, 2], torch.float64), SPLITS, 5, "right"),
            call(numbered([3, 4, 2], torch.float32).requires_grad_(), SPLITS, 5, "left"),
            call(torch.rand(0, 3), SPLITS[:1], 0, "left"),
            call(torch.rand(3000, 16), LARGE, int(LARGE[-1]), "right"),
        ],
        strategy=backward_calls(),
        small=call(torch.ones(2, 2), torch.tensor([0, 1, 2]), 2, "right"),
        too_large=too_large_backward,
        errors=[
            (call(torch.rand(3), SPLITS, 5, "left"), "expected `grad` of rank >= 2, got shape [3]"),
            (
                call(torch.rand(2, 2), SPLITS, 5, "left"),
                "expected `row_splits` of shape [3] for `grad` of shape [2, 2], got shape [4]",
            ),
            (
                call(torch.rand(3, 2), SPLITS, 4, "left"),
                "expected `row_splits` non-decreasing from 0 to 4 (rows of `values`), got 5 after 3 at position 3",
            ),
            (call(torch.rand(3, 2), SPLITS, -1, "left"), "expected `num_values` >= 0, got -1"),
        ],
    )


def test_sides_equal_those_of_pad_sequence():
    rows = [torch.tensor([1, 2, 3]), torch.tensor([4]), torch.tensor([5, 6])]
    values, row_splits = torch.cat(rows), splits([3, 1, 2])
    for side in ("right", "left"):
        want = pad_sequence(rows, batch_first=True, padding_value=9, padding_side=side)
        assert torch.equal(ragged_to_dense(values, row_splits, padding_value=9, side=side), want)


def test_large_padding_keeps_every_bit():
    assert ragged_to_dense(IDS[:1], splits([1]), 2, 2**53 + 1).tolist() == [[7, 2**53 + 1]]
    assert ragged_to_dense(IDS[:1].float(), splits([1]), 2, float("-inf")).tolist() == [[7, float("-inf")]]


def test_a_result_larger_than_memory_is_an_error():
    with pytest.raises((MemoryError, RuntimeError)):
        torch.ops.stringops._ragged_to_dense_backward(torch.empty(1, 0), splits([2**58]), 2**58, "right")
    # No bytes, but strides that exceed int64.
    text = r"expected a result of at most 2\*\*63 - 1 bytes, got shape \[1, 4, 2147483648, 2147483648\]"
    with pytest.raises(BAD_ARGUMENT, match=f"^ragged_to_dense: {text}"):
        torch.ops.stringops.ragged_to_dense(torch.empty(0, 2**31, 2**31), splits([0]), 4)


def test_string_row_splits_are_checked():
    with pytest.raises(BAD_ARGUMENT, match="expected `row_splits` non-decreasing from 0 to 2"):
        ragged_to_dense(StringTensor.from_list(["a", "b"]), splits([3]))
