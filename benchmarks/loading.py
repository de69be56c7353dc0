"""Rows of files, columns in chunks, batches of a DataLoader and tokens in files, compared with other readers.

A worker and the process that reads take turns, so rows with workers use all cores and measure the wall's time.
"""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from torch.utils.data import DataLoader

from benchmarks import canonical, epoch_memory, ours
from benchmarks.corpora import SEED, Corpus
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row
from benchmarks.trained import MODELS
from torch_stringops import SubwordTokenizer
from torch_stringops._atomic import replacing
from torch_stringops.data import ColumnDataset, StreamingDataset, StringColumn, load, read_lines, save
from torch_stringops.pretrain import count_tokens, write_tokens

FILE_BYTES = 200_000_000
GROUP = 100_000  # rows of a row group
BATCH = 1024


@lru_cache(maxsize=1)
def folder() -> tempfile.TemporaryDirectory[str]:
    """Files are written once in a process, and removed with it."""
    return tempfile.TemporaryDirectory(prefix="benchmarks")


def text_file(corpus: Corpus, num_bytes: float) -> Path:
    """The strings of a corpus as lines, repeated."""
    path = Path(folder().name) / f"{corpus.name}-{num_bytes:.0f}.txt"
    if not path.exists():
        block = b"".join(line.replace(b"\n", b" ") + b"\n" for line in corpus.encoded)
        with path.open("wb") as file:
            for _ in range(max(1, round(num_bytes) // len(block))):
                file.write(block)
    return path


def saved(path: Path) -> Path:
    arrow = path.with_suffix(".arrow")
    if not arrow.exists():
        save(read_lines(path), arrow)
    return arrow


def parquet_file(text: Path) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    path = text.with_suffix(".parquet")
    if not path.exists():
        schema = pa.schema([("line", pa.utf8()), ("label", pa.int64())])
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for strings in read_lines(text):
                columns = [pa.array(strings, pa.utf8()), pa.array(range(len(strings)), pa.int64())]
                writer.write_table(pa.table(columns, schema=schema), row_group_size=GROUP)
    return path


def installed(name: str, make: Callable[[], Contender]) -> Contender | Skipped:
    try:
        return make()
    except ImportError as error:
        return Skipped(name, f"not installed ({error})")


def comparison(title: str, contenders: Sequence[Contender | Skipped], num_bytes: int, **how: Any) -> Comparison:
    """The first contender against the others."""
    found = [c for c in contenders if isinstance(c, Contender)]
    targets = [Target(found[0].name, other.name) for other in found[1:]]
    return Comparison(title, [*contenders, *ours.memcpy(num_bytes)], targets, num_bytes, **how)


# Lines of a file.


def few(column: Any) -> Any:
    """The number of strings, and some of them: a canonical form of all would take minutes."""
    at = np.random.default_rng([SEED, 15]).integers(0, len(column), 1000).tolist()
    found = column[at].tolist() if isinstance(column, StringColumn) else [column[i] for i in at]
    return [str(len(column)), *found]


def python_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def arrow_lines(path: Path) -> Contender:
    from pyarrow import csv

    # No character is a delimiter or a quote, and no column is converted.
    options = {
        "read_options": csv.ReadOptions(column_names=["line"], use_threads=False),
        "parse_options": csv.ParseOptions(delimiter="\x1f", quote_char=False, ignore_empty_lines=False),
        "convert_options": csv.ConvertOptions(column_types={"line": "string"}),
    }
    call = lambda: csv.read_csv(path, **options).column(0)  # noqa: E731
    return Contender("pyarrow.csv", call, lambda column: few(StringColumn.from_arrow(column, missing="")))


def polars_lines(path: Path) -> Contender:
    import polars as pl

    call = partial(pl.read_csv, path, has_header=False, separator="\x1f", quote_char=None)
    return Contender("polars", call, lambda frame: few(frame.to_series()))


def lines(workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    path = text_file(corpus, FILE_BYTES * context.scale)
    size = path.stat().st_size
    contenders = [
        Contender("ours, read_lines", partial(read_lines, path), few, ours=True),
        installed("pyarrow.csv", partial(arrow_lines, path)),
        installed("polars", partial(polars_lines, path)),
        Contender("Python", partial(python_lines, path), few),
    ]
    return comparison(f"Lines of a file of {size / 1e6:,.0f} MB. {corpus.description}", contenders, size)


def positions_of(count: int, size: int) -> list[list[int]]:
    rng = np.random.default_rng([SEED, size])
    return [rng.integers(0, count, size).tolist() for _ in range(100)]


def each_of(strings: Any, positions: list[list[int]]) -> list[Any]:
    return [strings[at] for at in positions]


def hugging_face(dataset: Callable[[Any], Any], positions: list[list[int]]) -> Contender:
    import datasets

    found = dataset(datasets.Dataset)
    return Contender("datasets", lambda: [found[at]["text"] for at in positions], canonical.joined)


def mapped(column: StringColumn, path: Path, dataset: Any) -> Any:
    """A dataset mapped from a file of record batches of 1,000 rows, as the library writes them."""
    import pyarrow as pa

    schema, stream = pa.schema([("text", pa.utf8())]), path.with_suffix(".stream")
    with pa.OSFile(str(stream), "wb") as sink, pa.ipc.new_stream(sink, schema) as writer:
        for strings in column:
            writer.write_table(pa.table([pa.array(strings, pa.utf8())], schema=schema), max_chunksize=1000)
    return dataset.from_file(str(stream))


def batches(workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    path = text_file(corpus, FILE_BYTES * context.scale)
    column, size = read_lines(path), path.stat().st_size
    positions = positions_of(len(column), 64)
    contenders = [
        Contender("ours, load, batches", partial(each_of, load(saved(path)), positions), canonical.joined, ours=True),
        installed("datasets", partial(hugging_face, partial(mapped, column, path), positions)),
    ]
    traffic = 2 * 6400 * size // len(column)
    return comparison(
        f"100 random batches of 64 lines of {size / 1e6:,.0f} MB. {corpus.description}", contenders, traffic
    )


def in_chunks(workload: str, size: int, chunks: int, context: Context) -> Comparison:
    """Random batches of a column in about so many chunks, none of which shares memory."""
    corpus = context.corpus(workload)
    step, positions = -(-len(corpus) // chunks), positions_of(len(corpus), size)
    column = StringColumn([corpus.strings[at : at + step] for at in range(0, len(corpus), step)])
    contenders = [
        Contender("ours, StringColumn", partial(each_of, column, positions), canonical.joined, ours=True),
        installed(
            "datasets",
            partial(hugging_face, lambda dataset: dataset.from_dict({"text": corpus.strings}), positions),
        ),
        Contender(
            "ours, one StringTensor",
            partial(each_of, ours.string_tensor(corpus), positions),
            canonical.joined,
            ours=True,
        ),
    ]
    traffic = 200 * corpus.num_bytes * size // len(corpus)
    return comparison(f"100 random batches of {size:,} strings of a column in {chunks:,} chunks", contenders, traffic)


# Streams of a file.


def firsts(batches: Iterable[Any], column_of: Callable[[Any], Any]) -> tuple[int, list[str]]:
    """The number of rows, and the first row of each batch."""
    rows, found = 0, []
    for batch in batches:
        column = column_of(batch)
        rows += len(column)
        found.append(column[0])
    return rows, [first.as_py() if hasattr(first, "as_py") else first.item() for first in found]


def stream(path: Path) -> tuple[int, list[str]]:
    column_of = lambda batch: batch["line"] if isinstance(batch, dict) else batch  # noqa: E731
    return firsts(StreamingDataset(path, batch_size=BATCH), column_of)


def scanner(path: Path, shown: Callable[[Any], Any]) -> Contender:
    import pyarrow.dataset as ds
    from pyarrow import csv

    options: dict[str, Any] = {}
    if path.suffix == ".txt":  # no character is a delimiter or a quote
        options["format"] = ds.CsvFileFormat(
            parse_options=csv.ParseOptions(delimiter="\x1f", quote_char=False, ignore_empty_lines=False),
            read_options=csv.ReadOptions(column_names=["line"]),
        )

    def scan() -> tuple[int, list[str]]:
        batches = ds.dataset(path, **options).scanner(batch_size=BATCH, use_threads=False).to_batches()
        return firsts(batches, lambda batch: batch.column(0))

    return Contender("pyarrow.dataset's scanner", scan, shown)


def streams(workload: str, kind: str, context: Context) -> Comparison:
    """Batches of the scanner end with row groups and blocks, so that only the first ones are equal."""
    corpus = context.corpus(workload)
    text = text_file(corpus, FILE_BYTES * context.scale)
    path, size = text if kind == "text" else parquet_file(text), text.stat().st_size
    most = 1 if kind == "text" else GROUP // BATCH
    shown = lambda found: [str(found[0]), *found[1][:most]]  # noqa: E731
    contenders = [
        Contender("ours, StreamingDataset", partial(stream, path), shown, ours=True),
        installed("pyarrow.dataset's scanner", partial(scanner, path, shown)),
    ]
    title = f"Batches of {BATCH:,} rows of a file of {kind}, {size / 1e6:,.0f} MB of text. {corpus.description}"
    return comparison(title, contenders, size)


# A DataLoader.


def epoch(dataset: Any, batch_size: int, order: Sequence[int]) -> Callable[[], list[Any]]:
    """A call that reads all batches. The workers live on between calls."""
    options: dict[str, Any] = {"num_workers": 2, "persistent_workers": True, "prefetch_factor": 4}
    return partial(list, DataLoader(dataset, batch_size, sampler=order, **options))


def hugging_face_epoch(strings: list[str], batch_size: int, order: Sequence[int]) -> Contender:
    import datasets

    call = epoch(datasets.Dataset.from_dict({"text": strings}), batch_size, order)
    return Contender("datasets", call, lambda found: canonical.joined(batch["text"] for batch in found))


def loader(workload: str, batch_size: int, context: Context) -> Comparison:
    title = f"Batches of {batch_size:,} strings from two workers of a DataLoader"
    if len(context.cpus) < 2:
        return Comparison(f"{title} (this process has one core)")
    corpus = context.corpus(workload)
    order = np.random.default_rng(0).permutation(len(corpus)).tolist()[: 200 * batch_size]
    mine = epoch(ColumnDataset(ours.string_tensor(corpus)), batch_size, order)
    contenders = [
        Contender("ours, ColumnDataset", mine, lambda found: canonical.joined(text for (text,) in found), ours=True),
        Contender("list[str]", epoch(corpus.strings, batch_size, order), canonical.joined),
        installed("datasets", partial(hugging_face_epoch, corpus.strings, batch_size, order)),
    ]
    traffic = 2 * corpus.num_bytes * len(order) // len(corpus)
    return comparison(f"{title}. {corpus.description}; wall clock", contenders, traffic, cpus=len(context.cpus))


def memory(context: Context) -> Comparison:
    path = text_file(context.corpus("W1"), FILE_BYTES / 2 * context.scale)
    title = f"Memory (PSS) of a process and two workers over an epoch of {path.stat().st_size / 1e6:,.0f} MB of lines"
    return Comparison(title, figures=partial(epoch_memory.figures, path), cpus=len(context.cpus))


# Tokens of files.


def new_folder() -> str:
    return tempfile.mkdtemp(dir=folder().name)


def documents(workload: str, num_bytes: float, context: Context) -> tuple[StringColumn, int]:
    """A corpus, repeated, in a file of `save`; and the bytes of the text."""
    corpus = context.corpus(workload)
    times = max(1, round(num_bytes * context.scale / corpus.num_bytes))
    path = Path(new_folder()) / "documents.arrow"
    save(StringColumn([ours.string_tensor(corpus)] * times), path)
    return load(path), times * corpus.num_bytes


def number_of_tokens(found: Any) -> Any:
    return np.array([found if isinstance(found, int) else found["tokens"] - found["documents"]])


def writing(workload: str, context: Context) -> Comparison:
    """write_tokens, encoding alone, and the same files without encoding."""
    column, size = documents(workload, 50_000_000, context)
    tokenizer, first = SubwordTokenizer.from_file(MODELS["gpt2"].source), new_folder()
    write = partial(write_tokens, column, tokenizer, shard_bytes=2**23, eos_id=0, progress=False)
    write(first)
    files = {path.name: path.read_bytes() for path in Path(first).iterdir()}

    def write_files(folder: str) -> None:
        for name, content in files.items():
            with replacing(Path(folder) / name) as file:
                file.write(content)

    contenders = [
        Contender("ours, write_tokens", write, number_of_tokens, prepare=new_folder, ours=True),
        Contender("encoding alone", partial(count_tokens, column, tokenizer), number_of_tokens, ours=True),
        Contender("the same files, without encoding", write_files, None, prepare=new_folder),
    ]
    targets = [Target("ours, write_tokens", "encoding alone")]
    title = f"Tokens of files. {size / 1e6:,.0f} MB of {workload}, byte-level BPE"
    return Comparison(title, [*contenders, *ours.memcpy(size)], targets, size, max_rounds=3)


ROWS = [
    Row("files/lines", partial(lines, "W1")),
    Row("files/lines of log", partial(lines, "log")),
    Row("files/batches of 64", partial(batches, "W1")),
    Row("files/stream of text", partial(streams, "W1", "text")),
    Row("files/stream of Parquet", partial(streams, "W1", "Parquet")),
    Row("files/stream of log", partial(streams, "log", "text")),
    Row("column/batches of 64, 1,000 chunks", partial(in_chunks, "W1", 64, 1000)),
    Row("column/batches of 1,024 messages, 64 chunks", partial(in_chunks, "messages", 1024, 64)),
    *(Row(f"dataloader/batch {n}", partial(loader, "W1", n), all_threads=True) for n in (32, 256)),
    Row("dataloader/batch 256 of messages", partial(loader, "messages", 256), all_threads=True),
    Row("dataloader/memory of an epoch", memory),
    Row("write_tokens/paragraphs", partial(writing, "paragraphs")),
    Row("write_tokens/messages", partial(writing, "messages")),
]
