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
    assert re.search(r"patterns: 8\d patterns, 0 failures", done.stdout)


# A text is read backward once searches have read far in vain.
@pytest.mark.parametrize(
    "pattern", [r"\w{1,300}", r"[ab]\w{0,200}1|,", r"(?:[ab]{1,9} ){1,30}", "(?:[ab1é]{2,40} )+,|[ab]"]
)
def test_long_texts(pattern: str):
    text = "".join(random.Random(2).choices("ab1 ,é", k=300_000))
    tokens, _ = so.tokenizer_ragged(so.StringTensor.from_list([text]), tokenexp=pattern)
    assert tokens.tolist() == re.findall(pattern, text, re.ASCII)


@pytest.mark.parametrize("how", [{"tokenexp": "a.*b|a"}, {"tokenexp": "a+|(?:aa)*b", "mincharnum": 2**19}])
def test_matches_that_overlap_take_linear_time(how: dict[str, object]):
    (data, offsets, row_splits) = torch.ops.stringops.tokenizer_ragged(*compact([b"a", b"a" * 2**20]), **how)
    assert data.numel() == 2**20 + 1 - (how["tokenexp"] != "a.*b|a")
    assert offsets.numel() == (2**20 + 2 if how["tokenexp"] == "a.*b|a" else 2)
    assert row_splits[-1] == offsets.numel() - 1


# All matches of 2**18 letters and their tails are too short.
def test_matches_that_are_too_short_take_linear_time():
    for pattern in ("a+", "(?:aa)+|(?:aaa)+b", "[ab]*a[ab]{9}"):
        _, offsets, _ = torch.ops.stringops.tokenizer_ragged(
            *compact([b"a" * 2**18]), tokenexp=pattern, mincharnum=2**19
        )
        assert offsets.numel() == 1


def test_large_patterns_with_few_states_are_accepted():
    words = [f"w{i}" for i in range(10_000)]
    text = " ".join(words) + " w w12345"
    tokens, _ = so.tokenizer_ragged(so.StringTensor.from_list([text]), tokenexp="|".join(words))
    assert tokens.tolist() == [*words, "w1234"]


def test_patterns_beyond_the_bounds_are_rejected_by_themselves():
    for text in (b"", b"a" * 2000):
        with pytest.raises(
            BAD_ARGUMENT, match=r"^tokenizer: cannot compile `tokenexp`: expected at most 262144 instructions, got more"
        ):
            torch.ops.stringops.tokenizer(*compact([text]), tokenexp=".*a" + 300 * "[ab]{1000}")
