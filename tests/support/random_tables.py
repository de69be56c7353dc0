"""Random CSV and JSON files, and what Python's `csv` and `json` read from them.

`compare(seeds, folder)` reads a table for each seed by read_csv and read_jsonl and by Python, and returns the differences.
"""

import bz2
import contextlib
import gzip
import itertools
import lzma
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from support.random_csv import csv_file, csv_table
from support.random_json import LISTS, json_file, json_table
from support.random_values import Refused, Table, kinds, text
from support.streams import open_stream
from torch_stringops import StringTensor
from torch_stringops.data import StringColumn, read_csv, read_jsonl
from torch_stringops.data.tables import blocks

PACKED: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress]


def utf8(value: Any) -> Any:
    """A string as UTF-8. Surrogates are escaped bytes, or lone ones, which become U+FFFD."""
    if isinstance(value, list):
        return [utf8(v) for v in value]
    if not isinstance(value, str):
        return value
    return re.sub("[\ud800-\udc7f\udd00-\udfff]", "\ufffd", value).encode(errors="surrogateescape")


def plain(table: Any) -> dict[str, tuple[str, list[Any]]]:
    return {name: plain_column(column) for name, column in table.items()}


def plain_column(column: Any) -> tuple[str, list[Any]]:
    if isinstance(column, tuple):
        kind, elements = plain_column(column[0])
        ends = column[1].tolist()
        return f"lists of {kind}", [elements[a:b] for a, b in itertools.pairwise(ends)]
    if isinstance(column, (StringColumn, StringTensor)):
        return "strings", column[:].tolist(as_bytes=True)
    return str(column.dtype).removeprefix("torch."), column.tolist()


def same(ours: Any, theirs: Table) -> bool:
    want = {name: [utf8(v) for v in values] for name, values in theirs.items()}
    got = {name: values for name, (_, values) in plain(ours).items()}
    return repr(sorted(got.items())) == repr(sorted(want.items()))


@contextlib.contextmanager
def block_sizes(chance: random.Random) -> Iterator[None]:
    size = chance.choice([2**24, 300, 64, 17])
    before = blocks._TABLE_BYTES
    blocks._TABLE_BYTES = size
    try:
        yield
    finally:
        blocks._TABLE_BYTES = before


def compare_one(seed: int, folder: Path) -> str | None:
    """How the table of a seed differs; None if it does not."""
    chance = random.Random(seed)
    is_csv, damage = chance.random() < 0.5, chance.random() < 0.2
    width = chance.choice([1, 2, 3, 5])
    names = [f"c{i}" for i in range(width)] if chance.random() < 0.8 else [text(chance) + str(i) for i in range(width)]
    common = {"text": 4, "int": 3, "float": 2, "bool": 1, "date": 1, "missing": 0.3}
    columns = kinds(chance, width, common if is_csv else {**common, **dict.fromkeys(LISTS, 0.6)})
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
    return None if same(ours, theirs) else f"seed {seed}: {str(plain(ours))[:600]}\nPython reads {str(theirs)[:600]}"


def compare_stream(seed: int, folder: Path) -> str | None:
    """How the rows of a stream differ from those of a table; None if they do not."""
    chance = random.Random(seed)
    is_csv = chance.random() < 0.5
    names = [f"c{i}" for i in range(chance.choice([1, 2, 4]))]
    common = {"text": 4, "int": 3, "float": 2, "bool": 1, "date": 1, "missing": 0.3}
    columns = kinds(chance, len(names), common if is_csv else {**common, **dict.fromkeys(LISTS, 0.6)})
    paths = [folder / f"{seed}-{i}.{'csv' if is_csv else 'jsonl'}" for i in range(chance.choice([1, 1, 3]))]
    for path in paths:
        raw = csv_file(chance, names, columns, ",") if is_csv else json_file(chance, names, columns, False)
        path.write_bytes(raw)
    options: dict[str, Any] = {"missing": chance.choice([None, 0, 7])}
    if chance.random() < 0.3:
        options["text"] = [names[0]]
    try:
        table = plain((read_csv if is_csv else read_jsonl)(paths, **options))
    except ValueError:
        table = {}
    before, blocks._STREAM_BYTES = blocks._STREAM_BYTES, chance.choice([300, 64, 17])
    try:
        batches = list(open_stream(paths, batch_size=7, **options))
    except ValueError as error:
        text = str(error)
        return f"seed {seed}: {text}, the table is {str(table)[:300]}" if any(v for _, v in table.values()) else None
    finally:
        blocks._STREAM_BYTES = before
    streamed: dict[str, tuple[str, list[Any]]] = {}
    for batch in batches:
        for name, column in batch.items():
            kind, values = plain_column(column)
            streamed.setdefault(name, (kind, []))[1].extend(values)
    if not batches and not any(v for _, v in table.values()):
        return None
    same_rows = repr(streamed) == repr(table)
    return None if same_rows else f"seed {seed}: {str(streamed)[:600]}\nthe table is {str(table)[:600]}"


def compare(seeds: Iterable[int], folder: Path) -> list[str]:
    """The differences of the tables of all seeds; files are written to `folder`."""
    return [text for seed in seeds if (text := compare_one(seed, folder)) is not None]
