"""ragged_mask, ragged_lengths, and _ragged_lengths, which checks row splits."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import strategies as st
from reference.ragged import ragged_lengths_ref, ragged_mask_ref
from support import large
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import check_metadata_errors_read_the_same_when_traced, lengths_lists, sides, splits, widths

from torch_stringops import ragged_lengths, ragged_mask, ragged_to_dense

SPLITS = torch.tensor([0, 3, 3, 5])

METADATA = [
    (call(SPLITS.int()), "expected `row_splits` to be int64, got int32 (convert with .to(torch.int64))"),
    (call(SPLITS[:0]), "expected `row_splits` of shape [n + 1] with n >= 0, got shape [0]"),
    (call(SPLITS, -2), "expected `width` >= 0 or None, got -2"),
    (call(SPLITS, 1, "both"), "expected `side` to be 'left' or 'right', got 'both'"),
]


def too_large() -> Iterator[tuple[str, Call]]:
    yield large.PADDING + "elements needs " + large.WIDTH, call(large.long_ragged_row())
    yield large.WIDTH, call(torch.tensor([0, 2**31]))
    yield large.WIDTH, call(torch.tensor([0, 1, 2]), 2**30)
    yield large.ROW_SPLITS, call(large.repeated(0, (2**31,)))


def too_large_when_traced() -> Iterator[tuple[str, Call]]:
    text = r"padding 1000 rows to 1000000000 elements needs more than 2147483647 \(keep the rows ragged"
    yield text, call(torch.zeros(1001, dtype=torch.int64), 10**9)
    yield large.ROW_SPLITS, call(large.repeated(0, (2**31,)), 1)


class TestRaggedMask(OpTests):
    suite = OpSuite(
        op="ragged_mask",
        reference=ragged_mask_ref,
        samples=[
            call(SPLITS),
            call(SPLITS, 2, "left"),
            call(SPLITS, 0),
            call(SPLITS[:1]),
            call(splits([n % 37 for n in range(3000)])),
        ],
        strategy=st.builds(call, lengths_lists.map(splits), widths, sides),
        small=call(torch.tensor([0, 1, 2]), 2),
        too_large=too_large,
        too_large_when_traced=too_large_when_traced,
        errors=[
            *METADATA,
            (call(torch.tensor([0, 3, 2])), "expected `row_splits` non-decreasing from 0, got 2 after 3 at position 2"),
            (call(torch.tensor([1, 3])), "expected `row_splits` non-decreasing from 0, got 1 at position 0"),
            (call(torch.tensor([0, -1])), "expected `row_splits` non-decreasing from 0, got -1 after 0 at position 1"),
            (
                call(SPLITS, 2**62),
                f"padding 3 rows to {2**62} elements needs more than 2147483647 "
                "(keep the rows ragged, or pass a smaller `width`)",
            ),
        ],
    )

    def test_metadata_errors_when_traced(self) -> None:
        check_metadata_errors_read_the_same_when_traced(self.suite, [text for _, text in METADATA])


def test_mask_is_true_at_elements():
    for side in ("left", "right"):
        for width in (None, 2, 5):
            dense = ragged_to_dense(torch.ones(5, dtype=torch.bool), SPLITS, width, side=side)
            assert torch.equal(ragged_mask(SPLITS, width, side), dense)


def test_lengths():
    assert ragged_lengths(SPLITS).tolist() == [3, 0, 2]
    assert ragged_lengths(SPLITS[:1]).tolist() == []
    with pytest.raises(BAD_ARGUMENT, match="ragged_lengths: expected `row_splits` to be int64, got int32"):
        ragged_lengths(SPLITS.int())
    with pytest.raises(BAD_ARGUMENT, match=r"ragged_lengths: expected `row_splits` of shape \[n \+ 1\]"):
        ragged_lengths(SPLITS[:0])


def too_many() -> Iterator[tuple[str, Call]]:
    yield large.ROW_SPLITS, call(large.repeated(0, (2**31,)), 0, "f")


class TestRaggedLengths(OpTests):
    suite = OpSuite(
        op="_ragged_lengths",
        reference=ragged_lengths_ref,
        samples=[
            call(SPLITS, 5, "f"),
            call(SPLITS[:1], 0, "f"),
            call(splits([n % 37 for n in range(3000)]), sum(n % 37 for n in range(3000)), "f"),
        ],
        strategy=lengths_lists.map(lambda n: call(splits(n), sum(n), "f")),
        small=call(torch.tensor([0, 1, 2]), 2, "f"),
        too_large=too_many,
        parallel=False,
        name_in_errors="f",
        errors=[
            (
                call(SPLITS.int(), 5, "f"),
                "expected `row_splits` to be int64, got int32 (convert with .to(torch.int64))",
            ),
            (call(SPLITS[:0], 5, "f"), "expected `row_splits` of shape [n + 1] with n >= 0, got shape [0]"),
            (
                call(SPLITS, 4, "f"),
                "expected `row_splits` non-decreasing from 0 to 4 (rows of `values`), got 5 after 3 at position 3",
            ),
            (call(SPLITS, -1, "f"), "expected `num_values` >= 0, got -1"),
        ],
    )
