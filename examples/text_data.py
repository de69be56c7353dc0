"""Labelled texts for train_text_classifier.py: sources of Python's standard library, or a file of labelled texts.

Both are returned as `LabelledText`: a StringTensor, and labels as int64.
"""

from __future__ import annotations

import csv
import json
import random
import sysconfig
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torch_stringops import StringTensor

# Directories with tests, generated files, or packages that are not part of the standard library.
NOT_SOURCES = {"test", "tests", "idle_test", "site-packages", "dist-packages", "lib-dynload", "__pycache__"}


@dataclass
class LabelledText:
    """Strings `[n]` and their classes, int64 `[n]`."""

    text: StringTensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    @staticmethod
    def from_pairs(pairs: list[tuple[str, int]]) -> LabelledText:
        return LabelledText(
            StringTensor.from_list([text for text, _ in pairs]),
            torch.tensor([label for _, label in pairs], dtype=torch.int64),
        )


@dataclass
class Corpus:
    train: LabelledText
    test: LabelledText
    class_names: list[str]
    description: str  # what the strings are, and how they are divided into train and test


def standard_library(seed: int, lines_per_chunk: int, num_packages: int = 20, test_share: float = 0.2) -> Corpus:
    """Chunks of consecutive source lines, labelled with their package in the standard library.

    Uses the largest packages of the running Python. No file is in both train and test: in each package, files are drawn
    for test until they have `test_share` of its characters.
    """
    root = Path(sysconfig.get_path("stdlib"))
    packages: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        *folders, _ = path.relative_to(root).parts
        if not folders or NOT_SOURCES & set(folders) or folders[0].startswith("config-"):
            continue
        source = read_source(path)
        if source:
            packages[folders[0]].append(source)
    # Packages with fewer than three files would have one or two files for training.
    large = {name: files for name, files in packages.items() if len(files) >= 3}
    names = sorted(large, key=lambda name: -sum(map(len, large[name])))[:num_packages]

    rng = random.Random(seed)
    train: list[tuple[str, int]] = []
    test: list[tuple[str, int]] = []
    for label, name in enumerate(names):
        for source, is_test in draw_test_files(large[name], test_share, rng):
            chunks = [(chunk, label) for chunk in chunks_of(source, lines_per_chunk)]
            (test if is_test else train).extend(chunks)
    # Some chunks, such as licenses, occur in several files: drop those of train from test.
    trained = {chunk for chunk, _ in train}
    test = [(chunk, label) for chunk, label in test if chunk not in trained]
    return Corpus(
        LabelledText.from_pairs(train),
        LabelledText.from_pairs(test),
        names,
        f"chunks of {lines_per_chunk} lines from the {len(names)} largest packages in {root}; "
        "train and test have no file and no chunk in common",
    )


def read_source(path: Path) -> str:
    try:
        with tokenize.open(path) as file:  # decodes as Python does
            return file.read()
    except (SyntaxError, UnicodeDecodeError):
        return ""


def draw_test_files(files: list[str], share: float, rng: random.Random) -> Iterator[tuple[str, bool]]:
    """Yields each file, in random order, and whether it is for test. At least one file is for training."""
    total = sum(map(len, files))
    taken = 0
    drawn = rng.sample(files, len(files))
    for i, source in enumerate(drawn):
        is_test = taken < share * total and len(source) <= total / 2 and i < len(drawn) - 1
        taken += len(source) * is_test
        yield source, is_test


def chunks_of(source: str, num_lines: int) -> Iterator[str]:
    lines = source.splitlines(keepends=True)
    for i in range(0, len(lines), num_lines):
        chunk = "".join(lines[i : i + num_lines])
        if chunk.strip():
            yield chunk


def user_file(path: Path, text_column: str, label_column: str, seed: int, test_share: float = 0.2) -> Corpus:
    """Rows of a CSV, JSON lines, Parquet or Arrow/Feather file, divided at random into train and test."""
    readers = {
        ".csv": read_csv,
        ".tsv": read_csv,
        ".jsonl": read_json_lines,
        ".ndjson": read_json_lines,
        ".parquet": read_arrow,
        ".arrow": read_arrow,
        ".feather": read_arrow,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{path}: expected a file named {', '.join('*' + suffix for suffix in readers)}")
    rows = [
        (str(text), str(label)) for text, label in reader(path, text_column, label_column) if text and label is not None
    ]
    names = sorted({label for _, label in rows})
    if len(names) < 2:
        raise ValueError(f"{path}: expected at least 2 different labels in column {label_column!r}, got {len(names)}")
    numbers = {name: i for i, name in enumerate(names)}
    pairs = [(text, numbers[label]) for text, label in rows]
    random.Random(seed).shuffle(pairs)
    num_test = max(1, round(test_share * len(pairs)))
    return Corpus(
        LabelledText.from_pairs(pairs[num_test:]),
        LabelledText.from_pairs(pairs[:num_test]),
        names,
        f"rows of {path}, {test_share:.0%} of them drawn for test",
    )


def column_error(path: Path, column: str, columns: Iterable[str]) -> ValueError:
    return ValueError(f"{path}: no column {column!r}; it has {', '.join(columns)} (see --text-column, --label-column)")


def read_csv(path: Path, text_column: str, label_column: str) -> Iterator[tuple[Any, Any]]:
    csv.field_size_limit(2**31 - 1)
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        for column in (text_column, label_column):
            if column not in (table.fieldnames or ()):
                raise column_error(path, column, table.fieldnames or ())
        for row in table:
            yield row[text_column], row[label_column]


def read_json_lines(path: Path, text_column: str, label_column: str) -> Iterator[tuple[Any, Any]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            if not isinstance(row, dict):
                raise ValueError(f"{path}, line {number}: expected an object, got {type(row).__name__}")
            for column in (text_column, label_column):
                if column not in row:
                    raise column_error(path, column, row)
            yield row[text_column], row[label_column]


def read_arrow(path: Path, text_column: str, label_column: str) -> Iterator[tuple[Any, Any]]:
    try:
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"{path}: reading {path.suffix} needs pyarrow (pip install pyarrow)") from None
    read = pyarrow.parquet.read_table if path.suffix.lower() == ".parquet" else pyarrow.feather.read_table
    table = read(path)
    for column in (text_column, label_column):
        if column not in table.column_names:
            raise column_error(path, column, table.column_names)
    return zip(table[text_column].to_pylist(), table[label_column].to_pylist(), strict=True)
