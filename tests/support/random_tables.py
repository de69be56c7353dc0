"""Random CSV and JSON files, and what Python's `csv` and `json` read from them.

`compare(seeds, folder)` reads a table for each seed by read_csv and read_jsonl and by Python, and returns the differences.
"""

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from torch_stringops.data import StringColumn, _csv, _jsonl, read_csv, read_jsonl

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
FLOATS = [
    "0.5",
    "-1.25",
    "1e3",
    "2.5E-3",
    ".5",
    "1e300",
    "1e400",
    "nan",
    "inf",
    "-Infinity",
    "0.1",
    "9007199254740993.0",
]
MISSING = ["", "NA", "N/A", "#N/A", "<NA>", "n/a", "NULL", "null"]
PACKED: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress]

Table = dict[str, list[Any]]


class Refused(Exception):
    """No table can be made of the files."""


def text(chance: random.Random) -> str:
    return "".join(chance.choice(PIECES) for _ in range(chance.choice([0, 1, 1, 2, 5])))


def kinds(chance: random.Random, count: int, common: dict[str, float]) -> list[str]:
    return chance.choices(list(common), list(common.values()), k=count)


# CSV.


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
                raise Refused("beyond float64")
            if re.fullmatch(r"[+-]?[0-9]+", f) and int(float(f)) != int(f):
                raise Refused("rounded")
        return "float", [None if f in MISSING else float(f) for f in fields]
    if all(f.lower() == "true" or f.lower() == "false" for f in given) and all(
        f in ("true", "True", "TRUE", "false", "False", "FALSE") for f in given
    ):
        return "bool", [None if f in MISSING else f.strip(" \t").lower() == "true" for f in fields]
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


# JSON.


def json_value(chance: random.Random, kind: str) -> Any:
    if chance.random() < 0.004:
        kind = chance.choice(["text", "int", "float", "missing", "nested"])
    if kind == "int":
        return chance.randrange(-999, 999) if chance.random() < 0.97 else int(chance.choice(NUMBERS))
    if kind == "float":
        return (
            chance.uniform(-9, 9)
            if chance.random() < 0.9
            else chance.choice([1e300, 0.1, 2.0**70, -0.0, 5.0])
        )
    if kind == "bool":
        return chance.random() < 0.5
    if kind == "date":
        return chance.choice(["2024-01-01", "2024-01-01T10:00:00", "2024-01-01 10:00:00"])
    if kind == "nested":
        return chance.choice([[1], {"a": 1}, [], {}])
    if kind == "missing":
        return None
    return text(chance) + chance.choice(["", "", "", "\ud800", "\udc00x"])


def json_file(chance: random.Random, names: list[str], columns: list[str], damage: bool) -> bytes:
    lines = []
    is_ascii, style = chance.random() < 0.5, chance.choice([(", ", ": "), (",", ":")])
    for _ in range(chance.choice([0, 1, 3, 20, 60])):
        row = {n: json_value(chance, kind) for n, kind in zip(names, columns, strict=True)}
        if chance.random() < 0.1:
            row = {n: v for n, v in row.items() if v is not None}
        if chance.random() < 0.1:
            row = dict(chance.sample(list(row.items()), len(row)))
        line = json.dumps(row, ensure_ascii=True, separators=style)
        if not is_ascii:
            with contextlib.suppress(UnicodeEncodeError):
                line = json.dumps(row, ensure_ascii=False, separators=style).encode().decode()
        lines.append(line + chance.choice(["\n"] * 9 + ["\r\n", " \n", "\n\n"]))
    raw = bytearray("".join(lines).encode())
    if damage and raw:
        for _ in range(chance.randint(1, 2)):
            at = chance.randrange(len(raw))
            raw[at : at + chance.randint(0, 2)] = chance.choice(
                [b"", b'"', b"\\", b"{", b"}", b",", b"\n", b"0", b"-", b"\xff"]
            )
    return bytes(raw)


def json_kind(values: list[Any]) -> str:
    names = {bool: "bool", int: "int", float: "float", str: "text", type(None): "missing"}
    found = {names.get(type(v), "nested") for v in values} - {"missing"}
    if "nested" in found:
        raise Refused("nested")
    if found == {"int", "float"} or (
        found == {"int"} and any(not -(2**63) <= v < 2**63 for v in values if v is not None)
    ):
        for v in values:
            if type(v) is int and int(float(v)) != v:
                raise Refused("rounded")
        return "float"
    if len(found) > 1:
        raise Refused("kinds")
    return found.pop() if found else "missing"


