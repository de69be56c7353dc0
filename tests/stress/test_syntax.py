"""Random and damaged patterns: the short form of `make stress CHECK=syntax`."""

from collections import Counter

import pytest

pytest.importorskip("re2")

from stress.syntax import compare


def test_patterns_are_those_of_re2():
    counts: Counter[str] = Counter()
    assert compare(2000, 7, counts) is None
    assert counts["accepted by both"] > 900
    assert counts["rejected by both"] > 600
    assert counts["with extensions"] > 5
