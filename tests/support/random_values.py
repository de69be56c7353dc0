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
    *(
        "NA",
        "null",
        "nan",
        "true",
        "1",
        "-2",
        "0.5",
        "1e3",
        "2024-01-01",
        "{",
        "}",
        "[",
        "\ufeff",
        "\u2028",
        "x" * 70,
    ),
]
NUMBERS = [
    "0",
    "1",
    "-1",
    "007",
    "12345",
    str(2**53),
    str(2**53 + 1),
    str(2**63 - 1),
    str(-(2**63)),
    str(2**63),
]

Table = dict[str, list[Any]]


class Refused(Exception):
    """No table can be made of the files."""


def text(chance: random.Random) -> str:
    return "".join(chance.choice(PIECES) for _ in range(chance.choice([0, 1, 1, 2, 5])))


def kinds(chance: random.Random, count: int, common: dict[str, float]) -> list[str]:
    return chance.choices(list(common), list(common.values()), k=count)


def united(found: list[dict[str, tuple[str, list[Any]]]], fill: float | None) -> Table:
    names = found[0].keys()
    if any(set(columns) != set(names) for columns in found):
        raise Refused("other columns")
    table: Table = {}
    for name in names:
        kinds = {columns[name][0] for columns in found} - {"missing"}
        parts = [columns[name] for columns in found]
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
