"""The short form of `make stress CHECK=data`: random files, resumed and killed; random tables against csv and json."""

import pytest
from stress import data


@pytest.mark.parametrize("first", [0, 10, 20, 30])
def test_every_row_once_and_in_its_place(first):
    for number in range(first, first + 10):
        data.check_round(f"short.{number}", kill=False)


def test_a_trainer_that_is_killed():
    assert data.check_round("short.killed", kill=True).startswith("kills ")
