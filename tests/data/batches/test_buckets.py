"""BucketBatchSampler: every row once, in batches of about equal length."""

import pytest
import torch
from torch.utils.data import DataLoader

from torch_stringops import as_strings
from torch_stringops.data import BucketBatchSampler, ColumnDataset, StringColumn

LENGTHS = torch.randint(0, 100, (1000,), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("max_padded", [None, 300])
@pytest.mark.parametrize("shuffle", [True, False])
def test_every_row_once(size, max_padded, shuffle):
    options = {"batch_size": 16, "max_padded": max_padded, "shuffle": shuffle, "pool_batches": 10}
    samplers = [BucketBatchSampler(LENGTHS, rank=r, world_size=size, **options) for r in range(size)]
    found = [list(sampler) for sampler in samplers]
    assert [len(sampler) for sampler in samplers] == [len(batches) for batches in found]
    batches = [batch for rank in found for batch in rank]
    assert sorted(row for batch in batches for row in batch) == list(range(1000))
    for batch in batches:
        width = int(LENGTHS[batch].max())
        assert len(batch) <= 16
        assert max_padded is None or len(batch) * width <= max_padded
    padded = sum(len(batch) * int(LENGTHS[batch].max()) for batch in batches)
    assert padded < 1.25 * int(LENGTHS.sum())
    for sampler in samplers:
        sampler.set_epoch(1)
    assert ([list(sampler) for sampler in samplers] == found) == (not shuffle)


def test_a_row_that_is_too_long_is_a_batch_of_its_own():
    sampler = BucketBatchSampler([1, 50, 60, 2, 0], batch_size=3, max_padded=10, shuffle=False)
    assert list(sampler) == [[4, 0, 3], [1], [2]]


def test_no_rows():
    for given in ([], (), torch.tensor([], dtype=torch.int32), StringColumn(), as_strings([])):
        for shuffle in (False, True):
            sampler = BucketBatchSampler(given, batch_size=2, max_padded=9, shuffle=shuffle)
            assert (list(sampler), len(sampler)) == ([], 0), given


def test_lengths_of_strings_in_bytes():
    strings = as_strings(["aaa", "é", "", "bb"])
    for given in (strings, StringColumn([strings[:1], strings[1:]])):
        sampler = BucketBatchSampler(given, batch_size=2, shuffle=False)
        assert list(sampler) == [[2, 1], [3, 0]]
        loader = DataLoader(ColumnDataset(given), batch_sampler=sampler)
        assert [text.tolist() for (text,) in loader] == [["", "é"], ["bb", "aaa"]]


def test_ranks_have_as_many_batches_if_the_last_are_dropped():
    samplers = [BucketBatchSampler(LENGTHS[:50], batch_size=4, drop_last=True, rank=r, world_size=4) for r in range(4)]
    assert [len(sampler) for sampler in samplers] == [3] * 4


@pytest.mark.parametrize(("lengths", "options", "text"), [
    ([[1]], {}, "expected `lengths` to be integers or strings of rank 1"),
    ([0.5], {}, "expected `lengths` to be integers"),
    (as_strings("a"), {}, "expected `lengths` to be integers or strings of rank 1"),
    ([-1], {}, "expected `lengths` >= 0, got -1"), ([1], {"max_padded": 0}, "expected `max_padded` >= 1"),
    ([1], {"rank": 1}, "expected `rank` within"),
])  # fmt: skip
def test_bad_arguments(lengths, options, text):
    with pytest.raises(ValueError, match=text):
        BucketBatchSampler(lengths, batch_size=1, **options)
