"""Patterns made to take forever or to fill the memory: time and memory of each. See hostile/patterns.py."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support.strings import compact


def test_hostile_patterns_take_little_time_and_memory():
    command = [sys.executable, str(Path(__file__).parent / "hostile" / "patterns.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stderr == ""
    assert "patterns: 50 patterns, 0 failures" in done.stdout


@pytest.mark.parametrize("how", [{"tokenexp": "a.*b|a"}, {"tokenexp": "a+", "mincharnum": 2**20}])
def test_what_takes_the_square_of_a_text_is_given_up(how: dict[str, object]):
    pair = compact([b"a", b"a" * 1_000_000])
    with pytest.raises(
        ValueError, match=r"^tokenizer: the time .* grows with the square .* in row 1: .*shorter"
    ):
        torch.ops.stringops.tokenizer(*pair, **how)
