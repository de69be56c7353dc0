"""The same results in every layout, over the registry: the short form of `make stress CHECK=layouts`."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from stress.layouts import (
    LAYOUTS,
    NEAR,
    ONE_ROW,
    Timing,
    find_works,
    measure,
    row_copies,
    rows_of,
    sample_work,
)
from support.cases import each
from support.harness import is_pair
from support.registry import PUBLIC, all_suites

WORKS = find_works()
STRINGS = 2400  # several blocks


def flattened(name: str, results: Any) -> list[Any]:
    """Results without their shape; offsets as begins and ends of the strings in compact data."""
    results = [results] if isinstance(results, torch.Tensor) else list(results)
    returns = all_suites()[name].overload._schema.returns
    if str(returns[0].type) == "List[Tensor]":
        pairs = list(range(0, len(results), 2))
    else:
        pairs = [i for i in range(len(results)) if is_pair(returns, i)]
    for i in pairs:
        begins, ends, data = torch.ops.stringops.string_tensor_unpack(results[i], results[i + 1])
        results[i], results[i + 1] = data, torch.stack([begins.flatten(), ends.flatten()])
    return [part.flatten().tolist() for part in results]


@each("name", WORKS)
def test_results_do_not_depend_on_the_layout(name: str) -> None:
    work, overload = WORKS[name], all_suites()[name].overload
    strings = work.strings(STRINGS)
    for layout, (cols, build) in LAYOUTS.items():
        want = overload(*work.arguments(rows_of(strings, cols if work.by_row else STRINGS)), **work.kwargs)
        got = overload(*work.arguments(build(strings)), **work.kwargs)
        assert flattened(name, got) == flattened(name, want), layout


def test_every_public_operator_on_strings_is_called() -> None:
    takes_strings = {name for name, suite in all_suites().items() if suite.string_pairs()}
    public = {name for name in takes_strings if name.split(".")[0] in PUBLIC}
    assert public == set(WORKS) | ONE_ROW


def test_operators_of_one_row_reject_others() -> None:
    for name in ONE_ROW:
        suite = all_suites()[name]
        with pytest.raises((ValueError, RuntimeError), match="expected"):
            suite.overload(*sample_work(suite).arguments(rows_of([b"a", b"b"], 1)), **suite.samples[0].kwargs)


def test_a_call_is_timed() -> None:
    timing = measure("string_length", WORKS["string_length"], "columns", 1200)
    assert min(timing.took, timing.flat, timing.copied, timing.gathered) > 0
    assert timing.layout == "columns"
    assert not timing.writes
    assert measure("string_lower", WORKS["string_lower"], "[n, 1]", 1200).writes


def test_bounds_of_readers_and_writers() -> None:
    timing = Timing("f", "column", took=3, flat=2, copied=6, gathered=1, writes=False)
    assert timing.bound(2.0) == (4, "call")
    assert replace(timing, gathered=2).bound(1.5) == (NEAR * 4, "rows")
    assert replace(timing, gathered=0).bound(1.5) == (3, "call")
    assert replace(timing, writes=True).bound(1.5) == (12, "copy")


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if not name.startswith("[")])
def test_bare_copies_copy_the_rows(layout: str) -> None:
    strings = WORKS["string_length"].strings(STRINGS)
    assert row_copies(LAYOUTS[layout][1](strings))() == sum(map(len, strings))
