"""The limits of patterns are those of docs/reliability.md: patterns below each figure compile, others do not."""

import random
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from support.errors import BAD_ARGUMENT

import torch_stringops as so

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
SECTION = PAGE.read_text(encoding="utf-8").split("\n## Limits of patterns\n")[1].split("\n## ")[0]
ROWS = dict(re.findall(r"^\| (.*?) \| (.*) \|$", SECTION, re.MULTILINE))
WORDS = ["".join(random.Random(i).choices(string.ascii_lowercase, k=3 + i % 10)) for i in range(4_500)]
CURE = r"\(use smaller counts; to find the words of a list, .* string_isin or a Vocabulary\)$"


def figures(row: str) -> list[str]:
    """The figures of a row for `tokenizer` and `regex_*`."""
    (cells,) = [cells for name, cells in ROWS.items() if name.startswith(row)]
    return cells.split(" | ")


def compiles(function: str, pattern: str) -> bool:
    strings = so.StringTensor.from_list(["ab"])
    try:
        if function == "tokenizer":
            so.tokenizer_ragged(strings, tokenexp=pattern)
        else:
            so.regex_contains(strings, pattern)
    except BAD_ARGUMENT as error:
        return "cannot compile" not in str(error)
    return True


def look_aheads(count: int) -> str:
    return "".join(f"(?={chr(0x4E00 + i)})" for i in range(count)) + "x"


# A row, the pattern of a size, and the least size above the figure that is tested.
LIMITS: list[tuple[str, Callable[[int], str], float]] = [
    ("size of a pattern", lambda n: "[" + "a" * (n - 2) + "]", 1),
    ("counts of a repetition", lambda n: f"a{{{n}}}", 1),
    ("counts of a repetition", lambda n: f"(?:a{{10}}){{{n // 10}}}", 1.01),
    ("groups in groups", lambda n: "(" * n + "a" + ")" * n, 1),
    ("groups in groups", lambda n: "(?:" * n + "a" + ")*" * n, 1),
    ("size of RE2's program", lambda n: rf"\pL{{{n}}}", 1.25),
    ("places one after the other", lambda n: "a" + "[ab]" * (n - 1), 1.05),
    ("places one after the other", lambda n: ".*a" + "[ab]" * (n - 3) + "c", 1.05),
    ("alternatives", lambda n: "|".join(WORDS[:n]), 1.4),
    ("different look-aheads", look_aheads, 1.01),
]


@pytest.mark.parametrize(("row", "pattern", "above"), LIMITS, ids=[row for row, *_ in LIMITS])
def test_figure(row: str, pattern: Callable[[int], str], above: float):
    for function, figure in zip(("tokenizer", "regex"), figures(row), strict=True):
        if figure[0].isdigit():
            limit = int(figure.replace(",", ""))
            assert compiles(function, pattern(limit))
            assert not compiles(function, pattern(max(limit + 1, int(limit * above))))
        elif figure.startswith("more"):
            assert compiles(function, pattern(int(int(figures(row)[0].replace(",", "")) * above)))
        else:
            assert figure == "none"
            assert not compiles(function, pattern(1))


@pytest.mark.parametrize("pattern", ["|".join(WORDS), r"\pL{900}", "a" * 300_000])
def test_errors_say_what_to_do(pattern: str):
    with pytest.raises(BAD_ARGUMENT, match=CURE):
        so.tokenizer_ragged(["a"], tokenexp=pattern)


def test_examples_of_the_page():
    assert compiles("tokenizer", "(?:a?){1000}a{1000}")
    assert compiles("tokenizer", "|".join(f"w{i}" for i in range(10_000)))
    assert "`(?:a?){1000}a{1000}`" in SECTION


def test_other_assertions_count_as_look_aheads():
    assert compiles("regex", r"\b" + look_aheads(31))
    assert not compiles("regex", r"\b" + look_aheads(32))


# Groups nested deeper than the parser goes were searched by RE2 in unbounded time: 12 s for 100 KB.
def test_depth_does_not_evade_the_bounds():
    deep = "(?:" * 1001 + ".*a" + "[ab]" * 7000 + ")" * 1001
    for function in ("tokenizer", "regex"):
        assert not compiles(function, deep)
