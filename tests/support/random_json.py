"""Random files of JSON lines, and the tables that Python's `json` makes of them."""

import contextlib
import json
import random
import re
from typing import Any

from support.random_values import NUMBERS, Refused, Table, text, united

# Lists of ints, floats, texts, bools and dates.
LISTS = ["ints", "floats", "texts", "bools", "dates"]


def json_value(chance: random.Random, kind: str) -> Any:
    if chance.random() < 0.004:
        kind = chance.choice(["text", "int", "float", "missing", "nested", "ints", "texts"])
    if kind == "int":
        return chance.randrange(-999, 999) if chance.random() < 0.97 else int(chance.choice(NUMBERS))
    if kind == "float":
        return chance.uniform(-9, 9) if chance.random() < 0.9 else chance.choice([1e300, 0.1, 2.0**70, -0.0, 5.0])
    if kind == "bool":
        return chance.random() < 0.5
    if kind == "date":
        return chance.choice(["2024-01-01", "2024-01-01T10:00:00", "2024-01-01 10:00:00"])
    if kind == "nested":
        return chance.choice([[[1]], {"a": 1}, [{}], {}])
    if kind in LISTS:
        items = [json_value(chance, kind[:-1]) for _ in range(chance.choice([0, 0, 1, 2, 5]))]
        return None if chance.random() < 0.02 else items
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
    names = {bool: "bool", int: "int", float: "float", str: "text", list: "list", type(None): "missing"}
    found = {names.get(type(v), "nested") for v in values} - {"missing"}
    if found == {"list"}:
        elements = json_kind([e for v in values for e in v or ()])
        if elements.startswith("list"):
            raise Refused("nested")
        return f"list of {elements}"
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


def floats(value: Any) -> Any:
    if isinstance(value, list):
        return [floats(v) for v in value]
    return None if value is None else float(value)


def json_table(files: list[bytes], fill: float | None) -> Table:
    found = []
    for raw in files:
        if rows := json_rows(raw):
            columns: dict[str, tuple[str, list[Any]]] = {}
            for name in dict.fromkeys(name for row in rows for name in row):
                values = [row.get(name) for row in rows]
                kind = json_kind(values)
                if kind.endswith("float"):
                    values = [floats(v) for v in values]
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
