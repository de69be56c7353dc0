"""Adversarial patterns: the short form of `make stress CHECK=patterns`."""

import random
import re
import subprocess

import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.programs import run_stress
from support.strings import compact

import torch_stringops as so


def test_adversarial_patterns_take_little_time_and_memory():
    done = run_stress("patterns", "--quick", stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stderr == ""
    assert re.search(r"patterns: 5\d patterns, 0 failures", done.stdout)


def test_trial_searches_do_not_change_results():
    text = "".join(random.Random(2).choices("ab1 ,", k=300_000))
    for pattern in (r"\w{1,300}", r"[ab]\w{0,200}1|,", r"(?:[ab]{1,9} ){1,30}"):
        tokens, _ = so.tokenizer_ragged(so.StringTensor.from_list([text]), tokenexp=pattern)
        assert tokens.tolist() == re.findall(pattern, text)


@pytest.mark.parametrize("how", [{"tokenexp": "a.*b|a"}, {"tokenexp": "a+", "mincharnum": 2**20}])
def test_patterns_that_take_quadratic_time_are_rejected(how: dict[str, object]):
    pair = compact([b"a", b"a" * 1_000_000])
    with pytest.raises(BAD_ARGUMENT, match=r"^tokenizer: the patterns take too long in row 1: .*shorter"):
        torch.ops.stringops.tokenizer(*pair, **how)
