"""The short form of `make stress CHECK=packs`: ranks that are killed and go on have each block once."""

import pytest
from stress import packs


@pytest.mark.parametrize("number", [11, 12])
def test_ranks_that_are_killed(number):
    # These rounds sleep for longer than the time after which ranks are killed first.
    assert sum(packs.check_round(f"short.{number}").values()) > 0
