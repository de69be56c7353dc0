"""The checks of tests/stress/test_limits.py in this process, so that mutation testing sees their lines."""

import pytest
from stress import limits


@pytest.mark.parametrize(
    "cases", [limits.refused_inputs, limits.refused_results, limits.refused_on_meta, limits.refused_methods]
)
def test_too_large_arguments_and_results_are_refused(cases):
    assert not limits.check_refused(cases())
