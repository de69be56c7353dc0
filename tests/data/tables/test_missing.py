"""read_csv, read_jsonl, read_parquet: missing values."""

import json
import math

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.table_files import found, values, write

from torch_stringops.data import StreamingDataset, read_csv, read_jsonl, read_parquet


def test_what_replaces_missing_values(tmp_path):
    path = tmp_path / "a.parquet"
    write(path, {"s": ["x", None], "n": [1, None], "x": [0.5, None], "b": [True, None], "z": [None, None]})
    table = read_parquet(path, missing={"s": "-", "n": -1, "x": 0, "b": False, "z": 7})
    assert found(table) == {"s": ["x", "-"], "n": [1, -1], "x": [0.5, 0], "b": [True, False], "z": [7, 7]}
    assert (table["n"].dtype, table["x"].dtype) == (torch.int64, torch.float64)
    assert read_parquet(path, columns=["n", "x"], missing=5)["n"].tolist() == [1, 5]
    assert str(read_parquet(path, columns="n", missing=math.nan).tolist()) == "[1.0, nan]"
    assert values(read_parquet(path, columns="z", missing="")) == ["", ""]
    assert read_parquet(path, columns="b", missing=True).tolist() == [True, True]
    for name, missing, text in [
        ("s", 5, r"row 2: expected no missing strings, got one \(pass missing=\{'s': ...\} with a string\)"),
        (
            "n",
            "-",
            r"row 2: expected no missing numbers, got one \(pass missing=\{'n': ...\} with a number\)",
        ),
        ("n", True, "row 2: expected no missing numbers"),
        ("b", 0, "row 2: expected no missing bools.* with True or False"),
        ("z", None, "row 1: expected no missing strings"),
        ("n", {"n": "-"}, "expected `missing` for numbers, got str"),
        ("s", {"s": 1}, "expected `missing` for strings, got int"),
        ("s", {"n": 1}, "row 2: expected no missing strings"),
    ]:
        with pytest.raises(ValueError, match=rf"read_parquet: .*a\.parquet: column '{name}'.*{text}"):
            read_parquet(path, columns=name, missing=missing)
    with pytest.raises(ValueError, match="read_parquet: expected names of columns in `missing`, got 'q'"):
        read_parquet(path, missing={"q": 1, "s": "", "n": 0, "x": 0, "b": True, "z": 0})
    with pytest.raises(TypeError, match="read_parquet: expected `missing` to be a string, a number"):
        read_parquet(path, missing=["-"])


def test_a_number_that_the_dtype_cannot_hold(tmp_path):
    write(tmp_path / "a.parquet", {"n": pyarrow.array([1, None], pyarrow.int8())})
    assert read_parquet(tmp_path / "a.parquet", columns="n", missing=-1).dtype is torch.int8
    assert read_parquet(tmp_path / "a.parquet", columns="n", missing=-1.0).dtype is torch.int8
    assert read_parquet(tmp_path / "a.parquet", columns="n", missing=1000).tolist() == [1, 1000]
    write(tmp_path / "a.parquet", {"n": [2**53 + 1, None]})
    with pytest.raises(ValueError, match=r"column 'n', row 1: expected an integer that float64 holds"):
        read_parquet(tmp_path / "a.parquet", columns="n", missing=math.nan)


def test_missing_numbers_of_csv(tmp_path):
    (tmp_path / "a").write_text("n,x,b\n1,,NA\n,1.5,true\n")
    table = read_csv(tmp_path / "a", missing={"n": 0, "x": math.nan, "b": False})
    assert (table["n"].tolist(), table["b"].tolist()) == ([1, 0], [False, True])
    with pytest.raises(ValueError, match="column 'n', row 3: expected no missing numbers"):
        read_csv(tmp_path / "a", columns=["n"])


def test_a_csv_column_without_values_is_text(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("n,x\n1,\n2,NA\n")
    want = ["", "NA"] * 2
    for missing in (None, 0, {"x": 0}, "?"):
        assert read_csv(tmp_path / "*.csv", missing=missing)["x"][:].tolist() == want, missing
        (batch,) = StreamingDataset(tmp_path / "*.csv", batch_size=4, missing=missing)
        assert batch["x"].tolist() == want, missing


@pytest.mark.usefixtures("small_blocks")
def test_names_that_some_objects_lack(tmp_path):
    rows = [{}] * 30 + [{"a": "x"}] * 30 + [{"b": 1, "": "y"}] * 30
    (tmp_path / "a").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = read_jsonl(tmp_path / "a", missing={"a": "-", "b": 0, "": "-"})
    assert found(table) == {
        "a": ["-"] * 30 + ["x"] * 30 + ["-"] * 30,
        "b": [0] * 60 + [1] * 30,
        "": ["-"] * 60 + ["y"] * 30,
    }
    assert len(read_jsonl(tmp_path / "a", columns="b", missing=0)) == 90
    with pytest.raises(ValueError, match=r"column 'b', row \d+: expected no missing numbers"):
        read_jsonl(tmp_path / "a", columns=["b"])
    (tmp_path / "a").write_text("{}\n{}\n")
    with pytest.raises(ValueError, match="expected a column 'b'"):
        read_jsonl(tmp_path / "a", columns=["b"])
