"""What tests/stress/test_limits.py checks in a process of its own, checked in this one, for faults to be seen."""

import pytest
from stress import limits


@pytest.mark.parametrize(
    "cases", [limits.refused_inputs, limits.refused_results, limits.refused_on_meta, limits.refused_methods]
)
def test_what_is_too_large_is_refused(cases):
    assert not limits.check_refused(cases())