def json_rows(raw: bytes) -> list[dict[str, Any]]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise Refused("same names")
        return dict(pairs)

    def number(text: str) -> float:
        if abs(float(text)) == float("inf") and "Inf" not in text:
            raise Refused("beyond float64")
        return float(text)

    decoder = json.JSONDecoder(object_pairs_hook=unique, parse_float=number)
    content, at, rows = raw.decode(errors="surrogateescape"), 0, []
    while (at := re.compile(r"[ \t\r\n]*").match(content, at).end()) < len(content):  # type: ignore[union-attr]
        try:
            row, at = decoder.raw_decode(content, at)
        except ValueError:
            raise Refused("JSON") from None
        if not isinstance(row, dict):
            raise Refused("JSON")
        rows.append(row)
    return rows


def json_table(files: list[bytes], fill: float | None) -> Table:
    found = []
    for raw in files:
        if rows := json_rows(raw):
            columns: dict[str, tuple[str, list[Any]]] = {}
            for name in dict.fromkeys(name for row in rows for name in row):
                values = [row.get(name) for row in rows]
                kind = json_kind(values)
                if kind == "float":
                    values = [None if v is None else float(v) for v in values]
                columns[name] = kind, values
            if any(re.search("[\ud800-\udfff]", name) for name in columns):
                raise Refused("names")
            found.append(columns)
    if not found:
        return {}
    for name in found[0]:  # a number replaces values of unknown type
        if all(name in columns and columns[name][0] == "missing" for columns in found) and fill is not None:
            for columns in found:
                columns[name] = "int", columns[name][1]
    return united(found, fill)


def utf8(value: Any) -> Any:
    """A string as UTF-8. Surrogates are escaped bytes, or lone ones, which become U+FFFD."""
    if not isinstance(value, str):
        return value
    return re.sub("[\ud800-\udc7f\udd00-\udfff]", "\ufffd", value).encode(errors="surrogateescape")


# Both.


def plain(table: Any) -> dict[str, tuple[str, list[Any]]]:
    return {
        name: ("strings", column[:].tolist(as_bytes=True))
        if isinstance(column, StringColumn)
        else (str(column.dtype).removeprefix("torch."), column.tolist())
        for name, column in table.items()
    }


def same(ours: Any, theirs: Table) -> bool:
    want = {name: [utf8(v) for v in values] for name, values in theirs.items()}
    got = {name: values for name, (_, values) in plain(ours).items()}
    return repr(sorted(got.items())) == repr(sorted(want.items()))


@contextlib.contextmanager
def block_sizes(chance: random.Random) -> Iterator[None]:
    size = chance.choice([2**24, 300, 64, 17])
    before = _csv._BLOCK_BYTES, _jsonl._BLOCK_BYTES
    _csv._BLOCK_BYTES = _jsonl._BLOCK_BYTES = size
    try:
        yield
    finally:
        _csv._BLOCK_BYTES, _jsonl._BLOCK_BYTES = before


def compare_one(seed: int, folder: Path) -> str | None:
    """How the table of a seed differs; None if it does not."""
    chance = random.Random(seed)
    is_csv, damage = chance.random() < 0.5, chance.random() < 0.2
    width = chance.choice([1, 2, 3, 5])
    names = (
        [f"c{i}" for i in range(width)]
        if chance.random() < 0.8
        else [text(chance) + str(i) for i in range(width)]
    )
    columns = kinds(chance, width, {"text": 4, "int": 3, "float": 2, "bool": 1, "date": 1, "missing": 0.3})
    delimiter = chance.choice([",", ";", "\t", "|"])
    count = chance.choice([1, 1, 2, 4])
    if is_csv:
        files = [csv_file(chance, names, columns, delimiter) for _ in range(count)]
    else:
        files = [json_file(chance, names, columns, damage) for _ in range(count)]
    as_text = [n for n in names if chance.random() < 0.1] if is_csv else []
    fill = chance.choice([None, 0, 7])
    paths = []
    for i, raw in enumerate(files):
        paths.append(folder / f"{i}")
        paths[-1].write_bytes(chance.choice(PACKED)(raw) if chance.random() < 0.1 else raw)
    theirs: Table | None = None
    refused = ""
    try:
        theirs = csv_table(files, delimiter, as_text, fill) if is_csv else json_table(files, fill)
    except Refused as error:
        refused = str(error)
    try:
        with block_sizes(chance):
            if is_csv:
                ours = read_csv(paths, delimiter=delimiter, text=as_text, missing=fill)
            else:
                ours = read_jsonl(paths, missing=fill)
    except ValueError as error:
        return None if theirs is None else f"seed {seed}: {error}, Python reads {str(theirs)[:300]}"
    if theirs is None:
        return f"seed {seed}: Python refuses ({refused}), got {str(plain(ours))[:300]}"
    return (
        None
        if same(ours, theirs)
        else f"seed {seed}: {str(plain(ours))[:600]}\nPython reads {str(theirs)[:600]}"
    )


def compare(seeds: Iterable[int], folder: Path) -> list[str]:
    """The differences of the tables of all seeds; files are written to `folder`."""
    return [text for seed in seeds if (text := compare_one(seed, folder)) is not None]
