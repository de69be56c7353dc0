"""Operators against their oracles: the short form of `make stress CHECK=differential`."""

import pytest
import torch
from stress.differential import BATCH, batch_differs, operators
from support.cases import each
from support.registry import suite_of
from support.threads import divide_small_work

import torch_stringops


@pytest.fixture(autouse=True)
def settings():
    threads, tier = torch.get_num_threads(), torch_stringops.simd_tier()
    yield
    torch.set_num_threads(threads)
    divide_small_work(False)
    torch_stringops.set_simd_tier(tier)


# Their oracles compare every two characters of a pair of strings.
QUADRATIC = {"string_damerau", "string_edit_distance", "string_jaro_winkler", "string_ratio"}


@each("name", operators())
def test_two_batches(name: str):
    for seed in ("a", "b"):
        assert batch_differs(suite_of(name), name, seed, 50 if name in QUADRATIC else BATCH) is None


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch):
    suite = suite_of("string_split_ragged")
    right = suite.reference

    def wrong(*args, **kwargs):
        pieces, row_splits = right(*args, **kwargs)
        return [p.replace(b"ab", b"ba") for p in pieces], row_splits

    monkeypatch.setattr(suite, "reference", wrong)
    found = [batch_differs(suite, "string_split_ragged", str(seed)) for seed in range(20)]
    assert any(f and "string_split_ragged differs" in f for f in found)
