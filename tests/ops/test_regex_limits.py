"""The limits of patterns are those of docs/reliability.md: patterns below each figure compile, others do not."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.errors import BAD_ARGUMENT

import torch_stringops as so

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
SECTION = PAGE.read_text(encoding="utf-8").split("\n## Limits of patterns\n")[1].split("\n## ")[0]
ROWS = dict(re.findall(r"^\| (.*?) \| (.*) \|$", SECTION, re.MULTILINE))
CURE = r"\(use smaller counts; to find the words of a list, .* string_isin or a Vocabulary\)$"


def figure(row: str) -> int:
    (cell,) = [cell for name, cell in ROWS.items() if name.startswith(row)]
    return int(cell.replace(",", ""))


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


def different(count: int) -> str:
    return "".join(chr(0x4E00 + i if i < 20_000 else 0x10000 + i) for i in range(count))


def look_aheads(count: int) -> str:
    return "".join(f"(?={chr(0x4E00 + i)})" for i in range(count)) + "x"


# A row, and the pattern of a size.
LIMITS: list[tuple[str, Callable[[int], str]]] = [
    ("size of a pattern", lambda n: "[" + "a" * (n - 2) + "]"),
    ("counts of a repetition", lambda n: f"a{{{n}}}"),
    ("counts of a repetition", lambda n: f"(?:a{{10}}){{{n // 10}}}" + "a{1001}" * (n % 10)),
    ("groups in groups", lambda n: "(" * n + "a" + ")" * n),
    ("groups in groups", lambda n: "(?:" * n + "a" + ")*" * n),
    ("instructions", lambda n: "(?:" + "b?" * (n // 2000) + "){1000}" + "b" * (n % 2000 - 2)),
    ("instructions", lambda n: "(?:" + "(?:ab|cd)" * (n // 5000) + "){1000}" + "b" * (n % 5000 - 2)),
    ("different look-aheads", look_aheads),
    ("classes of characters", lambda n: different(n - 1)),
]


@pytest.mark.parametrize(("row", "pattern"), LIMITS, ids=[row for row, _ in LIMITS])
def test_figure(row: str, pattern: Callable[[int], str]):
    for function in ("tokenizer", "regex"):
        assert compiles(function, pattern(figure(row)))
        assert not compiles(function, pattern(figure(row) + 1))


@pytest.mark.parametrize("pattern", ["(?:a?b?){1000}" * 66, different(32_767), "a" * 300_000, look_aheads(65)])
def test_errors_say_what_to_do(pattern: str):
    with pytest.raises(BAD_ARGUMENT, match=CURE):
        so.tokenizer_ragged(["a"], tokenexp=pattern)


def test_other_assertions_count_as_look_aheads():
    assert compiles("regex", r"\b" + look_aheads(63))
    assert not compiles("regex", r"\b" + look_aheads(64))


def test_depth_does_not_evade_the_bounds():
    deep = "(?:" * 1001 + ".*a" + "[ab]" * 7000 + ")" * 1001
    for function in ("tokenizer", "regex"):
        assert not compiles(function, deep)
