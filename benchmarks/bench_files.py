"""Files of lines, and vocabularies of them: read_lines, load and VocabularyBuilder, compared with other readers."""

import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.bench_lists import from_tensor
from benchmarks.corpora import SEED, Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops import VocabularyBuilder
from torch_stringops.data import StringColumn, load, read_lines, save

FILE_BYTES = 200_000_000
LINES = "ours, read_lines"
LOAD = "ours, load"
BUILDER = "ours, VocabularyBuilder"
BATCHES = "ours, load, batches"
# Files are written once in a process, and removed with it.
_folder: list[tempfile.TemporaryDirectory[str]] = []


def text_file(corpus: Corpus, num_bytes: int) -> Path:
    """The strings of a corpus as lines, repeated."""
    if not _folder:
        _folder.append(tempfile.TemporaryDirectory(prefix="benchmarks"))
    path = Path(_folder[0].name) / f"{corpus.name}-{num_bytes}.txt"
    if not path.exists():
        block = "".join(f"{line}\n" for line in corpus.strings).encode()
        with open(path, "wb") as file:
            for _ in range(max(1, num_bytes // len(block))):
                file.write(block)
    return path


def few(column: Any) -> canonical.Ragged:
    """The number of strings, and some of them: a canonical form of all would take minutes."""
    size = len(column)
    at = np.random.default_rng([SEED, 15]).integers(0, size, 1000)
    found = (
        column[at.tolist()].tolist() if isinstance(column, StringColumn) else [column[i] for i in at.tolist()]
    )
    return canonical.from_strings([str(size), *found])


def python_lines(path: Path) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


@peers.needs("pyarrow")
def arrow_lines(path: Path) -> peers.Contenders:
    csv = peers.load("pyarrow.csv")
    # No character is a delimiter or a quote, and no column is converted.
    options = {
        "read_options": csv.ReadOptions(column_names=["line"], use_threads=False),
        "parse_options": csv.ParseOptions(delimiter="\x1f", quote_char=False, ignore_empty_lines=False),
        "convert_options": csv.ConvertOptions(column_types={"line": "string"}),
    }

    def call() -> Any:
        return csv.read_csv(path, **options).column(0)

    def converted(column: Any) -> canonical.Ragged:
        return few(StringColumn.from_arrow(column, missing=""))

    return [Contender("pyarrow.csv", call, converted)]


@peers.needs("polars")
def polars_lines(path: Path) -> peers.Contenders:
    polars = peers.load("polars")

    def call() -> Any:
        return polars.read_csv(path, has_header=False, separator="\x1f", quote_char=None)

    return [Contender("polars", call, lambda frame: few(frame.to_series()))]


def lines(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    path = text_file(corpus, round(FILE_BYTES * context.scale))
    saved = path.with_suffix(".arrow")
    if not saved.exists():
        save(read_lines(path), saved)
    contenders: peers.Contenders = [
        ours.contender(LINES, partial(read_lines, path), few),
        ours.contender(LOAD, partial(load, saved), few),
        *arrow_lines(path),
        *polars_lines(path),
        Contender("Python", partial(python_lines, path), few),
        *ours.memcpy(path.stat().st_size),
    ]
    size = path.stat().st_size
    title = f"Lines of a file of {size / 1e6:,.0f} MB. W1: {corpus.description}"
    targets = [Target(LINES, name, 1) for name in ("pyarrow.csv", "polars", "Python")]
    return Comparison(title, contenders, [*targets, Target(LOAD, LINES, 10)], size)


def vocabulary(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    size = round(FILE_BYTES / 4 * context.scale)
    path = text_file(corpus, size)

    def build() -> Any:
        builder = VocabularyBuilder(delimiter=" ", skip_empty=True).add(read_lines(path))
        return builder.build(pad_token=None, unknown_token=None).counts

    def count() -> Any:
        counter: Counter[str] = Counter()
        with open(path, encoding="utf-8") as file:
            for line in file:
                counter.update(word for word in line[:-1].split(" ") if word)
        return np.array([n for _, n in counter.most_common()])

    contenders: peers.Contenders = [
        ours.contender(BUILDER, build, counts),
        *polars_vocabulary(path),
        Contender("Python Counter", count, counts),
        *ours.memcpy(path.stat().st_size),
    ]
    return Comparison(
        f"Counts of the words of {path.stat().st_size / 1e6:,.0f} MB of lines. W1: {corpus.description}",
        contenders,
        [Target(BUILDER, name, 1) for name in ("polars", "Python Counter")],
        path.stat().st_size,
    )


def counts(values: Any) -> canonical.Ragged:
    """Counts in descending order. Words of equal counts may stand in any order."""
    return canonical.from_strings([str(n) for n in np.asarray(values).tolist()])


@peers.needs("polars")
def polars_vocabulary(path: Path) -> peers.Contenders:
    polars = peers.load("polars")

    def call() -> Any:
        frame = polars.read_csv(
            path, has_header=False, separator="\x1f", quote_char=None, new_columns=["line"]
        )
        words = frame.select(polars.col("line").str.split(" ").explode().alias("word"))
        found = words.filter(polars.col("word") != "").group_by("word").len().sort("len", descending=True)
        return found["len"].to_numpy()

    return [Contender("polars", call, counts)]


def batches(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    path = text_file(corpus, round(FILE_BYTES * context.scale))
    saved = path.with_suffix(".arrow")
    column = read_lines(path)
    if not saved.exists():
        save(column, saved)
    positions = [np.random.default_rng([SEED, i]).integers(0, len(column), 64).tolist() for i in range(100)]

    def read(strings: Any) -> list[Any]:
        return [strings[at] for at in positions]

    def joined(found: list[Any]) -> canonical.Ragged:
        return canonical.joined(map(from_tensor, found))

    contenders: peers.Contenders = [
        ours.contender(BATCHES, partial(read, load(saved)), joined),
        ours.contender(f"{LINES}, batches", partial(read, column), joined),
        *hugging_face_batches(column, path, positions),
        *ours.memcpy(2 * 6400 * path.stat().st_size // len(column)),
    ]
    return Comparison(
        f"100 random batches of 64 lines of {path.stat().st_size / 1e6:,.0f} MB. W1: {corpus.description}",
        contenders,
        [Target(BATCHES, "datasets", 2), Target(f"{LINES}, batches", "datasets", 2)],
    )


@peers.needs("datasets")
def hugging_face_batches(column: StringColumn, path: Path, positions: list[list[int]]) -> peers.Contenders:
    """A dataset mapped from a file of record batches of 1,000 rows, as the library writes them."""
    arrow, datasets = peers.load("pyarrow"), peers.load("datasets")
    mapped = path.with_suffix(".stream")
    if not mapped.exists():
        schema = arrow.schema([("text", arrow.utf8())])
        with arrow.OSFile(str(mapped), "wb") as sink, arrow.ipc.new_stream(sink, schema) as writer:
            for strings in column:
                table = arrow.table([arrow.array(strings, arrow.utf8())], schema=schema)
                writer.write_table(table, max_chunksize=1000)
    dataset = datasets.Dataset.from_file(str(mapped))

    def call() -> list[list[str]]:
        return [dataset[at]["text"] for at in positions]

    return [Contender("datasets", call, lambda found: canonical.joined(map(canonical.from_strings, found)))]


ROWS: list[Row] = [
    Row("files/lines", lines),
    Row("files/vocabulary", vocabulary),
    Row("files/batches of 64", batches),
]
