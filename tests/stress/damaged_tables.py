"""Damaged Arrow and Parquet files, an entry point of damaged_input: an error that names the file, or valid strings."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from stress.damage import flip, require, use

from torch_stringops.data import StreamingDataset, load, read_arrow, read_parquet


def arrow_files() -> list[tuple[bytes, list[str]]]:
    """Arrow files and streams of each kind of columns, with their names, and a Parquet file."""
    texts = ["to", None, "be", "", "\u65e5\u672c"] * 9
    columns = [
        pa.array(texts),
        pa.array(texts, pa.large_string()),
        pa.array(texts).dictionary_encode(),
        pa.array([[1, 2], None, []] * 15),
        pa.array([texts[:3], [], None] * 15),
        pa.array([[1, 2], [3, 4], None] * 15, pa.list_(pa.int32(), 2)),
        pa.ListArray.from_arrays(range(46), pa.array(texts).dictionary_encode()),
        pa.array([True, None, False] * 15),
    ]
    table = pa.table({str(i): column for i, column in enumerate(columns)})
    found = []
    for part in [table, *(table.select([i]) for i in range(len(columns)))]:
        for new in (pa.ipc.new_file, pa.ipc.new_stream):
            sink = pa.BufferOutputStream()
            with new(sink, part.schema) as writer:
                writer.write_table(part, max_chunksize=20)
            found.append((sink.getvalue().to_pybytes(), part.column_names))
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink)
    return [*found, (sink.getvalue().to_pybytes(), table.column_names)]


ARROW_FILES: list[tuple[bytes, list[str]]] = []


def table_file(rng: random.Random) -> None:
    if not ARROW_FILES:
        ARROW_FILES.extend(arrow_files())
    number = rng.randrange(len(ARROW_FILES))
    raw, names = ARROW_FILES[number]
    is_parquet = number == len(ARROW_FILES) - 1
    missing = {name: False if name == "7" else 0 if name in "35" else "?" for name in names}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("a.parquet" if is_parquet else "a.arrow")
        damaged = bytearray(raw)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(raw))] = rng.choice([0, 1, 4, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        path.write_bytes(damaged if rng.random() < 0.8 else flip(rng, raw))
        try:
            match rng.randrange(3):
                case 0:
                    use((read_parquet if is_parquet else read_arrow)(path, missing=missing))
                case 1:
                    for strings in load(path).chunks:
                        use(strings)
                case _:
                    options = {"shuffle": rng.random() < 0.5, "threads": rng.choice([0, 2])}
                    for batch in StreamingDataset(path, batch_size=7, missing=missing, **options):
                        for column in batch.values():
                            use(column)
        except (ValueError, OSError) as error:
            of_names = "`missing`" in str(error)  # a damaged name
            require(str(path) in str(error) or of_names, f"the error does not name the file: {error}")
            raise
