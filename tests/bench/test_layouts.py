"""Instruction counts of operators on slices, columns and rows of few strings, as recorded in counts.txt."""

import pytest

from benchmarks.instructions import record

COUNTS = record.parse_record(record.PATH.read_text()).counts
LAYOUTS = ("1", "2", "columns", "permuted")
COPY = "_string_cat"
OPERATORS = sorted({case.split("/")[0] for case, _ in COUNTS if "/layout_" in case} - {COPY})
# Operators that read strings of joined rows without a copy of them.
READERS = ("string_length", "string_is_alpha", "string_hash", "string_equal")


def count(operator: str, layout: str, tier: str) -> int:
    return COUNTS[f"{operator}/layout_{layout}", tier]


@pytest.mark.parametrize("tier", ["scalar", "avx2"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_layout_takes_no_longer_than_a_copy_made_first(operator: str, layout: str, tier: str):
    copied_first = count(COPY, layout, tier) + count(operator, "flat", tier)
    assert count(operator, layout, tier) <= 1.15 * copied_first


@pytest.mark.parametrize("tier", ["scalar", "avx2"])
@pytest.mark.parametrize("layout", ["1", "2"])
@pytest.mark.parametrize("operator", READERS)
def test_joined_rows_take_about_half_more_to_read_than_one_row(operator: str, layout: str, tier: str):
    assert count(operator, layout, tier) <= 1.55 * count(operator, "flat", tier)


def test_each_driver_has_a_case():
    assert set(OPERATORS) >= {"string_lower", "string_split_ragged", "string_tensor_unpack", *READERS}
