"""Arguments of StreamingDataset and the readers that do not suit the files: errors that name function and argument."""

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.cases import each
from support.streams import open_stream

from torch_stringops.data import read_csv, read_jsonl, read_lines, read_parquet


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.csv").write_text("v,w\n1,x\n2,y\n")
    (tmp_path / "a.txt").write_text("x\ny\n")
    pyarrow.parquet.write_table(pyarrow.table({"v": [1, 2]}), tmp_path / "a.parquet")
    return tmp_path


@each(("file", "options", "error", "text"), [
    ("a.csv", {"columns": []}, ValueError, "expected at least one name in `columns`, or None for all"),
    ("a.csv", {"columns": 5}, TypeError, "expected `columns` to be names of columns, got int"),
    ("a.csv", {"columns": b"v"}, TypeError, "expected `columns` to be names of columns, got bytes"),
    ("a.csv", {"text": [5]}, TypeError, "expected `text` to be names of columns, got int"),
    ("a.csv", {"missing": {"v": 0, "zz": 1}}, ValueError, "expected names of columns in `missing`, got 'zz'"),
    ("a.txt", {"columns": "v"}, ValueError, "expected `columns` with files of tables only, got files of text"),
    ("a.txt", {"missing": ""}, ValueError, "expected `missing` with files of tables only"),
    ("a.parquet", {"text": "v"}, ValueError, "expected `text` with files of CSV and JSON lines only"),
    ("a.txt", {"cache_dir": 5}, TypeError, "expected `cache_dir` to be a str, a Path or None, got int"),
    ("a.txt", {"cache_dir": ""}, ValueError, "expected `cache_dir` to be the path of a folder"),
    ("a.txt", {"timeout": True}, TypeError, "expected `timeout` to be a number, got bool"),
    ("a.txt", {"options": 5}, TypeError, "expected `options` to be StreamOptions, got int"),
    ("a.txt", {"timeout": "x"}, TypeError, "expected `timeout` to be a number, got str"),
])  # fmt: skip
def test_arguments_that_do_not_suit(files: Path, file, options, error, text):
    with pytest.raises(error, match=f"^Stream(ingDataset|Options): {text}"):
        open_stream(files / file, batch_size=1, **options)


@pytest.mark.parametrize("paths", [None, 5, b"a.txt"])
def test_paths(paths):
    for name, call in (("read_lines", read_lines), ("read_csv", read_csv)):
        with pytest.raises(TypeError, match=f"^{name}: expected paths of files, got {type(paths).__name__}"):
            call(paths)


def test_a_column_of_missing_values_has_the_type_of_what_replaces_them(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"v": null}\n{"v": null}\n')
    for missing, want in ((0, torch.int64), (0.5, torch.float64), (True, torch.bool)):
        for fill in (missing, {"v": missing}):
            column = read_jsonl(path, missing=fill)["v"]
            (batch,) = open_stream(path, batch_size=2, missing=fill)
            assert column.dtype == batch["v"].dtype == want
            assert column.tolist() == batch["v"].tolist() == [missing] * 2


def test_a_column_holds_what_replaces_its_missing_values(tmp_path):
    path = tmp_path / "a.parquet"
    array = pyarrow.array([1, None], pyarrow.int8())
    pyarrow.parquet.write_table(pyarrow.table({"v": array, "w": [[1], [1]]}), path)
    (batch,) = open_stream(path, batch_size=2, missing={"v": 300}, columns="v")
    column = read_parquet(path, missing={"v": 300}, columns="v")
    assert batch["v"].tolist() == column.tolist() == [1, 300]
    assert batch["v"].dtype == column.dtype == torch.int64


def test_rows_without_columns_are_an_error(tmp_path):
    (tmp_path / "a.jsonl").write_text("{}\n{}\n")
    with pytest.raises(ValueError, match=r"a\.jsonl: expected a table with columns, got rows without any"):
        open_stream(tmp_path / "a.jsonl", batch_size=1)


def test_readers_and_streams_have_one_order(tmp_path):
    """Folders are compared by their names: `a` comes before `a-b`, though `a/` comes after `a-`."""
    for folder in ("a", "a-b", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(folder + "\n")
    pattern = str(tmp_path / "**" / "*.txt")
    (batch,) = open_stream(pattern, batch_size=9)
    assert batch.tolist() == read_lines(pattern)[:].tolist() == ["a", "a-b", "b"]


def test_lists_of_others_are_named(tmp_path):
    path = tmp_path / "a.parquet"
    for array in (pyarrow.array([[{"a": 1}]]), pyarrow.array([[[1]]])):
        pyarrow.parquet.write_table(pyarrow.table({"v": array}), path)
        for call in (read_parquet, lambda p: open_stream(p, batch_size=1)):
            with pytest.raises(ValueError, match="column 'v': expected lists of strings, numbers or bools, got list"):
                call(path)
