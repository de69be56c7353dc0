"""Short forms of `make differential` and `make soak`."""

import re

import pytest
import torch
from stress import exhaustive
from stress.differential import batch_differs, operators
from stress.exhaustive import check_verdicts, every_split
from support.programs import run_stress
from support.registry import suite_of

import torch_stringops


@pytest.fixture(autouse=True)
def settings():
    threads, tier = torch.get_num_threads(), torch_stringops.simd_tier()
    yield
    torch.set_num_threads(threads)
    torch_stringops.set_simd_tier(tier)


@pytest.mark.parametrize("name", operators())
def test_two_batches(name: str):
    for seed in ("a", "b"):
        assert batch_differs(suite_of(name), name, seed) is None


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch):
    suite = suite_of("string_split_ragged")
    right = suite.reference

    def wrong(*args, **kwargs):
        pieces, row_splits = right(*args, **kwargs)
        return [p.replace(b"ab", b"ba") for p in pieces], row_splits

    monkeypatch.setattr(suite, "reference", wrong)
    found = [batch_differs(suite, "string_split_ragged", str(seed)) for seed in range(20)]
    assert any(f and "string_split_ragged differs" in f for f in found)


def test_every_short_string_and_second_byte():
    """The small end of `make exhaustive`."""
    assert sum(every_split(2)) == 504 * 21
    sequences = [bytes([lead, second, 0x80]) for lead in (0xE0, 0xED, 0xF4) for second in range(256)]
    check_verdicts(sequences)


def test_a_wrong_verdict_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exhaustive, "error_at", lambda sequence: None)
    with pytest.raises(SystemExit, match="utf8: ff, "):
        check_verdicts([b"a", b"\xff"])


def test_mixed_calls_leave_nothing_behind():
    """A few seconds of `make soak`, whose hour is for people."""
    done = run_stress("soak", "--seconds", "4")
    assert "calls to warm up" in done.stdout, done.stdout
    *_, last, verdict = done.stdout.splitlines()
    handles, threads = re.search(r"(\d+) handles  (\d+) threads", last).groups()
    # Four seconds do not warm a process up: a leak of every call would show all the same.
    assert float(re.search(r"soak: ([+-][\d.]+)%", verdict).group(1)) < 5
    assert int(handles) < 20
    assert int(threads) < 20
