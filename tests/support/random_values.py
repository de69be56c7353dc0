"""Random values of tables, and how those of several files unite."""

from __future__ import annotations

import random
from typing import Any

PIECES = [
    *(
        "a",
        "be",
        " ",
        "",
        ",",
        ";",
        "\t",
        '"',
        '""',
        "'",
        "\n",
        "\r",
        "\r\n",
        "\\",
        "/",
        "é",
        "日",
        "😀",
        "\x00",
        "\x7f",
    ),
    *("NA", "null", "nan", "true", "1", "-2", "0.5", "1e3", "2024-01-01", "{", "}", "[", "\ufeff", "\u2028", "x" * 70),
]
NUMBERS = [
    "0", "1", "-1", "007", "12345", str(2**53), str(2**53 + 1), str(2**63 - 1), str(-(2**63)), str(2**63),
]  # fmt: skip

Table = dict[str, list[Any]]


class Refused(Exception):
    """No table can be made of the files."""


def text(chance: random.Random) -> str:
    return "".join(chance.choice(PIECES) for _ in range(chance.choice([0, 1, 1, 2, 5])))


def kinds(chance: random.Random, count: int, common: dict[str, float]) -> list[str]:
    return chance.choices(list(common), list(common.values()), k=count)


def lists(parts: list[tuple[str, list[Any]]], kinds: set[str], fill: float | None) -> list[Any]:
    """The lists of a column of all files, whose elements unite like values of a column. A missing list is empty."""
    if not all(kind.startswith("list") for kind in kinds):
        raise Refused("kinds")
    rows = [row for _, part in parts for row in part]
    if None in rows and fill is None:
        raise Refused("missing list")
    elements = [{"": (kind.removeprefix("list of "), [e for row in part for e in row or ()])} for kind, part in parts]
    if fill is not None and all(columns[""][0] == "missing" for columns in elements):
        elements = [{"": ("int", columns[""][1])} for columns in elements]
    flat = iter(united(elements, fill)[""])
    return [[next(flat) for _ in row or ()] for row in rows]


def united(found: list[dict[str, tuple[str, list[Any]]]], fill: float | None) -> Table:
    names = found[0].keys()
    if any(set(columns) != set(names) for columns in found):
        raise Refused("other columns")
    table: Table = {}
    for name in names:
        kinds = {columns[name][0] for columns in found} - {"missing"}
        parts = [columns[name] for columns in found]
        if any(kind.startswith("list") for kind in kinds):
            table[name] = lists(parts, kinds, fill)
            continue
        values: list[Any] = []
        if not kinds or kinds == {"text"}:
            values = [v for _, part in parts for v in part]
            if None in values:
                raise Refused("missing text")
        elif "text" in kinds or ("bool" in kinds and len(kinds) > 1):
            raise Refused("kinds")
        else:
            for kind, part in parts:
                part = [None] * len(part) if kind == "missing" else part
                if (
                    kinds == {"int", "float"}
                    and kind == "int"
                    and any(v is not None and int(float(v)) != v for v in part)
                ):
                    raise Refused("rounded")
                values += part
            if None in values and ("bool" in kinds or fill is None):
                raise Refused("missing number")
            values = [fill if v is None else v for v in values]
            if "float" in kinds:
                values = [float(v) for v in values]
        table[name] = values
    return table
