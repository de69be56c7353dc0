"""The checks of tests/stress/test_limits.py in this process, so that mutation testing sees their lines."""

import pytest
from stress import limits


@pytest.mark.parametrize(
    "cases", [limits.rejected_inputs, limits.rejected_results, limits.rejected_on_meta, limits.rejected_methods]
)
def test_too_large_arguments_and_results_are_rejected(cases):
    assert not limits.check_rejected(cases())
