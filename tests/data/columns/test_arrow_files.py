"""save and load: columns in Arrow IPC files."""

import os
import pickle
import time

import pyarrow
import pytest
from torch.utils.data import DataLoader

from torch_stringops.data import ColumnDataset, StringColumn, load, read_lines, save

WORDS = ["to", "be", "", "é日😀", "not\0"]


@pytest.fixture
def saved(tmp_path):
    save(StringColumn([WORDS, [], WORDS[:2]]), tmp_path / "a.arrow")
    return tmp_path / "a.arrow"


def test_a_column_is_saved_and_loaded(saved):
    column = load(saved)
    assert column[:].tolist() == WORDS + WORDS[:2]
    assert [len(chunk) for chunk in column.chunks] == [5, 2]
    assert len(pickle.dumps(column)) < 500  # mapped again
    assert pickle.loads(pickle.dumps(column))[:].tolist() == column[:].tolist()
    assert pyarrow.ipc.open_file(saved).read_all().to_pydict() == {"text": WORDS + WORDS[:2]}
    assert os.listdir(saved.parent) == ["a.arrow"]


def test_strings_that_are_not_utf8_are_saved_as_binary(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9\r\n\nfine")
    lines = read_lines(tmp_path / "a.txt")
    save(lines, tmp_path / "a.arrow", name="raw")
    assert load(tmp_path / "a.arrow", column="raw")[:].tolist(as_bytes=True) == [b"caf\xe9", b"", b"fine"]
    assert pyarrow.ipc.open_file(tmp_path / "a.arrow").schema.field("raw").type == pyarrow.binary()
    save(StringColumn(), tmp_path / "none.arrow")
    assert len(load([tmp_path / "none.arrow"])) == 0
    save([""], tmp_path / "none.arrow")
    assert load(tmp_path / "none.arrow")[:].tolist() == [""]


def test_loading_takes_no_longer_for_more_strings(tmp_path):
    save([WORDS[0]] * 1_000_000, tmp_path / "a.arrow")
    start = time.process_time()
    column = load(tmp_path / "a.arrow")
    assert time.process_time() - start < 0.1
    assert column[[999_999]].tolist() == ["to"]


def test_workers_read_a_loaded_column(saved):
    (batch,) = DataLoader(ColumnDataset(load(saved)), batch_size=7, num_workers=1)
    assert batch[0].tolist() == WORDS + WORDS[:2]


def table(path, **columns):
    t = pyarrow.table(columns)
    with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, t.schema) as writer:
        writer.write_table(t)


@pytest.mark.parametrize(("columns", "column", "text"), [
    ({"a": [1]}, None, "expected a column of utf8 or binary, got int64"),
    ({"a": ["x"], "b": ["y"]}, None, "expected one column, got 2"),
    ({"a": ["x"]}, "c", "expected a column 'c'"), ({"a": ["x", None]}, None, "expected no missing strings"),
])  # fmt: skip
def test_columns_that_cannot_be_mapped(tmp_path, columns, column, text):
    table(tmp_path / "a.arrow", **columns)
    with pytest.raises(ValueError, match=rf"load: .*a\.arrow: {text}"):
        load(tmp_path / "a.arrow", column=column)


def test_damaged_files_are_rejected_or_their_offsets_when_they_are_used(saved):
    raw = saved.read_bytes()
    for end in range(0, len(raw), 7):
        saved.write_bytes(raw[:end])
        with pytest.raises(ValueError, match=r"load: .*a\.arrow: "):
            load(saved)
    at = raw.index(bytes([0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0]))
    saved.write_bytes(raw[: at + 4] + b"\xff\xff\xff\x7f" + raw[at + 8 :])
    column = load(saved)
    for use in (lambda: column[[0]], lambda: column[[0, 1]], lambda: column[0].tolist()):
        with pytest.raises(ValueError, match="expected `offsets` non-decreasing"):
            use()
    saved.unlink()
    with pytest.raises(FileNotFoundError):
        load(saved)
