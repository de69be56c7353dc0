"""What test_borders.py checks in a process of its own, checked in this one, for faults to be seen."""

import pytest
from hostile import borders


@pytest.mark.parametrize(
    "cases", [borders.refused_inputs, borders.refused_results, borders.refused_on_meta, borders.refused_verbs]
)
def test_what_is_too_large_is_refused(cases):
    assert not borders.check_refused(cases())
