"""read_csv, read_jsonl, read_parquet, read_arrow: files without rows, types that differ by block and file, missing values."""

import json
import math

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.random_tables import compare

from torch_stringops.data import (
    StringColumn,
    _csv,
    _jsonl,
    read_arrow,
    read_csv,
    read_jsonl,
    read_parquet,
    tables,
)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(_csv, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(_jsonl, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(tables, "_BATCH_ROWS", 3)


def write(path, columns, schema=None):
    """A Parquet or an Arrow file; of the latter, a table without rows has no batches."""
    table = pyarrow.table(columns, schema=schema)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
        return
    with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def values(column):
    return column[:].tolist() if isinstance(column, StringColumn) else column.tolist()


def found(table):
    return {name: values(column) for name, column in table.items()}


# Files without rows.


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


# Names.


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
    text = "line 2: .*once" if kind == "jsonl" else r"got several of \['a'\]"
    for columns in (None, ["a", "b"]):
        with pytest.raises(ValueError, match=rf"{read.__name__}: .*a\.{kind}: .*{text}"):
            read(path, columns=columns)
    if kind != "jsonl":
        assert read(path, columns="b").tolist() == [2]


def test_a_column_named_twice_in_columns(tmp_path):
    (tmp_path / "a").write_text("a,b\n1,2\n")
    assert found(read_csv(tmp_path / "a", columns=["b", "b"])) == {"b": [2]}


# Types.


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("first", "last", "want"),
    [
        (None, "x", "strings"),
        (None, 1, torch.int64),
        (1, 1.5, torch.float64),
        (1.5, 1, torch.float64),
        (None, True, torch.bool),
        ("2024-01-01", "x", "strings"),
        ("2024-01-01", "2024-01-02", "strings"),
    ],
)
def test_types_do_not_depend_on_the_first_block(tmp_path, first, last, want):
    for count in (40, 1):
        rows = [first] * count + [last] * count
        fill = "-" if want == "strings" else True if want is torch.bool else -1
        expected = [fill if v is None else v for v in rows]
        (tmp_path / "a").write_text("".join(json.dumps({"v": v, "n": 0}) + "\n" for v in rows))
        write(tmp_path / "a.parquet", {"v": [None if v is None else str(v) for v in rows]})
        for missing in (fill, {"v": fill}):
            column = read_jsonl(tmp_path / "a", missing=missing)["v"]
            assert values(column) == expected
            assert want == "strings" or column.dtype is want
        # The same in two files.
        for name, value in [("b", first), ("c", last)]:
            (tmp_path / name).write_text((json.dumps({"v": value, "n": 0}) + "\n") * count)
        assert values(read_jsonl([tmp_path / "b", tmp_path / "c"], missing=fill)["v"]) == expected
        assert (
            values(read_jsonl([tmp_path / "c", tmp_path / "b"], missing=fill)["v"])[:count]
            == expected[count:]
        )
        fields = ["" if v is None else str(v) for v in rows]
        (tmp_path / "a.csv").write_text("v,n\n" + "".join(f"{v},0\n" for v in fields))
        column = read_csv(tmp_path / "a.csv", missing=fill)["v"]
        assert values(column) == (fields if want == "strings" else expected)


@pytest.mark.usefixtures("small_blocks")
def test_csv_columns_are_text_if_a_late_field_is(tmp_path):
    for numbers in (["1"] * 90, ["1.5"] * 90, ["true"] * 90, ["007"] * 90, ["NA"] * 90, [""] * 90):
        for last in ("x", "2024-01-01", "é", '"a\nb"'):
            (tmp_path / "a").write_text("v,n\n" + "".join(f"{v},1\n" for v in [*numbers, last]))
            table = read_csv(tmp_path / "a")
            assert values(table["v"]) == [*numbers, last.strip('"')]
            assert table["n"].tolist() == [1] * 91
    (tmp_path / "a").write_text("v,n\n" + "true,1\n" * 50 + "1,1\n" * 50)
    assert values(read_csv(tmp_path / "a", columns="v")) == ["true"] * 50 + ["1"] * 50


def test_text_fields_of_csv_stay_as_they_are(tmp_path):
    words = ["x", "", "NA", "null", "NaN", "n/a", " a ", "2024-01-01", '""']
    (tmp_path / "a").write_text("v,n\n" + "".join(f"{w},1\n" for w in words))
    (tmp_path / "b").write_text("v,n\nNA,1\n,2\n")
    want = [*words[:-1], ""]
    assert values(read_csv(tmp_path / "a", missing="-")["v"]) == want
    assert values(read_csv([tmp_path / "b", tmp_path / "a"])["v"]) == ["NA", "", *want]
    assert values(read_csv(tmp_path / "b", missing="-")["v"]) == ["NA", ""]


def test_numbers_of_csv(tmp_path):
    def read(*fields, **options):
        (tmp_path / "a").write_text("v,n\n" + "".join(f"{f},1\n" for f in fields))
        return read_csv(tmp_path / "a", columns="v", **options)

    assert read("1", " 2", "-3 ", "\t4").tolist() == [1, 2, -3, 4]
    assert read("1", "2.5", "1e3", ".5").tolist() == [1, 2.5, 1000, 0.5]
    assert str(read("nan", "inf", "-Infinity").tolist()) == "[nan, inf, -inf]"
    assert read("True", "false", " TRUE").tolist() == [True, False, True]
    assert values(read("0x10", "1")) == ["0x10", "1"]
    assert values(read("1_0", "1")) == ["1_0", "1"]
    assert values(read("1", "true")) == ["1", "true"]
    assert read(str(2**63 - 1), str(-(2**63))).tolist() == [2**63 - 1, -(2**63)]
    assert read(str(2**53), "0.5").tolist() == [2**53, 0.5]
    assert read("1e300", "0.5").tolist() == [1e300, 0.5]
    for large in (str(2**63 + 1), "1" * 400, "1e400"):
        with pytest.raises(
            ValueError, match=r"read_csv: .*a: column 'v', row 3: expected numbers that int64 or"
        ):
            read("1", large)
        assert values(read("1", large, text="v")) == ["1", large]
    with pytest.raises(ValueError, match="row 3: expected numbers that int64 or float64 holds exactly"):
        read("0.5", str(2**53 + 1))


@pytest.mark.parametrize("row", [1, 30, 60])
@pytest.mark.usefixtures("small_blocks")
def test_large_integers_and_floats_do_not_unite(tmp_path, row):
    numbers = [1] * 60
    numbers[row - 1] = 2**53 + 1
    (tmp_path / "a").write_text("".join(json.dumps({"v": v}) + "\n" for v in numbers))
    (tmp_path / "b").write_text('{"v": 0.5}\n')
    write(tmp_path / "a.parquet", {"v": numbers})
    write(tmp_path / "b.parquet", {"v": [0.5]})
    assert read_jsonl(tmp_path / "a", columns="v").tolist() == numbers
    place = rf"column 'v', row {row}: expected an integer that float64 holds exactly"
    for paths in (["a", "b"], ["b", "a"]):
        with pytest.raises(ValueError, match=f"read_jsonl: .*/a: {place}.*pass text="):
            read_jsonl([tmp_path / p for p in paths])
        with pytest.raises(ValueError, match=f"read_parquet: .*/a.parquet: {place}"):
            read_parquet([tmp_path / f"{p}.parquet" for p in paths])
    (tmp_path / "c").write_text("".join(json.dumps({"v": v}) + "\n" for v in [0.5, *numbers]))
    with pytest.raises(ValueError, match=r"column 'v', (line|row) \d+: expected"):
        read_jsonl(tmp_path / "c")


@pytest.mark.parametrize(
    ("types", "want"),
    [
        (["int8", "int64"], torch.int64),
        (["uint8", "int8"], torch.int16),
        (["uint64", "int8"], torch.int64),
        (["float32", "float64"], torch.float64),
        (["float32", "int8"], torch.float64),
        (["float32", "float32"], torch.float32),
        (["uint32", "uint32"], torch.uint32),
    ],
)
def test_dtypes_of_parquet_files_unite(tmp_path, types, want):
    for i, name in enumerate(types):
        write(tmp_path / f"{i}.parquet", {"v": pyarrow.array([i, 100], getattr(pyarrow, name)())})
    column = read_parquet(str(tmp_path / "*.parquet"), columns="v")
    assert column.dtype is want
    assert column.tolist() == [0, 100, 1, 100]
    write(tmp_path / "2.parquet", {"v": [True]})
    with pytest.raises(
        ValueError, match=r"2.parquet: column 'v', rows from 1: expected numbers as before, got bools"
    ):
        read_parquet(str(tmp_path / "*.parquet"))


def test_large_unsigned_integers_and_negative_ones_do_not_unite(tmp_path):
    write(tmp_path / "a.parquet", {"v": pyarrow.array([2**63], pyarrow.uint64())})
    write(tmp_path / "b.parquet", {"v": [-1]})
    assert read_parquet(tmp_path / "a.parquet", columns="v").tolist() == [2**63]
    with pytest.raises(
        ValueError, match=r"a.parquet: column 'v', row 1: expected an integer that int64 holds"
    ):
        read_parquet([tmp_path / "a.parquet", tmp_path / "b.parquet"])


def test_large_integers_of_json(tmp_path):
    def read(*numbers, **options):
        (tmp_path / "a").write_text("".join(f'{{"v": {n}}}\n' for n in numbers))
        return read_jsonl(tmp_path / "a", columns="v", **options)

    assert read(2**63 - 1, -(2**63)).tolist() == [2**63 - 1, -(2**63)]
    assert read(2**53, 0.5, 1e300).tolist() == [2**53, 0.5, 1e300]
    for numbers in ([2**63 + 1], [2**53 + 1, 0.5], ["1" * 400], ["1e400"]):
        with pytest.raises(
            ValueError, match=r"read_jsonl: .*a: column 'v', line 2: expected numbers that int64"
        ):
            read(1, *numbers)
        assert values(read(1, *numbers, text=["v"])) == ["1", *map(str, numbers)]


# Missing values.


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


# JSON.


def test_dates_and_numbers_of_json_as_text(tmp_path):
    (tmp_path / "a").write_text(
        '{"d": "2024-01-01", "n": 1.50, "b": true}\n{"d": null, "n": "x", "b": false}\n'
    )
    table = read_jsonl(tmp_path / "a", text=["n", "b", "d"], missing="-")
    assert found(table) == {"d": ["2024-01-01", "-"], "n": ["1.50", "x"], "b": ["true", "false"]}
    assert values(read_jsonl(tmp_path / "a", columns="d", missing="-")) == ["2024-01-01", "-"]
    (tmp_path / "a").write_text('{"d": "2024-01-01"}\n{"d": {"a": 1}}\n')
    with pytest.raises(ValueError, match="column 'd', line 2: expected text, got an object or an array"):
        read_jsonl(tmp_path / "a", text=["d"])


SURROGATES = [
    (r"\ud800", "�"),
    (r"\uD800x", "�x"),
    (r"\udc00\ud800", "��"),
    (r"\ud83d\ude00", "😀"),
    (r"\ud83d\ud83d\ude00", "�😀"),
    (r"\\ud800", r"\ud800"),
    (r"\\\ud800", "\\�"),
    (r"\\ud83d\ude00", r"\ud83d�"),
    (r"\ud83d\\ude00", r"�\ude00"),
]


@pytest.mark.parametrize(("escaped", "want"), SURROGATES)
def test_lone_surrogates_of_json(tmp_path, escaped, want):
    raw = f'{{"a": "fine"}}\n{{"a": "{escaped}"}}\n{{"a": "\xff"}}\n'.encode("latin-1")
    (tmp_path / "a").write_bytes(raw)
    got = read_jsonl(tmp_path / "a", columns="a")[:].tolist(as_bytes=True)
    assert got == [b"fine", want.encode(), b"\xff"]
    if "�" in want:
        with pytest.raises(ValueError, match="read_jsonl: .*a: line 2: expected pairs of surrogates"):
            read_jsonl(tmp_path / "a", errors="strict")
    else:
        assert len(read_jsonl(tmp_path / "a", errors="strict")["a"]) == 3
    with pytest.raises(ValueError, match="read_jsonl: expected `errors` to be 'replace' or 'strict'"):
        read_jsonl(tmp_path / "a", errors="ignore")


@pytest.mark.usefixtures("small_blocks")
def test_long_lines_and_rows(tmp_path):
    words = ["x" * n for n in (5, 700, 64, 1, 5000)]
    (tmp_path / "a").write_text("".join(json.dumps({"a": w}) + "\n" for w in words))
    assert values(read_jsonl(tmp_path / "a", columns="a")) == words
    (tmp_path / "a").write_text("a,b\n" + "".join(f'"{w}\n",1\n' for w in words))
    table = read_csv(tmp_path / "a")
    assert values(table["a"]) == [w + "\n" for w in words]
    assert table["b"].tolist() == [1] * 5


@pytest.mark.slow
def test_a_line_of_more_than_32_megabytes(tmp_path):
    word = "0123456789abcdef" * (2**22 + 5)
    for read, raw in [(read_jsonl, json.dumps({"a": word})), (read_csv, f"a\n{word}\n")]:
        (tmp_path / "a").write_text(raw)
        assert read(tmp_path / "a", columns="a")[0].item() == word


@pytest.mark.usefixtures("small_blocks")
def test_objects_that_span_lines_or_share_one(tmp_path):
    rows = [{"a": "x" * n, "n": n} for n in range(40)]
    for raw in ("\n".join(json.dumps(r, indent=2) for r in rows), "".join(map(json.dumps, rows))):
        (tmp_path / "a").write_text(raw)
        assert read_jsonl(tmp_path / "a")["n"].tolist() == list(range(40))
    (tmp_path / "a").write_text("\n".join(json.dumps(r, indent=2) for r in rows) + "\n[1]\n")
    with pytest.raises(ValueError, match=r"read_jsonl: .*a: line \d+: expected a JSON object"):
        read_jsonl(tmp_path / "a")


def test_names_that_are_not_utf8(tmp_path):
    for read, raw in [(read_csv, b"a,\xff\n1,2\n"), (read_jsonl, b'{"a": 1, "\xff": 2}\n')]:
        (tmp_path / "a").write_bytes(raw)
        with pytest.raises(ValueError, match=rf"{read.__name__}: .*a: expected names of columns in UTF-8"):
            read(tmp_path / "a")


def test_line_ends_of_quoted_fields_at_the_ends_of_blocks(tmp_path, monkeypatch):
    """Pyarrow skips an LF at the begin of a block after a CR."""
    for size in range(20, 60):
        monkeypatch.setattr(_csv, "_BLOCK_BYTES", size)
        words = [f"{i}\r\n" for i in range(60)]
        (tmp_path / "a").write_bytes(b"a\r\n" + "".join(f'"{w}"\r\n' for w in words).encode())
        assert values(read_csv(tmp_path / "a", columns="a")) == words


@pytest.mark.parametrize(
    "raw", [b"null", b"null\n", b' \nnull{"a": 1}', b'{"a": 1}\nnull\n', b'{"a": 1} null', b"[null]", b"nul"]
)
def test_a_line_of_null_is_no_object(tmp_path, raw):
    (tmp_path / "a").write_bytes(raw)
    with pytest.raises(ValueError, match=r"read_jsonl: .*a: line [12]: expected a JSON object"):
        read_jsonl(tmp_path / "a")


@pytest.mark.usefixtures("small_blocks")
def test_objects_that_span_lines_with_nulls(tmp_path):
    (tmp_path / "a").write_text(
        "\n".join(json.dumps({"a": "n", "b": [None, 1, None]}, indent=1) for _ in range(30))
    )
    assert values(read_jsonl(tmp_path / "a", columns="a")) == ["n"] * 30


@pytest.mark.usefixtures("small_blocks")
def test_strings_before_lists_do_not_crash(tmp_path):
    rows = [{"a": "x", "b": 1}] * 9 + [{"a": [1], "b": 2}] * 9
    (tmp_path / "a").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ValueError, match="column 'a'"):
        read_jsonl(tmp_path / "a")
    assert read_jsonl(tmp_path / "a", columns="b").tolist() == [1] * 9 + [2] * 9


