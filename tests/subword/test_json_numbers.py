"""Numbers of a tokenizer.json against those that `tokenizers` reads."""

import json
import random
from math import inf

import pytest
import torch

from torch_stringops import _convert


def imprecise(*numbers: str) -> list[float]:
    text = json.dumps([["", 0]] * len(numbers)).replace("0", "{}").format(*numbers).encode()
    scores: list[float] = torch.frombuffer(_convert.json_pieces(text, 0, len(text))[-1], dtype=torch.float64).tolist()
    return scores


def numbers(n: int) -> list[str]:
    rng = random.Random(3)
    digits = lambda size: "".join(rng.choice("0123456789") for _ in range(size))  # noqa: E731
    kinds = [
        lambda: repr(-rng.random() * 20),
        lambda: f"-{rng.randrange(30)}.{digits(rng.randrange(1, 25))}",
        lambda: f"{rng.randrange(10 ** rng.randrange(1, 25))}.0",
        lambda: f"{rng.random() * 10.0 ** rng.randrange(-20, 20):.{rng.randrange(20)}e}",
        lambda: f"{digits(1)}.{digits(3)}e-{rng.randrange(250, 330)}",
    ]
    return [rng.choice(kinds)() for _ in range(n)]


def test_numbers_are_read_as_in_tokenizers():
    tokenizers = pytest.importorskip("tokenizers")
    given = numbers(5000)
    rows = ",".join(f'["a{i}",{number}]' for i, number in enumerate(given))
    text = f'{{"version":"1.0","model":{{"type":"Unigram","unk_id":0,"vocab":[{rows}]}}}}'
    # to_str writes the digits that identify the float64.
    written = json.loads(tokenizers.Tokenizer.from_str(text).to_str())["model"]["vocab"]
    expected = [float(score) for _, score in written]
    assert imprecise(*given) == expected
    assert [float(n) for n in given] != expected


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.0", 0.0), ("-1.5", -1.5), ("2e3", 2000.0), ("1E-400", 0.0), ("0e999", 0.0), ("-12.5e-1", -1.25)],
)
def test_simple_numbers(text: str, number: float):
    assert imprecise(text) == [number]


def test_minus_zero_keeps_its_sign():
    assert str(imprecise("-0.0", "-0e1")) == "[-0.0, -0.0]"


def test_too_large_numbers_are_infinite():
    assert imprecise("1e999", "-1e309", "10e308", "1e99999999999999999999") == [inf, -inf, inf, inf]
    assert imprecise("Infinity", "-Infinity") == [inf, -inf]
