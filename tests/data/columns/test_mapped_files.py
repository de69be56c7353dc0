"""Files that are mapped, or read when they are used: truncated and changed files, and memory."""

import multiprocessing
import os
import pickle
import resource
import traceback

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from torch_stringops import StringTensor, as_strings
from torch_stringops.data import ColumnDataset, StringColumn, load, read_lines, save
from torch_stringops.data.batches.column_dataset import joined
from torch_stringops.data.columns import column, file_lines, lines
from torch_stringops.data.columns.file_lines import FileLines
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


@pytest.fixture(params=["on demand", "copied", "mixed"])
def many(request, tmp_path, monkeypatch):
    """A column of small files, and its strings."""
    monkeypatch.setattr(file_lines, "_TINY_FILE", 0)
    monkeypatch.setattr(lines, "_COPIED", 2**26 if request.param == "copied" else 0)
    monkeypatch.setattr(lines, "_SMALL_FILES", 6 << 16)
    if request.param == "mixed":
        monkeypatch.setattr(lines, "_SMALL_FILE", 2**12)
    want = []
    for i in range(20):
        rows = LINES[i % 7 :: 1 + i]
        end = ["\n", "\r\n", "\r"][i % 3]
        (tmp_path / f"{i:02}.txt").write_bytes((end.join(rows) + (end if i % 2 else "")).encode())
        want += rows if i % 2 or rows[-1] else rows[:-1]
    (tmp_path / "empty.txt").touch()
    found = read_lines(str(tmp_path / "*.txt"))
    kinds = {type(chunk) for chunk in found.chunks}
    assert (
        kinds == {"on demand": {FileLines}, "copied": {StringTensor}, "mixed": {FileLines, StringTensor}}[request.param]
    )
    return found, want


@pytest.mark.parametrize("few", [2**14, 0])
def test_lines_of_small_files(many, monkeypatch, few):
    monkeypatch.setattr(column, "_MANY_READ", few)
    found, want = many
    assert len(found) == len(want)
    assert found[:].tolist() == want
    at = np.random.default_rng(0).integers(-len(want), len(want), 500)
    assert found[at.tolist()].tolist() == [want[i] for i in at]
    assert found[torch.tensor([[0, 3], [1, 2]])].tolist() == [[want[0], want[3]], [want[1], want[2]]]
    assert [found[i].item() for i in range(-20, 20)] == [want[i] for i in range(-20, 20)]
    for start in range(0, len(want), 97):
        assert found[start : start + 150].tolist() == want[start : start + 150]
    assert found[5:5].tolist() == found[[]].tolist() == []
    monkeypatch.setattr(column, "PIECE_BYTES", 1000)
    assert [s for piece in found for s in piece.tolist()] == want
    again = pickle.loads(pickle.dumps(found))
    assert again[:].tolist() == want
    both = joined(found, StringColumn([["last"]]))
    assert both[[-1, 0]].tolist() == ["last", want[0]]
    assert pickle.loads(pickle.dumps(both))[:].tolist() == [*want, "last"]
    batches = DataLoader(ColumnDataset(text=found), batch_size=999, num_workers=1)
    assert [s for batch in batches for s in batch["text"].tolist()] == want
    with pytest.raises(IndexError, match=f"index {len(want)} is out of bounds"):
        found[[0, len(want)]]


def test_a_chunk_of_files_is_a_string_tensor(many):
    found, want = many
    rows = [s for chunk in found.chunks for s in chunk.reshape(-1).tolist()]
    assert rows == want
    for chunk in found.chunks:
        assert len(chunk) == chunk.numel() == chunk.shape[0] == chunk.size(0)
        strings = as_strings(chunk.reshape(-1).tolist())
        assert torch.equal(chunk.length(unit="byte").reshape(-1), strings.length(unit="byte"))
        assert torch.equal(chunk.hash().reshape(-1), strings.hash())


@given(
    raw=st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xff" * 70, b"\x0b\x0c\x1c\x85"]), max_size=60),
    block=st.sampled_from([1, 50, 4096]),
)
def test_any_lines_in_any_blocks(tmp_path_factory, raw, block):
    path = tmp_path_factory.mktemp("lines") / "a"
    path.write_bytes(b"".join(raw))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_lines, "_BLOCK_BYTES", block)
        patch.setattr(lines, "_COPIED", 0)
        patch.setattr(file_lines, "_TINY_FILE", 0)
        found = read_lines([path, path])
        patch.setattr(lines, "_COPIED", 2**26)
        want = read_lines([path, path])[:].tolist(as_bytes=True)
    assert found[:].tolist(as_bytes=True) == want
    assert found[list(range(len(want)))].tolist(as_bytes=True) == want
    assert [found[i].item(as_bytes=True) for i in range(len(want))] == want


@pytest.mark.parametrize("use", [*USES, "few"])
def test_small_files_that_have_changed_are_an_error(tmp_path, monkeypatch, use):
    monkeypatch.setattr(lines, "_COPIED", 0)
    found = opened(tmp_path, "text", 6)
    assert {type(chunk) for chunk in found.chunks} == {FileLines}
    os.truncate(tmp_path / "05.txt", 5000)
    with pytest.raises(OSError, match=r"read_lines: .*05\.txt has changed since it was opened"):
        ({"few": lambda c: c[[-1]]} | USES)[use](found)


def test_files_are_read_on_demand_if_very_many_are_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_SMALL_FILE", 0)
    monkeypatch.setattr(lines, "_COPIED", 0)
    monkeypatch.setattr(local, "_MAX_MAPPED", len(local._mapped_files) + 4)
    found = opened(tmp_path, "text", 8)
    assert [type(chunk) for chunk in found.chunks].count(StringTensor) < 5
    assert type(found.chunks[-1]) is FileLines
    assert found[:].tolist() == TEXT.splitlines() * 8


def anonymous_bytes() -> int:
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) << 10 for line in file if line.startswith("Anonymous:"))


def use_little_memory(folder) -> None:
    text = "".join(
        f"this is line {i} of a file, which has about eighty bytes if one counts the digits\n" for i in range(3700)
    )
    for i in range(300):
        (folder / f"{i}.txt").write_text(text)
    before = anonymous_bytes()
    found = read_lines(str(folder / "*.txt"))
    size = 300 * len(text)
    assert anonymous_bytes() - before < size / 10
    for _ in range(20):
        found[torch.randint(len(found), [64])]
    assert anonymous_bytes() - before < size / 10
    assert sum(len(piece) for piece in found) == len(found) == 300 * 3700


def test_small_files_take_less_than_a_tenth_of_their_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_COPIED", 2**20)
    monkeypatch.setattr(lines, "_SMALL_FILES", 2**22)
    assert passes(use_little_memory, tmp_path)


def test_more_files_than_descriptors(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_COPIED", 0)
    monkeypatch.setattr(file_lines, "_TINY_FILE", 0)

    def use():
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
        for i in range(100):
            (tmp_path / f"{i}.txt").write_text(f"line {i}\n")
        found = read_lines(str(tmp_path / "*.txt"))
        assert sorted(found[list(range(100))].tolist()) == sorted(f"line {i}" for i in range(100))
        assert len(found[:]) == 100

    assert passes(use)
