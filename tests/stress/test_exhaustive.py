"""Every short string and sequence of UTF-8, and some of the small patterns: the short form of `make stress CHECK=exhaustive`."""

import pytest
from stress import exhaustive
from stress.exhaustive import check_verdicts, every_pattern, every_split

import torch_stringops


@pytest.fixture(autouse=True)
def _tier():
    before = torch_stringops.simd_tier()
    yield
    torch_stringops.set_simd_tier(before)


def test_every_short_string_and_second_byte():
    assert sum(every_split(5)) == 504 * 1365
    sequences = [bytes([lead, second, 0x80]) for lead in (0xE0, 0xED, 0xF4) for second in range(256)]
    check_verdicts(sequences)


def test_small_patterns():
    assert sum(every_pattern(3, 61)) == 85 * 852


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exhaustive, "error_at", lambda sequence: None)
    with pytest.raises(SystemExit, match="utf8: ff, "):
        check_verdicts([b"a", b"\xff"])
