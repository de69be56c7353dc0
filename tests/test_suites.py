"""The suite of an operator is all that its tests, the long checks and its row of the overhead benchmark need."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from stress import differential, limits, malformed_arguments
from support import draws, registry
from support.families import MapSuite, MapTests, ReduceSuite, ReduceTests, ZipSuite, ZipTests, broadcast
from support.harness import call
from support.strings import compact, decode
from torch import Tensor

from benchmarks import overhead

LIBRARY = torch.library.Library("stringops_scratch", "DEF")
EQUAL = torch.ops.stringops.string_equal


def define(name: str, schema: str, real: Any, fake: Any) -> None:
    LIBRARY.define(name + schema, tags=torch.Tag.pt2_compliant_tag)
    LIBRARY.impl(name, real, "CPU")
    torch.library.register_fake(f"stringops_scratch::{name}", fake, lib=LIBRARY)


def checked(data: Tensor, offsets: Tensor) -> Tensor:
    """An operator of the library that rejects malformed pairs; its result has the shape of the strings."""
    return EQUAL(data, offsets, data, offsets)


def reverse(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    if checked(data, offsets).numel() == 0:
        return data.new_empty(0), torch.zeros_like(offsets)
    return compact(broadcast(lambda s: s.decode()[::-1].encode(), decode(data, offsets)))


def reverse_fake(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    checked(data, offsets)
    return data.new_empty(torch.library.get_ctx().new_dynamic_size()), torch.empty_like(offsets)


def length(data: Tensor, offsets: Tensor) -> Tensor:
    checked(data, offsets)
    return offsets.diff(dim=-1)


def length_fake(data: Tensor, offsets: Tensor) -> Tensor:
    return checked(data, offsets).to(torch.int32)


def differ(data: Tensor, offsets: Tensor, other_data: Tensor, other_offsets: Tensor) -> Tensor:
    return ~EQUAL(data, offsets, other_data, other_offsets)


PAIR = "Tensor data, Tensor offsets"
define("reverse", f"({PAIR}) -> (Tensor data, Tensor offsets)", reverse, reverse_fake)
define("length", f"({PAIR}) -> Tensor", length, length_fake)
define("differ", f"({PAIR}, Tensor other_data, Tensor other_offsets) -> Tensor", differ, differ)


class Scratch:
    """Makes a suite use an operator of this file instead of one of the library."""

    @property
    def overload(self) -> Any:
        return getattr(torch.ops.stringops_scratch, self.op).default  # type: ignore[attr-defined]


class ScratchMap(Scratch, MapSuite):
    pass


class ScratchReduce(Scratch, ReduceSuite):
    pass


class ScratchZip(Scratch, ZipSuite):
    pass


class TestReverse(MapTests):
    suite = ScratchMap(
        op="reverse", reference=lambda s: s[::-1], samples=["word", ["é", ""]], name_in_errors="string_equal"
    )


class TestLength(ReduceTests):
    suite = ScratchReduce(
        op="length", reference=len, samples=["word", [["é"], [""]]], text=False, name_in_errors="string_equal"
    )


class TestDiffer(ZipTests):
    suite = ScratchZip(
        op="differ",
        reference=lambda a, b: a != b,
        samples=[call(["a", "b"], ["a", "c"])],
        name_in_errors="string_equal",
    )


SCRATCH = [TestReverse, TestLength, TestDiffer]


@pytest.fixture(params=SCRATCH, ids=lambda c: c.suite.op)
def declared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A suite that is registered as if a file of tests/ops declared it."""
    suite = request.param.suite
    monkeypatch.setitem(registry.classes_by_overload(), suite.op, [request.param])
    return suite


def test_a_suite_is_compared_at_scale(declared: Any):
    assert declared.op in differential.operators()
    assert differential.batch_differs(declared, declared.op, "a") is None


def test_a_suite_is_called_with_malformed_arguments(declared: Any):
    cases = list(malformed_arguments.all_cases([declared.op]))
    assert len(cases) > 100
    assert any(case.must_fail for case in cases)


@pytest.mark.check
def test_a_suite_is_called_beyond_the_limits(declared: Any):
    assert [call for _, _, call in limits.rejected_inputs() if call.func == declared.overload]
    results = [call for _, _, call in limits.rejected_results() if call.func == declared.overload]
    assert bool(results) is not isinstance(declared, ReduceSuite)


def test_a_suite_has_an_overhead_row(declared: Any):
    assert declared.op in [contender.name for contender in overhead.contenders()]


def test_a_suite_draws_strings_of_its_kind():
    drawn = TestReverse.suite.drawn(random.Random(0), 100)
    assert [s.decode() for s in draws.flatten(drawn.args[0])]
    with pytest.raises(UnicodeDecodeError):
        [s.decode() for s in draws.flatten(TestLength.suite.drawn(random.Random(0), 100).args[0])]


def test_incomplete_suites_name_the_missing_field(monkeypatch: pytest.MonkeyPatch):
    suite = registry.suite_of("string_tensor_pack")
    monkeypatch.setattr(suite, "too_large", None)
    monkeypatch.setattr(suite, "small", None)
    with pytest.raises(LookupError, match="of string_tensor_pack declares no `small`: begins is required"):
        suite.small_call()
    with pytest.raises(LookupError, match="of string_tensor_pack declares no `too_large`"):
        suite.too_large_calls()
