"""Files that are mapped, and small ones that are copied: truncated and changed files, and memory."""

import multiprocessing
import os
import pickle
import tempfile
import traceback

import numpy as np
import pytest
import torch
from support.limited import anonymous_bytes
from torch.utils.data import DataLoader

from torch_stringops.data import ColumnDataset, StringColumn, load, read_lines, save
from torch_stringops.data.batches.column_dataset import joined
from torch_stringops.data.columns import lines, small_files
from torch_stringops.data.files import local
from torch_stringops.data.files.local import MappedFile

FORK = multiprocessing.get_context("fork")


def passes(function, *args) -> bool:
    """Whether a function ends without an error in a process of its own, which a signal may end."""

    def run():
        torch.set_num_threads(1)
        try:
            function(*args)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    process = FORK.Process(target=run)
    process.start()
    process.join(60)
    return process.exitcode == 0


ROWS = 20_000
TEXT = "".join(f"line {i:06}\n" for i in range(ROWS))


def opened(folder, kind: str, count: int) -> StringColumn:
    """A column of `count` mapped files."""
    for i in range(count):
        if kind == "text":
            (folder / f"{i:02}.txt").write_text(TEXT)
        else:
            save(TEXT.splitlines(), folder / f"{i:02}.arrow")
    return read_lines(str(folder / "*.txt")) if kind == "text" else load(str(folder / "*.arrow"))


USES = {
    "int": lambda c: c[-1],
    "list": lambda c: c[[-1, 5]],
    "tensor": lambda c: c[torch.tensor([len(c) - 1])],
    "many": lambda c: c[torch.arange(len(c) - ROWS, len(c)).repeat(5)],
    "mask": lambda c: c[torch.arange(len(c)) % 2 == 0],
    "slice": lambda c: c[len(c) - 10 :],
    "step": lambda c: c[len(c) - 10 :: 2],
    "iteration": list,
    "loader": lambda c: list(DataLoader(ColumnDataset(text=c), batch_size=1000)),
    "joined": lambda c: joined(c, StringColumn([["x"]]))[[len(c) - 1]],
}


def use_truncated(folder, kind: str, count: int, use: str) -> None:
    found = opened(folder, kind, count)
    path = sorted(folder.iterdir())[-1]
    os.truncate(path, 5000)
    with pytest.raises(OSError, match=rf"{path}: expected \d+ bytes as when the file was mapped, got 5000"):
        USES[use](found)
    assert found[0].item() == "line 000000" if count > 4 else True


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize("kind", ["text", "arrow"])
def test_using_a_truncated_file_is_an_error(tmp_path, monkeypatch, kind, count, use):
    monkeypatch.setattr(lines, "_SMALL_FILE", 0)
    assert passes(use_truncated, tmp_path, kind, count, use)


@pytest.mark.parametrize("kind", ["text", "arrow"])
def test_a_mapped_file_may_be_replaced(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(lines, "_SMALL_FILE", 0)
    found = opened(tmp_path, kind, 1)
    (path,) = tmp_path.iterdir()
    (tmp_path / "new").write_text("short")
    os.replace(tmp_path / "new", path)
    assert found[[-1]].tolist() == [f"line {ROWS - 1:06}"]
    with pytest.raises(OSError, match="has changed since it was opened"):
        pickle.loads(pickle.dumps(found))


def test_a_mapped_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"")
    empty = MappedFile("op", path)
    assert empty.tensor.numel() == empty.size == 0
    empty.check()
    path.write_bytes(b"abc")
    mapped = MappedFile("op", path)
    assert bytes(mapped.tensor.tolist()) == b"abc"
    assert mapped.identity == (str(path), 3, path.stat().st_mtime_ns)
    mapped.check()
    path.write_bytes(b"abcdef")
    mapped.check()
    os.truncate(path, 2)
    with pytest.raises(OSError, match=r"op: .*a: expected 3 bytes as when the file was mapped, got 2"):
        mapped.check()


LINES = ["", "to be", "x" * 5000, "é", "or not\0", *(str(i) for i in range(3000))]


@pytest.fixture(params=["copied", "on disk", "mixed"])
def many(request, tmp_path, monkeypatch):
    """A column of small files, and its strings."""
    monkeypatch.setattr(small_files, "_COPIED", {"copied": 2**26, "on disk": 0, "mixed": 20_000}[request.param])
    monkeypatch.setattr(small_files, "_CHUNK_BYTES", 6000)
    if request.param == "mixed":
        monkeypatch.setattr(lines, "_SMALL_FILE", 2**12)
    want = []
    for i in range(20):
        rows = LINES[i % 7 :: 1 + i]
        end = ["\n", "\r\n", "\r"][i % 3]
        (tmp_path / f"{i:02}.txt").write_bytes((end.join(rows) + (end if i % 2 else "")).encode())
        want += rows if i % 2 or rows[-1] else rows[:-1]
    (tmp_path / "empty.txt").touch()
    return read_lines(str(tmp_path / "*.txt")), want


def test_lines_of_small_files(many):
    found, want = many
    assert len(found) == len(want)
    assert found[:].tolist() == want
    at = np.random.default_rng(0).integers(-len(want), len(want), 500)
    assert found[at.tolist()].tolist() == [want[i] for i in at]
    assert [found[i].item() for i in range(-20, 20)] == [want[i] for i in range(-20, 20)]
    for start in range(0, len(want), 97):
        assert found[start : start + 150].tolist() == want[start : start + 150]
    again = pickle.loads(pickle.dumps(found))
    assert again[:].tolist() == want
    both = joined(found, StringColumn([["last"]]))
    assert pickle.loads(pickle.dumps(both))[[-1, 0]].tolist() == ["last", want[0]]
    batches = DataLoader(ColumnDataset(text=found), batch_size=999, num_workers=1)
    assert [s for batch in batches for s in batch["text"].tolist()] == want


def test_a_temporary_file_is_removed_with_its_column(tmp_path, monkeypatch):
    monkeypatch.setattr(small_files, "_COPIED", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "a.txt").write_text("to\nbe\n")
    found = read_lines(tmp_path / "a.txt")
    (name,) = os.listdir(tmp_path / "temporary")
    strings = found[:]
    assert passes(found.__delattr__, "_temporary")  # a child
    assert os.listdir(tmp_path / "temporary") == [name]
    del found
    assert os.listdir(tmp_path / "temporary") == []
    assert strings.tolist() == ["to", "be"]


def test_files_are_copied_if_very_many_are_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_SMALL_FILE", 0)
    monkeypatch.setattr(small_files, "_COPIED", 0)
    monkeypatch.setattr(local, "_MAX_MAPPED", len(local._mapped_files) + 4)
    found = opened(tmp_path, "text", 8)
    assert len(found.chunks) == 5
    assert found[:].tolist() == TEXT.splitlines() * 8


def use_little_memory(folder) -> None:
    text = "".join(f"this is line {i} of a file, which has about eighty bytes {'x' * 400}\n" for i in range(700))
    for i in range(300):
        (folder / f"{i}.txt").write_text(text)
    before = anonymous_bytes()
    found = read_lines(str(folder / "*.txt"))
    for _ in range(20):
        found[torch.randint(len(found), [64])]
    assert sum(len(piece) for piece in found) == len(found) == 300 * 700
    assert anonymous_bytes() - before < 300 * len(text) / 5


def test_small_files_take_little_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(small_files, "_COPIED", 2**20)
    monkeypatch.setattr(small_files, "_CHUNK_BYTES", 2**22)
    assert passes(use_little_memory, tmp_path)
