"""Columns of lists: read_parquet, read_arrow, read_jsonl, ColumnDataset and StreamingDataset give values and row splits."""

import itertools
import json
import random

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops import as_ragged
from torch_stringops.data import ColumnDataset, StringColumn, read_arrow, read_jsonl, read_parquet, save

READ = {"parquet": read_parquet, "arrow": read_arrow, "jsonl": read_jsonl}


def write(path, rows, kind=None, group=None):
    """A file of a column `v`, and a column `i` of row numbers."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps({"v": row, "i": i}) + "\n" for i, row in enumerate(rows)))
        return
    table = pyarrow.table({"v": pyarrow.array(rows, kind), "i": range(len(rows))})
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=group)
        return
    with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, group)


def rows_of(column):
    values, row_splits = column
    assert row_splits.dtype is torch.int64
    flat = (values[:] if isinstance(values, StringColumn) else values).tolist()
    ends = row_splits.tolist()
    assert (ends[0], ends[-1]) == (0, len(flat))
    return [flat[a:b] for a, b in itertools.pairwise(ends)]


ROWS = {
    "ints": [[1, 2], [], [3], [4, 5, 6], [], [-7] * 9],
    "floats": [[0.5], [1.5, -2.0], [], [3.25], [1e300], []],
    "bools": [[True], [], [False, True], [], [], [True]],
    "texts": [["a", ""], [], ["日本"], ["x" * 90, "b"], [], ["c"]],
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("kind", READ)
def test_values_and_row_splits(tmp_path, kind, name):
    rows = ROWS[name]
    write(tmp_path / f"a.{kind}", rows, group=2)
    write(tmp_path / f"b.{kind}", rows[::-1], group=4)
    column = READ[kind](str(tmp_path / f"*.{kind}"), columns="v")
    assert rows_of(column) == rows + rows[::-1]
    dtypes = {"ints": torch.int64, "floats": torch.float64, "bools": torch.bool}
    assert isinstance(column[0], StringColumn) if name == "texts" else column[0].dtype is dtypes[name]
    if name == "texts":
        strings, row_splits = as_ragged(pyarrow.array(rows + rows[::-1]))
        assert (column[0][:].tolist(), column[1].tolist()) == (strings.tolist(), row_splits.tolist())


@pytest.mark.parametrize("shape", ["list_", "large_list", "dictionary", "sliced", "fixed"])
def test_types_of_lists(tmp_path, shape):
    rows = [["a", "b"], ["c", "d"], None, ["e", "a"], ["f", "b"]]
    item = pyarrow.string()
    if shape == "dictionary":
        item = pyarrow.dictionary(pyarrow.int8(), item)
    kind = pyarrow.large_list(item) if shape == "large_list" else pyarrow.list_(item, 2 if shape == "fixed" else -1)
    array = pyarrow.array(rows, kind)
    if shape == "sliced":
        array, rows = array.slice(1, 3), rows[1:4]
    table = pyarrow.table({"v": array})
    with pyarrow.OSFile(str(tmp_path / "a.arrow"), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as w:
        w.write_table(table)
    want = [row or [] for row in rows]
    assert rows_of(read_arrow(tmp_path / "a.arrow", columns="v", missing="?")) == want
    (batch,) = open_stream(tmp_path / "a.arrow", batch_size=9, missing="?")
    assert rows_of(batch["v"]) == want


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_lists_of_one_size_are_matrices(tmp_path, kind):
    rows = [[i, -i, 2 * i] for i in range(40)]
    for element in (pyarrow.int32(), pyarrow.float32()):
        write(tmp_path / f"a.{kind}", rows, pyarrow.list_(element, 3), group=7)
        column = READ[kind](tmp_path / f"a.{kind}", columns="v")
        assert column.shape == (40, 3)
        assert column.dtype is (torch.int32 if element == pyarrow.int32() else torch.float32)
        assert column.tolist() == rows
        dataset = open_stream(tmp_path / f"a.{kind}", batch_size=9, shuffle=True, buffer_rows=20)
        for batch in dataset:
            assert batch["v"].tolist() == [rows[i] for i in batch["i"].tolist()]
    write(tmp_path / f"b.{kind}", [[1, None, 3], None], pyarrow.list_(pyarrow.int32(), 3))
    assert READ[kind](tmp_path / f"b.{kind}", columns="v", missing=-1).tolist() == [[1, -1, 3], [-1, -1, -1]]
    with pytest.raises(ValueError, match=f"b.{kind}: column 'v', row 2: expected no missing lists"):
        READ[kind](tmp_path / f"b.{kind}")
    write(tmp_path / f"c.{kind}", [[1, 2]], pyarrow.list_(pyarrow.int32(), 2))
    with pytest.raises(ValueError, match="expected lists of 3 numbers as before, got lists of 2 numbers"):
        READ[kind]([tmp_path / f"a.{kind}", tmp_path / f"c.{kind}"])


@pytest.mark.parametrize("kind", READ)
def test_missing_lists_and_elements(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    write(path, [[1], [], None, [2, None]], group=3)
    for given in (-1, {"v": -1}):
        assert rows_of(READ[kind](path, columns="v", missing=given)) == [[1], [], [], [2, -1]]
    column = READ[kind](path, columns="v", missing=0.5)
    assert rows_of(column) == [[1], [], [], [2, 0.5]]
    with pytest.raises(ValueError, match=rf"a.{kind}: column 'v', row 3: expected no missing lists, got one"):
        READ[kind](path)
    with pytest.raises(ValueError, match="column 'v', row 3: expected no missing lists"):
        list(open_stream(path, batch_size=2))
    write(path, [[1], [], [3, 4], [2, None]], group=3)
    with pytest.raises(
        ValueError, match=r"column 'v', row 4: expected no missing numbers, got one \(pass missing=\{'v'"
    ):
        READ[kind](path)
    write(path, [["x"], [], [], ["y", None]])
    with pytest.raises(ValueError, match="column 'v', row 4: expected no missing strings"):
        READ[kind](path, missing=5)
    assert rows_of(READ[kind](path, columns="v", missing="-")) == [["x"], [], [], ["y", "-"]]
    write(path, [None, []])
    assert rows_of(READ[kind](path, columns="v", missing=7)) == [[], []]


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("value", [[[1]], [{"a": 1}], {"a": [1]}])
def test_nested_lists_are_errors(tmp_path, kind, value):
    path = tmp_path / f"a.{kind}"
    write(path, [value])
    with pytest.raises(ValueError, match=rf"{READ[kind].__name__}: .*a.{kind}: column 'v'"):
        READ[kind](path)
    with pytest.raises(ValueError, match=rf"StreamingDataset: .*a.{kind}: column 'v'"):
        open_stream(path, batch_size=1)
    assert READ[kind](path, columns="i").tolist() == [0]


def test_lists_of_several_types_unite_or_are_errors(tmp_path):
    write(tmp_path / "a.parquet", [[1, 2], []])
    write(tmp_path / "b.parquet", [[0.5], [3]], pyarrow.list_(pyarrow.float32()))
    column = read_parquet([tmp_path / "a.parquet", tmp_path / "b.parquet"], columns="v")
    assert (column[0].dtype, rows_of(column)) == (torch.float64, [[1, 2], [], [0.5], [3]])
    batches = list(open_stream(str(tmp_path / "*.parquet"), batch_size=1))
    assert [batch["v"][0].dtype for batch in batches] == [torch.float64] * 4
    write(tmp_path / "c.parquet", [["x"]])
    with pytest.raises(
        ValueError, match=r"c.parquet: column 'v', rows from 1: expected numbers as before, got strings"
    ):
        read_parquet(str(tmp_path / "*.parquet"))
    with pytest.raises(ValueError, match="column 'v': expected files of one type, got lists of torch.float64 in"):
        open_stream(str(tmp_path / "*.parquet"), batch_size=1)
    write(tmp_path / "c.parquet", [1])
    with pytest.raises(ValueError, match="expected lists as before, got numbers"):
        read_parquet(str(tmp_path / "*.parquet"))


def test_lists_of_json_that_pyarrow_changes(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        '{"d": ["2024-01-01", null], "n": [1, 9007199254740993]}\n{"d": ["x\\ud800"], "n": [2]}\n{}\n'
    )
    table = read_jsonl(tmp_path / "a.jsonl", missing={"d": "-", "n": 0})
    assert rows_of(table["d"]) == [["2024-01-01", "-"], ["x\ufffd"], []]
    assert rows_of(table["n"]) == [[1, 2**53 + 1], [2], []]
    (tmp_path / "a.jsonl").write_text('{"n": [1.5]}\n{"n": [9007199254740993]}\n')
    with pytest.raises(ValueError, match="column 'n', row 2: expected numbers that int64 or float64 holds exactly"):
        read_jsonl(tmp_path / "a.jsonl")
    for bad in ('["x"]', "5", "[[1]]", "[true]"):
        (tmp_path / "a.jsonl").write_text(f'{{"n": [1]}}\n{{"n": {bad}}}\n')
        with pytest.raises(ValueError, match=r"read_jsonl: .*a.jsonl: column 'n', row 2: expected"):
            read_jsonl(tmp_path / "a.jsonl")


def damaged(path, array, buffer, at, number):
    """An Arrow file of a column, of which an int32 in a buffer is changed."""
    with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, pyarrow.schema([("v", array.type)])) as w:
        w.write_batch(pyarrow.record_batch([array], names=["v"]))
    raw = bytearray(path.read_bytes())
    want = array.buffers()[buffer].to_pybytes()
    begin = bytes(raw).index(want[: 4 * (len(array) + 1)])
    raw[begin + 4 * at : begin + 4 * at + 4] = number.to_bytes(4, "little", signed=True)
    path.write_bytes(raw)


@pytest.mark.parametrize(("at", "number"), [(0, -1), (0, 3), (3, 1), (3, 10**9), (20, 1), (20, 41), (20, 2**31 - 1)])
def test_damaged_offsets_of_lists(tmp_path, at, number):
    array = pyarrow.array([[100 + i, i] for i in range(20)], pyarrow.list_(pyarrow.int32()))
    damaged(tmp_path / "a.arrow", array, 1, at, number)
    with pytest.raises(ValueError, match=r"a.arrow: (column 'v'|.*offset)"):
        read_arrow(tmp_path / "a.arrow")
    with pytest.raises(ValueError, match=r"a.arrow"):
        list(open_stream(tmp_path / "a.arrow", batch_size=3))


# Datasets.


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("shuffle", [False, True])
def test_streams_of_lists_are_exact(tmp_path, kind, shuffle):
    rng = random.Random(5)
    rows = [[rng.choice(["", "a", "é" * 20]) for _ in range(rng.choice([0, 1, 3]))] for _ in range(300)]
    for name, group in [("a", 7), ("b", 50)]:
        write(tmp_path / f"{name}.{kind}", rows, group=group)
    options = {"shuffle": shuffle, "buffer_rows": 90, "even": False}
    for threads, ranks in [(0, 1), (2, 3)]:
        seen = []
        for rank in range(ranks):
            dataset = open_stream(
                str(tmp_path / f"*.{kind}"), batch_size=11, threads=threads, rank=rank, world_size=ranks, **options
            )
            for batch in dataset:
                got = rows_of(batch["v"])
                seen += batch["i"].tolist()
                assert got == [rows[i] for i in batch["i"].tolist()]
        assert sorted(seen) == sorted([*range(300)] * 2)


def test_batches_of_lists_in_loaders_and_transforms(tmp_path):
    rows = [list(range(i % 5)) for i in range(64)]
    write(tmp_path / "a.parquet", rows, group=10)
    path = tmp_path / "a.parquet"
    loader = DataLoader(open_stream(path, batch_size=8), batch_size=None, num_workers=1)
    assert [row for batch in loader for row in rows_of(batch["v"])] == rows
    sums = open_stream(path, batch_size=8, transform=lambda batch: batch["v"][0].sum(), threads=2)
    assert sum(map(int, sums)) == sum(map(sum, rows))
    copied = next(iter(open_stream(path, batch_size=8, device="meta")))["v"]
    assert (copied[0].device.type, copied[1].device.type, len(copied[1])) == ("meta", "meta", 9)


def test_column_dataset_of_lists(tmp_path):
    rows = [["a"] * (i % 4) for i in range(30)]
    write(tmp_path / "a.parquet", rows, group=8)
    dataset = ColumnDataset(**read_parquet(tmp_path / "a.parquet"))
    assert len(dataset) == 30
    for batch in DataLoader(dataset, batch_size=7, shuffle=True):
        assert rows_of(batch["v"]) == [rows[i] for i in batch["i"].tolist()]
    assert dataset[3]["v"].tolist() == rows[3]
    assert dataset[-1]["v"].tolist() == rows[-1]
    assert rows_of(dataset[2:9]["v"]) == rows[2:9]
    mask = torch.arange(30) % 3 == 0
    assert rows_of(dataset[mask]["v"]) == rows[::3]
    both = dataset + dataset
    assert rows_of(both[[35, 1]]["v"]) == [rows[5], rows[1]]
    with pytest.raises(IndexError, match="index 30 is out of bounds"):
        dataset[30]["v"]
    with pytest.raises(IndexError, match="expected a mask of shape"):
        dataset.columns["v"][mask[:5]]
    numbers = ColumnDataset(v=(torch.arange(6), torch.tensor([0, 2, 2, 6])))
    assert rows_of(numbers[[2, 0, 1]]["v"]) == [[2, 3, 4, 5], [0, 1], []]
    with pytest.raises(ValueError, match="column 'v': expected `row_splits` from 0 to the number of values, 6"):
        ColumnDataset(v=(torch.arange(6), torch.tensor([0, 2, 1, 5])))
    with pytest.raises(TypeError, match="a column of lists in both datasets"):
        numbers + ColumnDataset(v=torch.arange(3))


def test_save_does_not_take_lists(tmp_path):
    write(tmp_path / "a.parquet", [["a"]])
    with pytest.raises((TypeError, ValueError), match="save|StringColumn"):
        save(read_parquet(tmp_path / "a.parquet", columns="v"), tmp_path / "b.arrow")


def test_dictionaries_of_several_row_groups(tmp_path):
    """pyarrow does not join them: "Nested data conversions not implemented for chunked array outputs"."""
    words = pyarrow.array([["a"], ["b", "c"], []])
    lists = pyarrow.ListArray.from_arrays(words.offsets, words.values.dictionary_encode())
    pyarrow.parquet.write_table(pyarrow.table({"v": lists}), tmp_path / "a.parquet", row_group_size=1)
    strings, row_splits = read_parquet(tmp_path / "a.parquet", columns="v")
    assert (strings[:].tolist(), row_splits.tolist()) == (["a", "b", "c"], [0, 1, 3, 3])
