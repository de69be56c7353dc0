"""read_lines: the lines that Python reads, from mapped and compressed files, and errors with file and line."""

import bz2
import gzip
import lzma
import os
import pickle

import numpy as np
import pyarrow
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from torch_stringops import _convert
from torch_stringops.data import ColumnDataset, StringColumn, read_lines
from torch_stringops.data.columns import lines


def python_lines(raw: bytes) -> list[bytes]:
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n").split(b"\n") if raw else []


TEXTS = st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xff" * 70]), max_size=40).map(b"".join)


@given(raw=TEXTS, limit=st.integers(0, 200), room=st.integers(1, 9))
def test_lines_in_any_chunks_are_those_of_python(raw, limit, room):
    data, out = torch.tensor(list(raw), dtype=torch.uint8), np.empty([room, 2], dtype=np.int32)
    found, begin = [], 0
    while begin < len(raw):
        view = data[begin:]
        count, end = _convert.line_ranges(view.data_ptr(), len(view), True, limit + 1, out.ctypes.data, out.size)
        assert 0 < count <= room
        found += [raw[begin + a : begin + b] for a, b in out[:count].tolist()]
        begin += end
    assert found == python_lines(raw)


@given(raw=TEXTS)
def test_only_complete_lines_are_found_before_the_end(raw):
    offsets, end = lines.find_lines(torch.tensor(list(raw), dtype=torch.uint8), False, 1 << 30)
    assert [raw[a:b] for a, b in offsets.tolist()] == python_lines(raw[:end])
    assert python_lines(raw[:end]) + python_lines(raw[end:]) == python_lines(raw)
    assert not raw[end:].removesuffix(b"\r").count(b"\n")


TEXT = b"to be\r\n\nor\rnot \xff" + b"".join(b"%d\n" % i for i in range(300))


@pytest.fixture(params=["mapped", "copied"])
def kind(request, monkeypatch):
    """Small chunks and pieces of all kinds."""
    monkeypatch.setattr(lines, "_SMALL_FILE", 0 if request.param == "mapped" else 2**20)
    monkeypatch.setattr(lines, "MAPPED_BYTES", 100)
    monkeypatch.setattr(lines, "STREAM_BYTES", 64)


def zstd(raw: bytes) -> bytes:
    return pyarrow.compress(raw, codec="zstd", asbytes=True)


@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize(("name", "packed"), [
    ("a.txt", bytes), ("a.gz", gzip.compress), ("a.bz2", bz2.compress), ("a.xz", lzma.compress), ("a.zst", zstd),
])  # fmt: skip
def test_files_of_every_kind(tmp_path, name, packed):
    (tmp_path / name).write_bytes(packed(TEXT))
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "c.txt").write_bytes(b"last")
    column = read_lines([tmp_path / name, str(tmp_path / "[bc].txt")])
    assert isinstance(column, StringColumn)
    want = [*python_lines(TEXT), b"last"]
    assert column[:].tolist(as_bytes=True) == want
    assert [s for piece in column for s in piece.tolist(as_bytes=True)] == want
    assert column[[5, -1]].tolist(as_bytes=True) == [want[5], b"last"]
    assert pickle.loads(pickle.dumps(column))[:].tolist(as_bytes=True) == want


def test_a_mapped_file_is_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_SMALL_FILE", 0)
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    column = read_lines(path)
    assert len(pickle.dumps(column)) < len(TEXT) + 8 * len(column) + 2000
    path.write_bytes(TEXT.replace(b"to be", b"TO BE"))  # maps show what is written
    assert column[0].item() == "TO BE"
    os.utime(path, (0, 0))
    with pytest.raises(OSError, match="a.txt has changed since it was opened"):
        pickle.loads(pickle.dumps(column))


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_line_beyond_the_limit_of_a_tensor(tmp_path, monkeypatch, packed):
    monkeypatch.setattr(lines, "MAX_BYTES", 1000)
    monkeypatch.setattr(lines, "STREAM_BYTES", 100)
    path = tmp_path / ("a.gz" if packed is gzip.compress else "a.txt")
    path.write_bytes(packed(b"first\n" * 100 + b"x" * 900 + b"\nlast\n" * 100))
    if packed is bytes:
        assert [len(s) for s in read_lines(path)[99:102].tolist()] == [5, 900, 4]
    path.write_bytes(packed(b"first\n" + b"x" * 1010 + b"\nlast"))
    with pytest.raises(ValueError, match=r"line 2: expected lines of at most 2\*\*31 - 1 bytes"):
        read_lines(path)


def test_workers_read_a_mapped_column(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_SMALL_FILE", 0)
    (tmp_path / "a.txt").write_bytes(TEXT.replace(b"\xff", b""))
    column = read_lines(tmp_path / "a.txt")
    batches = list(DataLoader(ColumnDataset(column), batch_size=100, num_workers=1))
    assert [s for (text,) in batches for s in text.tolist()] == column[:].tolist()


@pytest.mark.parametrize(
    ("name", "packed", "damage"),
    [
        ("a.gz", gzip.compress, lambda raw: raw[:-20]),
        ("a.gz", gzip.compress, lambda raw: raw[:30] + b"\xff" * 9 + raw[39:]),
        ("a.xz", lzma.compress, lambda raw: raw[:-20]),
        ("a.bz2", bz2.compress, lambda raw: raw[:50] + b"\0\0\0" + raw[53:]),
        ("a.zst", zstd, lambda raw: raw[:-9]),
    ],
)
def test_damaged_files_are_errors_with_file_and_line(tmp_path, name, packed, damage):
    (tmp_path / name).write_bytes(damage(packed(TEXT * 20)))
    with pytest.raises(ValueError, match=rf"read_lines: .*{name}, after line \d+: the compressed data is damaged"):
        read_lines(tmp_path / name)


def test_paths_that_do_not_exist(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_lines(tmp_path / "none.txt")
    with pytest.raises(FileNotFoundError, match="read_lines: no file matches"):
        read_lines(str(tmp_path / "*.txt"))
    with pytest.raises(ValueError, match="at least one path"):
        read_lines([])
    with pytest.raises(TypeError, match="expected paths of files, got int"):
        read_lines([3])
