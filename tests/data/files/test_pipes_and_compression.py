"""Readers of standard input, pipes, devices, files of /proc, and files compressed under any name."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from torch_stringops.data import read_arrow, read_csv, read_jsonl, read_lines, read_parquet
from torch_stringops.data.files.local import is_compressed, open_compressed, without_compression

TABLE = pyarrow.table({"text": ["to be", "or not"], "n": [1, 2]})


def parquet() -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(TABLE, sink)
    return sink.getvalue()


def arrow(new=pyarrow.ipc.new_file) -> bytes:
    sink = io.BytesIO()
    with new(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return sink.getvalue()


CSV = b"text,n\nto be,1\nor not,2\n"
JSONL = b'{"text": "to be", "n": 1}\n{"text": "or not", "n": 2}\n'
TABLES = {
    "csv": (read_csv, CSV),
    "jsonl": (read_jsonl, JSONL),
    "parquet": (read_parquet, parquet()),
    "arrow": (read_arrow, arrow()),
    "arrow stream": (read_arrow, arrow(pyarrow.ipc.new_stream)),
}
PACKED = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda raw: pyarrow.compress(raw, codec="zstd", asbytes=True),
    "lz4": lambda raw: pyarrow.compress(raw, codec="lz4", asbytes=True),
}


@pytest.fixture
def pipe(tmp_path):
    """Bytes -> the path of a pipe, to which they are written once."""
    threads = []

    def write(raw: bytes, name: str = "pipe") -> Path:
        os.mkfifo(tmp_path / name)
        threads.append(threading.Thread(target=(tmp_path / name).write_bytes, args=[raw], daemon=True))
        threads[-1].start()
        return tmp_path / name

    yield write
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def check_table(table):
    assert table["text"][:].tolist() == ["to be", "or not"]
    assert table["n"].tolist() == [1, 2]


@pytest.mark.parametrize("packed", [bytes, *PACKED.values()], ids=["plain", *PACKED])
def test_lines_of_a_pipe(pipe, packed):
    text = b"to be\nor not\n" * 100_000  # more than a pipe holds, and than a file that is copied
    column = read_lines(pipe(packed(text)))
    assert (len(column), column[-1].item()) == (200_000, "or not")


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_a_pipe(pipe, kind, packed):
    read, raw = TABLES[kind]
    check_table(read(pipe(packed(raw))))


def test_pipes_match_a_glob(pipe, tmp_path):
    pipe(b"b\n", "b.txt")
    (tmp_path / "a.txt").write_bytes(b"a\n")
    (tmp_path / "c.txt").mkdir()
    assert read_lines(str(tmp_path / "*.txt"))[:].tolist() == ["a", "b"]


@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_standard_input(monkeypatch, kind):
    read, raw = TABLES[kind]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    check_table(read("-"))


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_lines_of_standard_input(tmp_path, kind):
    code = "from torch_stringops.data import read_lines; print(len(read_lines(['-', '/dev/stdin'])))"
    raw = b"to be\n" * 300_000  # of a file, no mapping is made
    (tmp_path / "a").write_bytes(raw)
    with open(tmp_path / "a", "rb") as file:
        given = {"stdin": file} if kind == "file" else {"input": raw}
        done = subprocess.run([sys.executable, "-c", code], **given, capture_output=True, timeout=100)
    assert done.stdout == b"300000\n", done.stderr.decode()


def test_a_file_named_as_standard_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("./-").write_bytes(b"a file\n")
    assert read_lines("./-")[:].tolist() == ["a file"]


def test_files_of_proc_and_devices():
    assert read_lines("/proc/self/status")[:].tolist()[0].startswith("Name:")
    assert len(read_lines("/dev/null")) == 0
    assert read_csv("/dev/null") == {}
    assert len(next(iter(read_csv("/proc/filesystems", delimiter="\t").values()))) > 1


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("name", ["a", "a.txt", "a.GZ", "a.gz"])
def test_compression_is_recognized_by_content(tmp_path, kind, name):
    path = tmp_path / name
    path.write_bytes(PACKED[kind](b"to be\nor not\n"))
    assert is_compressed(path)
    assert read_lines(path)[:].tolist() == ["to be", "or not"]
    for read, raw in TABLES.values():
        path.write_bytes(PACKED[kind](raw))
        check_table(read(path))
    path.write_bytes(PACKED[kind](b""))
    assert len(read_lines(path)) == 0
    assert read_jsonl(path) == read_csv(path) == {}


@pytest.mark.parametrize("kind", PACKED)
def test_concatenated_compressed_files(tmp_path, kind):
    (tmp_path / "a").write_bytes(PACKED[kind](b"to be\n") + PACKED[kind](b"or not\n"))
    assert read_lines(tmp_path / "a")[:].tolist() == ["to be", "or not"]


@pytest.mark.parametrize("suffix", [".gz", ".gzip", ".GZ", ".tgz", ".bz2", ".BZ2", ".xz", ".zst", ".zstd", ".lz4"])
def test_a_file_that_begins_otherwise_than_its_suffix_says_is_damaged(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    for raw, text in [(b"", "an empty file"), (b"plain text\n", "other bytes")]:
        path.write_bytes(raw)
        for read in (read_lines, read_csv, read_jsonl, read_parquet, read_arrow):
            with pytest.raises(ValueError, match=rf"{read.__name__}: .*{suffix}: expected \w+ data.*got {text}"):
                read(path)
        assert is_compressed(path)
        with pytest.raises(ValueError, match="expected"):
            open_compressed(path)


@pytest.mark.parametrize("raw", [b"BZhello\n", b"BZh9 was here\n", b"\x1f\x8b and more\n", b"\xfd7z\n"])
def test_text_that_begins_almost_as_compressed_data(tmp_path, raw):
    (tmp_path / "a").write_bytes(raw)
    assert read_lines(tmp_path / "a")[:].tolist(as_bytes=True) == [raw[:-1]]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz", "zip"])
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives_are_to_be_extracted(tmp_path, mode, form):
    (tmp_path / "a.txt").write_bytes(CSV)
    path = tmp_path / "a"
    if mode == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(tmp_path / "a.txt")
    else:
        with tarfile.open(path, mode, format=form) as archive:
            archive.add(tmp_path / "a.txt")
    for read in (read_lines, read_csv, read_jsonl, read_parquet, read_arrow):
        with pytest.raises(ValueError, match=rf"{read.__name__}: .*a: .*archive of files \(extract it first\)"):
            read(path)


def test_a_suffix_without_that_of_compression():
    assert without_compression(Path("x/a.csv.GZ")) == Path("x/a.csv")
    assert without_compression(Path("a.tar.csv")) == Path("a.tar.csv")
