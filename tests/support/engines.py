"""Which engine finds the matches of patterns: masks and the automaton in ordinary calls, others by these contexts."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch_stringops import _native


@contextmanager
def without_masks() -> Iterator[None]:
    """The automaton finds all matches."""
    _native._c.stringops_set_masks(False)
    try:
        yield
    finally:
        _native._c.stringops_set_masks(True)


@contextmanager
def by_closure() -> Iterator[None]:
    """Matches are found without the short cuts that automata allow, as those of the largest patterns are."""
    with without_masks():
        _native._c.stringops_force_closure(True)
        try:
            yield
        finally:
            _native._c.stringops_force_closure(False)
