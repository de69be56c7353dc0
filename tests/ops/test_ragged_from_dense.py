"""dense_to_ragged."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.ragged import dense_to_ragged_ref
from support import large
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import (
    DTYPES,
    check_metadata_errors_read_the_same_when_traced,
    features,
    numbered,
    sides,
    splits,
    strided,
)

from torch_stringops import StringTensor, dense_to_ragged, ragged_to_dense

DENSE = torch.tensor([[7, 8, 9], [0, 0, 0], [5, 0, 0]])
LENGTHS = torch.tensor([3, 0, 1])


@st.composite
def calls(draw: st.DrawFn) -> Call:
    width = draw(st.one_of(st.integers(0, 6), st.integers(0, 60)))
    lengths = torch.tensor(draw(st.lists(st.integers(0, width), max_size=12)), dtype=torch.int64)
    dense = numbered([len(lengths), width, *draw(features)], draw(st.sampled_from(DTYPES)))
    if draw(st.booleans()):
        dense, lengths = strided(dense), strided(lengths)
    return call(dense, lengths, draw(sides))


METADATA = [
    (call(DENSE[0], LENGTHS), "expected `dense` of shape [rows, columns, ...], got shape [3]"),
    (call(DENSE, LENGTHS.int()), "expected `lengths` to be int64, got int32 (convert with .to(torch.int64))"),
    (call(DENSE, LENGTHS[None]), "expected `lengths` of shape [3] (rows of `dense`), got shape [1, 3]"),
    (call(DENSE, LENGTHS[1:]), "expected `lengths` of shape [3] (rows of `dense`), got shape [2]"),
    (call(DENSE, LENGTHS, ""), "expected `side` to be 'left' or 'right', got ''"),
]


def too_large() -> Iterator[tuple[str, Call]]:
    text = r"expected `lengths` of at most 2147483647 elements, got 2147483648 \(split the batch\)"
    yield text, call(large.repeated(0, (2**31, 1)), large.repeated(0, (2**31,)))
    text = r"expected `lengths` of at most 2\*\*63 - 1 elements in all, got more at row 1"
    yield text, call(torch.empty(3, 2**62, 0), large.repeated(2**62, (3,)))
    text = r"expected `lengths` within \[0, 2147483648\] \(columns of `dense`\), got 2147483649 at row 0"
    yield text, call(large.repeated(0, (1, 2**31)), torch.tensor([2**31 + 1]))


class TestDenseToRagged(OpTests):
    suite = OpSuite(
        op="dense_to_ragged",
        reference=dense_to_ragged_ref,
        samples=[
            call(DENSE, LENGTHS),
            call(DENSE, LENGTHS, "left"),
            call(DENSE[:0], LENGTHS[:0]),
            call(DENSE[:, :0], torch.tensor([0, 0, 0])),
            call(torch.rand(3, 4, 2), torch.tensor([4, 0, 3])),
            call(torch.arange(90_000).reshape(3000, 30), torch.arange(3000) % 31),
        ],
        strategy=calls(),
        small=call(torch.tensor([[0], [2]]), torch.tensor([1, 1])),
        too_large=too_large,
        errors=[
            *METADATA,
            (
                call(DENSE, torch.tensor([3, 4, 0])),
                "expected `lengths` within [0, 3] (columns of `dense`), got 4 at row 1",
            ),
            (
                call(DENSE, torch.tensor([3, 0, -1])),
                "expected `lengths` within [0, 3] (columns of `dense`), got -1 at row 2",
            ),
        ],
    )

    def test_metadata_errors_when_traced(self) -> None:
        check_metadata_errors_read_the_same_when_traced(self.suite, [text for _, text in METADATA])


@given(lengths=st.lists(st.integers(0, 6), max_size=8), side=sides, dtype=st.sampled_from([torch.int64, torch.float32]))
def test_padding_value_undoes_ragged_to_dense(lengths: list[int], side: str, dtype: torch.dtype):
    values = numbered([sum(lengths)], dtype)
    dense = ragged_to_dense(values, splits(lengths), 7, -1, side)
    back, row_splits = dense_to_ragged(dense, padding_value=-1, side=side)
    assert torch.equal(back, values)
    assert torch.equal(row_splits, splits(lengths))


def test_padding_value_inside_a_row_is_an_element():
    values, row_splits = dense_to_ragged(torch.tensor([[0, 1, 0, 2, 0], [0, 0, 0, 0, 0]]), padding_value=0)
    assert values.tolist() == [0, 1, 0, 2]
    assert row_splits.tolist() == [0, 4, 4]


def test_padding_by_nan_and_of_whole_feature_vectors():
    nan = float("nan")
    assert dense_to_ragged(torch.tensor([[1.0, nan], [nan, nan]]), padding_value=nan)[1].tolist() == [0, 1, 1]
    dense = torch.tensor([[[1, 0], [0, 0]], [[0, 0], [0, 2]]])
    values, row_splits = dense_to_ragged(dense, padding_value=0)
    assert values.tolist() == [[1, 0], [0, 0], [0, 2]]
    assert row_splits.tolist() == [0, 1, 3]


def test_without_lengths_rows_are_whole():
    values, row_splits = dense_to_ragged(DENSE)
    assert torch.equal(values, DENSE.flatten())
    assert row_splits.tolist() == [0, 3, 6, 9]
    assert dense_to_ragged(DENSE[:, :0], padding_value=0)[1].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("side", ["left", "right"])
def test_strings(side: str):
    strings = StringTensor.from_list(["a", "bb", "", "d"])
    dense = ragged_to_dense(strings, splits([1, 0, 3]), side=side)
    values, row_splits = dense_to_ragged(dense, torch.tensor([1, 0, 3]), side=side)
    assert values.tolist() == ["a", "bb", "", "d"]
    assert row_splits.tolist() == [0, 1, 1, 4]
    assert dense_to_ragged(dense)[0].tolist() == [s for row in dense.tolist() for s in row]


def test_wrong_calls():
    with pytest.raises(BAD_ARGUMENT, match="expected `lengths` or `padding_value`, got both"):
        dense_to_ragged(DENSE, LENGTHS, 0)
    with pytest.raises(BAD_ARGUMENT, match="expected `lengths` for strings, got `padding_value`"):
        dense_to_ragged(StringTensor.from_list([["a"]]), padding_value=0)
    with pytest.raises(TypeError, match="expected `dense` to be a Tensor or a StringTensor, got set"):
        dense_to_ragged({1})
