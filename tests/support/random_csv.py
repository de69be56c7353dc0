"""Random CSV files, and the tables that Python's `csv` makes of them."""

import csv
import io
import random
import re
from typing import Any

from support.random_values import NUMBERS, Refused, Table, text, united

FLOATS = [
    "0.5", "-1.25", "1e3", "2.5E-3", ".5", "1e300", "1e400", "nan", "inf", "-Infinity", "0.1", "9007199254740993.0",
]  # fmt: skip
MISSING = ["", "NA", "N/A", "#N/A", "<NA>", "n/a", "NULL", "null"]


def csv_field(chance: random.Random, kind: str) -> str:
    if kind in ("int", "float", "bool", "missing") and chance.random() < 0.02:
        kind = chance.choice(["text", "missing", "int", "float"])
    if kind == "int":
        field = str(chance.randrange(-999, 999)) if chance.random() < 0.95 else chance.choice(NUMBERS)
    elif kind == "float":
        field = repr(chance.uniform(-9, 9)) if chance.random() < 0.8 else chance.choice(FLOATS)
    else:
        field = {
            "bool": chance.choice(["true", "false", "True", "False", "TRUE", "FALSE"]),
            "missing": chance.choice(MISSING),
            "date": chance.choice(["2024-01-01", "2024-02-30", "2024-01-01 10:00:00"]),
        }.get(kind) or text(chance)
    return chance.choice([" ", "\t", ""]) + field if chance.random() < 0.02 else field


def csv_file(chance: random.Random, names: list[str], columns: list[str], delimiter: str) -> bytes:
    rows = [[csv_field(chance, kind) for kind in columns] for _ in range(chance.choice([0, 1, 3, 20, 60]))]
    sink = io.StringIO()
    writer = csv.writer(
        sink,
        delimiter=delimiter,
        lineterminator=chance.choice(["\n", "\r\n", "\r"]),
        quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    )
    if chance.random() < 0.95:
        writer.writerows([names, *rows])
    raw = sink.getvalue().encode()
    if chance.random() < 0.2:
        raw = raw.rstrip(b"\r\n")
    return b"\xef\xbb\xbf" + raw if chance.random() < 0.1 else raw


def csv_values(fields: list[str], as_text: bool) -> tuple[str, list[Any]]:
    """The kind of a column of a file, and its values; those of a column of missing ones are their texts."""
    given = [f.strip(" \t") for f in fields if f not in MISSING]
    if as_text or not fields:
        return "text", list(fields)
    if not given:
        return "missing", list(fields)
    if all(re.fullmatch(r"-?[0-9]+", f) and -(2**63) <= int(f) < 2**63 for f in given):
        return "int", [None if f in MISSING else int(f) for f in fields]
    number = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(?i:inf|infinity|nan)"
    if all(re.fullmatch(number, f) for f in given):
        for f in given:
            if abs(float(f)) == float("inf") and not re.search("(?i:inf)", f):
                return "text", list(fields)
            if re.fullmatch(r"[+-]?[0-9]+", f) and int(float(f)) != int(f):
                return "text", list(fields)
        return "float", [None if f in MISSING else float(f) for f in fields]
    if all(f in MISSING or f in ("true", "True", "TRUE", "false", "False", "FALSE") for f in fields):
        return "bool", [None if f in MISSING else f.lower() == "true" for f in fields]
    return "text", list(fields)


def csv_table(files: list[bytes], delimiter: str, as_text: list[str], fill: float | None) -> Table:
    found: list[dict[str, tuple[str, list[Any]]]] = []
    empty: Table = {}
    for raw in files:
        lines = io.StringIO(raw.decode().removeprefix("\ufeff"), newline="")
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
        if not rows:
            continue
        names, *rows = rows
        if set(as_text) - set(names):
            raise Refused("unknown text")
        if any(len(row) != len(names) for row in rows):
            raise Refused("fields")
        if len(set(names)) != len(names):
            raise Refused("same names")
        if not rows:
            empty = empty or {name: [] for name in names}
            continue
        found.append({n: csv_values([row[i] for row in rows], n in as_text) for i, n in enumerate(names)})
    return united(found, fill) if found else empty
