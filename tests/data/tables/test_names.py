"""read_csv, read_jsonl, read_parquet, read_arrow: files without rows, and names of columns."""

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.table_files import found, write

from torch_stringops.data import read_arrow, read_csv, read_jsonl, read_parquet


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("order", ["ab", "ba", "aba"])
def test_tables_without_rows(tmp_path, kind, order):
    read = {"parquet": read_parquet, "arrow": read_arrow}[kind]
    types = pyarrow.schema([("s", pyarrow.utf8()), ("n", pyarrow.int32())])
    write(tmp_path / f"a.{kind}", {"s": [], "n": []}, types)
    write(tmp_path / f"b.{kind}", {"s": ["x"], "n": [1.5]})
    paths = [tmp_path / f"{name}.{kind}" for name in order]
    assert found(read(paths)) == {"s": ["x"], "n": [1.5]}
    assert read(paths, columns="n").dtype is torch.float64
    with pytest.raises(ValueError, match=rf"a\.{kind}: expected a column 'z', which `columns` names"):
        read([tmp_path / f"a.{kind}"], columns=["z"])
    alone = read(tmp_path / f"a.{kind}")
    assert found(alone) == {"s": [], "n": []}
    assert alone["n"].dtype is torch.int32
    # Names and types of a file without rows do not matter if another one has rows.
    write(tmp_path / f"c.{kind}", {"other": []}, pyarrow.schema([("other", pyarrow.null())]))
    assert found(read([tmp_path / f"c.{kind}", *paths])) == {"s": ["x"], "n": [1.5]}


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"s,n\n", b"s,n", b"\xef\xbb\xbf", b"\xef\xbb\xbfs,n\r\n\r\n"])
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_csv_files_without_rows(tmp_path, raw, order):
    (tmp_path / "a").write_bytes(raw)
    (tmp_path / "b").write_bytes(b"s,n\nx,1\n")
    paths = [tmp_path / name for name in order]
    assert found(read_csv(paths)) == found(read_csv(paths, columns=["s", "n"])) == {"s": ["x"], "n": [1]}
    has_names = b"s" in raw
    assert found(read_csv(tmp_path / "a")) == ({"s": [], "n": []} if has_names else {})
    if has_names:
        with pytest.raises(ValueError, match=": expected a column 'z', which `columns` names"):
            read_csv(paths, columns="z")
        with pytest.raises(ValueError, match=": expected a column 'z', which `text` names"):
            read_csv(paths, text=["z"])
    else:
        assert found(read_csv(tmp_path / "a", columns=["z"])) == {"z": []}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"\xef\xbb\xbfa,b\n1,2\n", "a"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa,b\n1,2\n", "\ufeffa"),
        (b'\xef\xbb\xbf"a\n;",b\n1,2\n', "a\n;"),
    ],
)
def test_byte_order_marks(tmp_path, raw, name):
    (tmp_path / "a").write_bytes(raw)
    assert found(read_csv(tmp_path / "a")) == {name: [1], "b": [2]}


@pytest.mark.parametrize("raw", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_json_files_without_rows(tmp_path, raw):
    (tmp_path / "a").write_bytes(raw)
    (tmp_path / "b").write_bytes(b'{"s": "x", "n": 1}\n')
    for paths in ([tmp_path / "a", tmp_path / "b"], [tmp_path / "b", tmp_path / "a"]):
        assert found(read_jsonl(paths)) == {"s": ["x"], "n": [1]}
        assert read_jsonl(paths, columns="n").tolist() == [1]
        with pytest.raises(ValueError, match="b: expected a column 'z', which `columns` names"):
            read_jsonl(paths, columns="z")
        with pytest.raises(ValueError, match="b: expected a column 'z', which `text` names"):
            read_jsonl(paths, text="z")
    assert read_jsonl(tmp_path / "a") == {}


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "jsonl"])
def test_columns_of_the_same_name(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    if kind == "csv":
        path.write_text("a,b,a\n1,2,3\n")
    elif kind == "jsonl":
        path.write_text('{"b": 2}\n{"a": 1, "b": 2, "a": 3}\n')
    else:
        with pyarrow.OSFile(str(path), "wb") as sink:
            table = pyarrow.table([[1], [2], [3]], names=["a", "b", "a"])
            if kind == "parquet":
                pyarrow.parquet.write_table(table, sink)
            else:
                with pyarrow.ipc.new_file(sink, table.schema) as writer:
                    writer.write_table(table)
    read = {"csv": read_csv, "jsonl": read_jsonl, "parquet": read_parquet, "arrow": read_arrow}[kind]
    text = "row 2: .*twice" if kind == "jsonl" else r"got several of \['a'\]"
    for columns in (None, ["a", "b"]):
        with pytest.raises(ValueError, match=rf"{read.__name__}: .*a\.{kind}: .*{text}"):
            read(path, columns=columns)
    if kind != "jsonl":
        assert read(path, columns="b").tolist() == [2]


def test_a_column_named_twice_in_columns(tmp_path):
    (tmp_path / "a").write_text("a,b\n1,2\n")
    assert found(read_csv(tmp_path / "a", columns=["b", "b"])) == {"b": [2]}
