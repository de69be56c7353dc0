"""Batches of 1,024 rows of a file: StreamingDataset, in order and shuffled, and the scanner of pyarrow.dataset."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import canonical, ours, peers
from benchmarks.bench_files import FILE_BYTES, text_file
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops.data import StreamingDataset, read_lines

BATCH = 1024
STREAM = "ours, StreamingDataset"
SHUFFLED = "ours, shuffled"
SCANNER = "pyarrow.dataset's scanner"
DECODED = "pyarrow's decoding alone, 20,000 rows at a time"  # about 2 MB
# Rows of a row group.
GROUP = 100_000


def parquet_file(text: Path) -> Path:
    arrow, parquet = peers.load("pyarrow"), peers.load("pyarrow.parquet")
    path = text.with_suffix(".parquet")
    if not path.exists():
        schema = arrow.schema([("line", arrow.utf8()), ("label", arrow.int64())])
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for strings in read_lines(text):
                columns = [
                    arrow.array(strings, arrow.utf8()),
                    arrow.array(range(len(strings)), arrow.int64()),
                ]
                writer.write_table(arrow.table(columns, schema=schema), row_group_size=GROUP)
    return path


def firsts(batches: Iterable[Any], column_of: Callable[[Any], Any]) -> tuple[int, list[str]]:
    """The number of rows, and the first row of each batch."""
    rows, found = 0, []
    for batch in batches:
        column = column_of(batch)
        rows += len(column)
        found.append(column[0])
    return rows, [first.as_py() if hasattr(first, "as_py") else first.item() for first in found]


def ours_column(batch: Any) -> Any:
    return batch["line"] if isinstance(batch, dict) else batch


def scan(path: Path, options: dict[str, Any]) -> tuple[int, list[str]]:
    dataset = peers.load("pyarrow.dataset").dataset(path, **options)
    batches = dataset.scanner(batch_size=BATCH, use_threads=False).to_batches()
    return firsts(batches, lambda batch: batch.column(0))


def decode(path: Path) -> int:
    with peers.load("pyarrow.parquet").ParquetFile(path) as file:
        return sum(len(batch) for batch in file.iter_batches(20_000, use_threads=False))


def stream(path: Path, shuffle: bool) -> tuple[int, list[str]]:
    return firsts(StreamingDataset(path, batch_size=BATCH, shuffle=shuffle), ours_column)


def some(batches: int, found: tuple[int, list[str]]) -> canonical.Ragged:
    """The number of rows, and the first rows of some batches: those of the scanner end with row groups and blocks."""
    rows, first = found
    return canonical.from_strings([str(rows), *first[:batches]])


def build(kind: str, context: Context) -> Comparison:
    corpus = context.corpus("W1")
    text = text_file(corpus, round(FILE_BYTES * context.scale))
    path = text if kind == "text" else parquet_file(text)
    shown = partial(some, 1 if kind == "text" else GROUP // BATCH)
    contenders: peers.Contenders = [
        ours.contender(STREAM, partial(stream, path, False), shown),
        Contender(SHUFFLED, partial(stream, path, True)),
        *scanner(path, kind, shown),
        *ours.memcpy(text.stat().st_size),
    ]
    size = f"{text.stat().st_size / 1e6:,.0f} MB"
    title = f"Batches of {BATCH:,} rows of a file of {kind}, {size} of text. W1: {corpus.description}"
    targets = [Target(STREAM, SCANNER, 1 if kind == "text" else None), Target(SHUFFLED, STREAM, 0.6)]
    if kind == "Parquet":
        contenders.append(Contender(DECODED, partial(decode, path)))
        targets.append(Target(STREAM, DECODED, at_most=2.5))
    return Comparison(title, contenders, targets, text.stat().st_size)


@peers.needs("pyarrow")
def scanner(path: Path, kind: str, shown: Callable[[Any], canonical.Ragged]) -> peers.Contenders:
    options = {}
    if kind == "text":  # no character is a delimiter or a quote
        csv = peers.load("pyarrow.csv")
        options["format"] = peers.load("pyarrow.dataset").CsvFileFormat(
            parse_options=csv.ParseOptions(delimiter="\x1f", quote_char=False, ignore_empty_lines=False),
            read_options=csv.ReadOptions(column_names=["line"]),
        )
    return [Contender(SCANNER, partial(scan, path, options), shown)]


DECODING = (
    "Decoding by pyarrow, in parts of 2 MB that bound the memory of a stream, takes as long as the scanner altogether "
    "(54 % of our time); the rest converts each part, and copies each batch, of which the scanner makes views."
)
ROWS = [
    Row("files/stream of text", partial(build, "text")),
    Row("files/stream of Parquet", partial(build, "Parquet"), reasons={SCANNER: DECODING}),
]
