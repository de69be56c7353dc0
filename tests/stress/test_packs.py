"""The short form of `make stress CHECK=packs`: ranks that are killed and go on have each block once."""

from stress import packs


def test_ranks_that_are_killed():
    assert sum(packs.check_round("short.1").values()) > 0