def test_random_tables_are_those_that_python_reads(tmp_path):
    assert compare(range(400), tmp_path) == []


@pytest.mark.parametrize("seed", [121, 10948, 15409, 31919, 91054, 95004])
def test_random_tables_that_pyarrow_read_wrongly(tmp_path, seed):
    """A byte order mark twice, and quoted line ends and quotes at the ends of blocks."""
    assert compare([seed], tmp_path) == []


# Rows in errors.


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("row", [1, 2, 50, 99])
def test_rows_in_errors_after_the_first_block(tmp_path, row):
    (tmp_path / "a").write_text("a,b\n\n" + '"x\ny",1\n' * (row - 1) + "secret\n" + "z,1\n" * 40)
    with pytest.raises(ValueError, match=f"read_csv: .*a: row {row + 1}: expected 2 fields, got 1$"):
        read_csv(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"a,b\n" + b"xy,1\n" * (row - 1) + b"\xff,1\n" + b"z,1\n" * 40)
    with pytest.raises(ValueError, match=f"column 'a', row {row + 1}: expected UTF-8"):
        read_csv(tmp_path / "a", check_utf8=True)
    good, rest = '{"a": "xyz", "n": 1}\n', '{"a": "secret", "n": 1}\n' * 40
    for bad, text in [
        ('{"a": 1, "n": 1}\n', rf"column 'a', (line {row}: |rows from \d+: )"),
        ('{"a": "secret}\n', f"line {row}: expected a JSON object"),
        ("{1}\n", f"line {row}: expected a JSON object"),
        ('{"a": "secret", "a": 1}\n', f"line {row}: expected each name of an object once"),
    ]:
        if row == 1 and "n" in bad:
            continue
        (tmp_path / "a").write_text(good * (row - 1) + bad + rest)
        with pytest.raises(ValueError, match=f"read_jsonl: .*a: {text}") as caught:
            read_jsonl(tmp_path / "a")
        assert "secret" not in str(caught.value)
    texts = pyarrow.array(["x"] * (row - 1) + [None] + ["z"] * 40)
    write(tmp_path / "a.parquet", {"a": texts})
    with pytest.raises(ValueError, match=f"column 'a', row {row}: expected no missing strings"):
        read_parquet(tmp_path / "a.parquet")


@pytest.mark.parametrize("delimiter", ["", ",,", "é", '"', "\n"])
def test_delimiters(tmp_path, delimiter):
    (tmp_path / "a").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="read_csv: expected `delimiter` to be one ASCII character"):
        read_csv(tmp_path / "a", delimiter=delimiter)
