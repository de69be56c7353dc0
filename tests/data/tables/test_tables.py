"""read_csv, read_jsonl, read_parquet, read_arrow: columns of several files, and errors with file and row."""

import contextlib
import gzip
import json
import random

import pyarrow
import pyarrow.parquet
import pytest
import torch

from torch_stringops.data import ColumnDataset, StringColumn, read_arrow, read_csv, read_jsonl, read_parquet
from torch_stringops.data.tables import blocks, builder, readers

ROWS = [{"text": f"row {i}, é", "n": i, "x": i / 2, "yes": i % 2 == 0} for i in range(50)]


def csv(path, rows):
    lines = [",".join(rows[0])] + [f'"{r["text"]}",{r["n"]},{r["x"]},{str(r["yes"]).lower()}' for r in rows]
    raw = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def parquet(path, rows):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def arrow(path, rows):
    table = pyarrow.Table.from_pylist(rows)
    new = pyarrow.ipc.new_stream if path.suffix == ".arrows" else pyarrow.ipc.new_file
    with pyarrow.OSFile(str(path), "wb") as sink, new(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)


KINDS = {
    "csv": (csv, read_csv), "csv.gz": (csv, read_csv), "jsonl": (jsonl, read_jsonl),
    "parquet": (parquet, read_parquet), "arrow": (arrow, read_arrow), "arrows": (arrow, read_arrow),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_several_files(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(blocks, "_TABLE_BYTES", 400)
    monkeypatch.setattr(readers, "_BATCH_ROWS", 7)
    monkeypatch.setattr(builder, "PIECE_BYTES", 16 * 300)
    write, read = KINDS[kind]
    write(tmp_path / f"1.{kind}", ROWS[:30])
    write(tmp_path / f"2.{kind}", ROWS[30:])
    found = read(str(tmp_path / f"*.{kind}"))
    assert list(found) == ["text", "n", "x", "yes"]
    assert found["text"][:].tolist() == [row["text"] for row in ROWS]
    assert len(found["text"].chunks) > 2
    for name, dtype in [("n", torch.int64), ("x", torch.float64), ("yes", torch.bool)]:
        assert found[name].dtype is dtype
        assert found[name].tolist() == [row[name] for row in ROWS]
    assert ColumnDataset(**found)[[33]]["n"].tolist() == [33]
    assert list(read(tmp_path / f"1.{kind}", columns=["yes", "text"])) == ["yes", "text"]
    assert isinstance(read(tmp_path / f"1.{kind}", columns="text"), StringColumn)
    with pytest.raises(ValueError, match=rf"{read.__name__}: .*1\.{kind}: .*other"):
        read(tmp_path / f"1.{kind}", columns="other")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / f"3.{kind}")


def test_columns_that_look_like_numbers_are_text_if_asked_for(tmp_path):
    (tmp_path / "a.csv").write_text("zip;n\n01234;1\n;2\n")
    found = read_csv(tmp_path / "a.csv", delimiter=";", text=["zip"])
    assert found["zip"][:].tolist() == ["01234", ""]
    assert found["n"].tolist() == [1, 2]


def test_missing_values(tmp_path):
    parquet(tmp_path / "a.parquet", [{"a": "x", "n": 1}, {"a": None, "n": 2}])
    assert read_parquet(tmp_path / "a.parquet", missing="-")["a"][:].tolist() == ["x", "-"]
    with pytest.raises(ValueError, match=r"a.parquet: column 'a', row 2: expected no missing strings"):
        read_parquet(tmp_path / "a.parquet")
    parquet(tmp_path / "b.parquet", [{"n": 1}, {"n": None}])
    with pytest.raises(ValueError, match="b.parquet: column 'n', row 2: expected no missing numbers"):
        read_parquet(tmp_path / "b.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"d": [[[1]]]}), tmp_path / "c.parquet")
    with pytest.raises(ValueError, match="c.parquet: column 'd'"):
        read_parquet(tmp_path / "c.parquet")


@pytest.mark.parametrize(
    ("read", "raw", "text"),
    [
        (read_csv, b"a,b\nx,1\nsecret,2,3\n", r"a: row 3: expected 2 fields, got 3"),
        (read_csv, b"a,b\nx,1\nsecret\n", r"a: row 3: expected 2 fields, got 1"),
        (read_jsonl, b'{"a": "x"}\n{"a": "secret" 3}\n', "a: row 2: expected a JSON object: "),
        (read_jsonl, b'{"a": "x"}\n\n{"a": "sec', "a: row 2: expected a JSON object: "),
        (
            read_jsonl,
            b'{"a": "x"}\n{"a": 5}\n',
            r"a: column 'a', row 2: expected strings as before, got numbers \(pass text=\['a'\] to read strings\)",
        ),
        (read_parquet, b"PAR1 and more", "a: Parquet magic bytes not found"),
        (read_arrow, b"ARROW1 and more", "a: "),
        (read_arrow, b"", "a: "),
    ],
)
def test_broken_files_are_errors_with_file_and_row(tmp_path, read, raw, text):
    (tmp_path / "a").write_bytes(raw)
    with pytest.raises(ValueError, match=rf"{read.__name__}: .*{text}") as caught:
        read(tmp_path / "a")
    assert "secret" not in str(caught.value)


def test_files_with_other_columns(tmp_path):
    jsonl(tmp_path / "a", [{"a": "x", "n": 1}])
    jsonl(tmp_path / "b", [{"a": "x", "n": "y"}])
    jsonl(tmp_path / "c", [{"a": "x"}])
    with pytest.raises(
        ValueError,
        match=r"b: column 'n', rows from 1: expected numbers as before, got strings \(pass text=\['n'\]",
    ):
        read_jsonl([tmp_path / "a", tmp_path / "b"])
    assert read_jsonl([tmp_path / "a", tmp_path / "b"], text="n")["n"][:].tolist() == ["1", "y"]
    with pytest.raises(ValueError, match=r"c: expected the columns of the files before, \['a', 'n'\]"):
        read_jsonl([tmp_path / "a", tmp_path / "c"])


def test_a_truncated_compressed_file_and_a_folder(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"x,1\n" * 5000)[:-12])
    with pytest.raises(
        ValueError, match=r"read_csv: .*a\.csv\.gz: the compressed data is damaged: Compressed file ended"
    ):
        read_csv(tmp_path / "a.csv.gz")
    for read in (read_csv, read_jsonl, read_parquet, read_arrow):
        with pytest.raises(IsADirectoryError):
            read(tmp_path)


def test_files_of_json_lines_may_have_no_rows(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"")
    (tmp_path / "b.jsonl").write_bytes(b'{"a": "x"}\n')
    assert read_jsonl(str(tmp_path / "*.jsonl"))["a"][:].tolist() == ["x"]
    assert read_jsonl(tmp_path / "a.jsonl") == {}


@pytest.mark.parametrize("kind", ["utf8", "large_utf8", "string_view", "dictionary"])
def test_a_damaged_arrow_file_is_an_error_or_other_strings(tmp_path, kind):
    """Its buffers may be shorter than the offsets, indices or lengths say."""
    array = pyarrow.array(["ab", "", "a string of more than twelve"] * 20)
    array = array.dictionary_encode() if kind == "dictionary" else array.cast(getattr(pyarrow, kind)())
    path, table = tmp_path / "a.arrow", pyarrow.table({"text": array})
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    raw, chance, accepted = path.read_bytes(), random.Random(0), 0
    for _ in range(150):
        damaged = bytearray(raw)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(raw))] = chance.choice([0, 1, 255, chance.randrange(256)])
        path.write_bytes(damaged)
        with contextlib.suppress(ValueError):
            read_arrow(path, columns="text", missing="")[:].tolist(as_bytes=True)
            accepted += 1
    assert 0 < accepted < 150
