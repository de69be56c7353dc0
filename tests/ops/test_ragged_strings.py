"""ragged_to_dense of strings, which are padded with a string."""

import pytest
import torch
from hypothesis import given
from support.ragged import (
    lengths_lists,
    sides,
    splits,
    widths,
)
from support.strings import compact

import torch_stringops
from torch_stringops import StringTensor, ragged_to_dense

WORDS = ["a", "", "ccc", "dd", "é"]

IDS = torch.tensor([7, 8, 9, 5, 6])
SPLITS = torch.tensor([0, 3, 3, 5])


@pytest.mark.parametrize("padding", ["", "<pad>"])
@given(lengths=lengths_lists, width=widths, side=sides)
def test_strings_match_their_indices(padding: str, lengths: list[int], width: int | None, side: str):
    total = sum(lengths)
    words = [WORDS[i % 5] + str(i) for i in range(total)]
    indices = ragged_to_dense(torch.arange(total), splits(lengths), width, -1, side)
    want = [[padding if i < 0 else words[i] for i in row] for row in indices.tolist()]
    strings = StringTensor(*compact([b"skipped", *(w.encode() for w in words)]))
    strings = StringTensor(strings.data, strings.offsets[1:])
    got = ragged_to_dense(strings, splits(lengths), width, padding, side)
    assert got.tolist() == want
    assert tuple(got.shape) == tuple(indices.shape)
    if not padding:
        assert got.data is strings.data


@pytest.mark.parametrize("padding", ["", "<pad>"])
def test_rows_of_strings_are_elements(padding: str):
    strings = StringTensor.from_list([["a", "b"], ["c", "d"], ["e", "f"]])
    got = ragged_to_dense(strings, splits([2, 0, 1]), padding_value=padding)
    pad = [padding, padding]
    assert got.tolist() == [[["a", "b"], ["c", "d"]], [pad, pad], [["e", "f"], pad]]


@pytest.mark.parametrize("padding", ["", "<pad>"])
@pytest.mark.parametrize(
    ("limits", "width"),
    [
        ({"max_width": 2}, 2),
        ({"max_width": 9}, 3),
        ({"min_width": 5}, 5),
        ({"pad_to_multiple_of": 4}, 4),
        ({"max_width": 2, "pad_to_multiple_of": 8}, 8),
        ({"max_width": 5, "min_width": 5, "pad_to_multiple_of": 5}, 5),
    ],
)
def test_limits_of_the_width(limits: dict[str, int], width: int, padding: str):
    for side in ("right", "left"):
        want = ragged_to_dense(IDS, SPLITS, width, side=side)
        assert torch.equal(ragged_to_dense(IDS, SPLITS, side=side, **limits), want)
        assert torch.equal(torch_stringops.ragged_mask(SPLITS, want.shape[1], side), want != 0)
        strings = StringTensor.from_list(["a", "b", "c", "d", "e"])
        got = ragged_to_dense(strings, SPLITS, None, padding, side, **limits)
        assert got.tolist() == ragged_to_dense(strings, SPLITS, width, padding, side).tolist()


def test_tracing_knows_the_limits_of_the_width():
    class Model(torch.nn.Module):
        def forward(self, ids: torch.Tensor, row_splits: torch.Tensor) -> torch.Tensor:
            dense = ragged_to_dense(ids, row_splits, max_width=10, min_width=3, pad_to_multiple_of=4)
            torch._check(dense.shape[1] >= 4)  # neither is checked at run time, as both are known
            torch._check(dense.shape[1] <= 12)
            return dense

    program = torch.export.export(Model(), (IDS, SPLITS))
    (limits,) = program.range_constraints.values()
    assert (limits.lower, limits.upper) == (4, 12)
    assert torch.equal(program.module()(IDS, SPLITS), Model()(IDS, SPLITS))


def test_padding_of_strings_is_a_string():
    with pytest.raises(TypeError, match="expected `padding_value` to be a str for strings, got int"):
        ragged_to_dense(StringTensor.from_list(["a"]), splits([1]), 2, 7)
