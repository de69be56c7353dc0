"""ragged_count, and _ragged_segments, of which functions on ragged rows take the positions of their elements."""

from collections.abc import Iterator

import torch
from hypothesis import strategies as st
from reference.ragged_rows import ragged_count_ref, ragged_segments_ref
from support import large
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import lengths_lists, splits

SPLITS = torch.tensor([0, 3, 3, 5])
IDS = torch.tensor([2, -1, 2, 0, 7])


@st.composite
def counts(draw: st.DrawFn) -> Call:
    lengths = draw(lengths_lists)
    ids = draw(st.lists(st.integers(-2, 5), min_size=sum(lengths), max_size=sum(lengths)))
    dtype = draw(st.sampled_from([torch.int64, torch.int32]))
    return call(torch.tensor(ids, dtype=dtype), splits(lengths), draw(st.integers(0, 5)), binary=draw(st.booleans()))


def too_many_counts() -> Iterator[tuple[str, Call]]:
    yield large.ROW_SPLITS, call(IDS[:0], large.repeated(0, (2**31,)), 0)
    for num_ids in (2**30, 2**62):
        text = rf"the result has 3 rows of {num_ids} counts; expected at most 2147483647 counts \(pass fewer rows"
        yield text, call(IDS, SPLITS, num_ids)


class TestRaggedCount(OpTests):
    suite = OpSuite(
        op="ragged_count",
        reference=ragged_count_ref,
        samples=[
            call(IDS, SPLITS, 3),
            call(IDS, SPLITS, 3, binary=True),
            call(IDS.int(), SPLITS, 8),
            call(IDS, SPLITS, 0),
            call(IDS[:0], SPLITS[:1], 4),
            call(torch.arange(6000) % 41, splits([n % 5 for n in range(3000)]), 40),
        ],
        strategy=counts(),
        small=call(torch.tensor([0, 1]), torch.tensor([0, 1, 2]), 2),
        too_large=too_many_counts,
        too_large_when_traced=too_many_counts,
        errors=[
            (
                call(IDS.float(), SPLITS, 3),
                "expected `ids` to be int64 or int32 of shape [T], got float32 of shape [5]",
            ),
            (
                call(IDS.reshape(1, 5), SPLITS, 3),
                "expected `ids` to be int64 or int32 of shape [T], got int64 of shape [1, 5]",
            ),
            (
                call(IDS, SPLITS.int(), 3),
                "expected `row_splits` to be int64, got int32 (convert with .to(torch.int64))",
            ),
            (call(IDS, SPLITS, -1), "expected `num_ids` >= 0, got -1"),
            (
                call(IDS, torch.tensor([0, 6, 5]), 3),
                "expected `row_splits` non-decreasing from 0 to 5 (`ids`), got 5 after 6 at position 2",
            ),
        ],
    )


@st.composite
def segments(draw: st.DrawFn) -> Call:
    lengths = draw(lengths_lists)
    starts = draw(st.lists(st.integers(-3, 2**62), min_size=len(lengths), max_size=len(lengths)))
    return call(torch.tensor(starts, dtype=torch.int64), torch.tensor(lengths, dtype=torch.int64))


def too_many_positions() -> Iterator[tuple[str, Call]]:
    text = r"expected `lengths` >= 0 of at most 2147483647 in all, got 4611686018427387904"
    yield text, call(torch.tensor([0]), torch.tensor([2**62]))
    yield text, call(torch.tensor([0, 0]), torch.tensor([2**62, 2**62]))
    yield (
        "expected `starts` of at most 2147483647 elements",
        call(large.repeated(0, (2**31,)), large.repeated(0, (2**31,))),
    )


class TestRaggedSegments(OpTests):
    suite = OpSuite(
        op="_ragged_segments",
        reference=ragged_segments_ref,
        samples=[
            call(torch.tensor([5, 0, 2]), torch.tensor([2, 0, 3])),
            call(SPLITS[:0], SPLITS[:0]),
            call(torch.arange(9000) * 7, torch.arange(9000) % 23),
        ],
        strategy=segments(),
        small=call(torch.tensor([0, 1]), torch.tensor([1, 1])),
        too_large=too_many_positions,
        errors=[
            (call(SPLITS.int(), SPLITS), "expected `starts` to be int64, got int32 (convert with .to(torch.int64))"),
            (call(SPLITS, SPLITS[:2]), "expected `lengths` of shape [4], got shape [2]"),
            (call(SPLITS, SPLITS.reshape(2, 2)), "expected `lengths` of rank 1, got shape [2, 2]"),
            (
                call(torch.tensor([0]), torch.tensor([-1])),
                "expected `lengths` >= 0 of at most 2147483647 in all, got -1",
            ),
        ],
    )
