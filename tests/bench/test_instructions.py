"""Instruction counts of the kernels equal the recorded ones within 3 %; larger changes are reported by name."""

import re
from pathlib import Path

import pytest
from support.registry import OPERATORS, PUBLIC, family

from benchmarks.instructions import counting, record
from benchmarks.instructions.cases import CASES
from benchmarks.instructions.record import Counts, Record

KEY = ("string_equal", "avx2")


@pytest.mark.check
def test_counts_are_as_recorded(tmp_path: Path):
    reason = counting.unavailable_reason()
    if reason:
        pytest.skip(reason)
    program = counting.build(tmp_path)
    made_by, cases = counting.describe(program), list(CASES)
    recorded = record.parse_record(record.PATH.read_text())
    assert {case for case, _ in recorded.counts} == set(cases), f"run {record.COMMAND}"
    if made_by != recorded.made_by:
        pytest.skip(f"counts were recorded with {recorded.made_by}; {made_by} does not compare")
    counted = {(case, tier): n for case, by_tier in counting.count_all(program, cases) for tier, n in by_tier.items()}
    tiers = {tier for _, tier in counted}
    assert "scalar" in tiers
    found = record.problems({key: n for key, n in recorded.counts.items() if key[1] in tiers}, counted)
    assert not found, "\n".join([*found, record.advice(found)])


def test_every_family_has_a_case():
    counted = {re.split("[./]", case)[0] for case in CASES}
    without = {family(op) for op in PUBLIC} - {family(op) for op in OPERATORS if op in counted}
    assert not without, f"benchmarks/instructions/cases.py counts no operator of {without}"


@pytest.mark.parametrize("now", [97_100, 100_000, 102_900])
def test_a_change_of_less_than_3_percent_passes(now: int):
    assert record.problems({KEY: 100_000}, {KEY: now}) == []


def test_a_kernel_that_takes_3_percent_more_fails():
    found = record.problems({KEY: 100_000}, {KEY: 103_100})
    assert found == ["string_equal avx2: slower (100,000 -> 103,100, +3.1%)"]
    assert record.advice(found).startswith("A kernel executes more instructions")


def test_a_kernel_that_takes_3_percent_less_must_be_recorded():
    found = record.problems({KEY: 100_000}, {KEY: 96_900})
    assert found == ["string_equal avx2: faster than recorded (100,000 -> 96,900, -3.1%)"]
    assert record.advice(found) == "Record it in the same commit: make instructions ARGS=--record"


def test_new_and_removed_cases_are_named():
    assert record.problems({}, {KEY: 1}) == ["string_equal avx2: not recorded"]
    assert record.problems({KEY: 1}, {}) == ["string_equal avx2: recorded, but no longer counted"]


def both_tiers(**cases: int) -> Counts:
    return {(case, tier): n for case, n in cases.items() for tier in counting.TIERS}


def test_a_record_reads_back_as_written():
    written = Record("gcc 12", both_tiers(string_equal=1_234_567, check_offsets=8))
    assert record.parse_record(record.format_record(written)) == written


def test_recording_keeps_counts_within_the_tolerance_so_that_small_changes_add_up():
    old = Record("gcc 12", both_tiers(kept=100_000, moved=100_000, gone=100_000))
    new = Record("gcc 12", both_tiers(kept=102_000, moved=104_000, added=5))
    assert record.update(old, new).counts == both_tiers(kept=100_000, moved=104_000, added=5)


def test_recording_with_another_compiler_replaces_all_counts():
    new = Record("gcc 14", both_tiers(kept=102_000))
    assert record.update(Record("gcc 12", both_tiers(kept=100_000)), new) == new


PROFILE = """\
events: Ir
summary: 1111

ob=/build/cases
fn=main
0 10
cob=/lib/libc.so.6
cfn=malloc
calls=2 0
0 1000
0 1
cfn=kernel
calls=1 0
0 100

fn=kernel
0 100

ob=/lib/libc.so.6
fn=malloc
0 1000
"""


def test_other_libraries_are_not_counted_and_calls_are_counted_once():
    assert counting.own_instructions(PROFILE, Path("/build/cases")) == 111
