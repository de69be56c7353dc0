"""read_csv, read_jsonl, read_parquet: types of columns, which differ by block and file."""

import itertools
import json
import math

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.streams import open_stream
from support.table_files import values, write

from torch_stringops.data import ColumnDataset, read_arrow, read_csv, read_jsonl, read_parquet
from torch_stringops.data.tables import csv_file


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("first", "last", "want"), [
    (None, "x", "strings"), (None, 1, torch.int64), (1, 1.5, torch.float64), (1.5, 1, torch.float64),
    (None, True, torch.bool), ("2024-01-01", "x", "strings"), ("2024-01-01", "2024-01-02", "strings"),
])  # fmt: skip
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
        assert values(read_jsonl([tmp_path / "c", tmp_path / "b"], missing=fill)["v"])[:count] == expected[count:]
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


@pytest.mark.parametrize("size", [1, 2, 3, 2**17])
def test_hexadecimal_fields_of_csv_are_text(tmp_path, monkeypatch, size):
    """Also if the 0 and the x are in different parts."""
    monkeypatch.setattr(csv_file, "_PART_BYTES", size)
    for field, text in [("0x1F", ["10", "0x1F"]), ("0X1", ["10", "0X1"])]:
        (tmp_path / "a").write_text(f"v,x\n10,0\n{field},1\n")
        table = read_csv(tmp_path / "a")
        assert values(table["v"]) == text
        assert table["x"].tolist() == [0, 1]


def test_numbers_of_csv(tmp_path):
    def read(*fields, **options):
        (tmp_path / "a").write_text("v,n\n" + "".join(f"{f},1\n" for f in fields))
        return read_csv(tmp_path / "a", columns="v", **options)

    assert read("1", " 2", "-3 ", "\t4").tolist() == [1, 2, -3, 4]
    assert read("1", "2.5", "1e3", ".5").tolist() == [1, 2.5, 1000, 0.5]
    assert str(read("nan", "inf", "-Infinity").tolist()) == "[nan, inf, -inf]"
    assert read("True", "false", "TRUE").tolist() == [True, False, True]
    assert values(read("True", " true")) == ["True", " true"]
    assert values(read("0x10", "1")) == ["0x10", "1"]
    assert values(read("1_0", "1")) == ["1_0", "1"]
    assert values(read("1", "true")) == ["1", "true"]
    assert read(str(2**63 - 1), str(-(2**63))).tolist() == [2**63 - 1, -(2**63)]
    assert read(str(2**53), "0.5").tolist() == [2**53, 0.5]
    assert read("1e300", "0.5").tolist() == [1e300, 0.5]
    # Numbers that would be rounded are text.
    for numbers in (["1", str(2**63 + 1)], ["1", "1" * 400], ["1", "1e400"], ["0.5", str(2**53 + 1)]):
        assert values(read(*numbers)) == values(read(*numbers, text="v")) == numbers
    assert read("0.5", str(2**53 + 2), "-inf").tolist() == [0.5, 2**53 + 2, -math.inf]


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
    with pytest.raises(ValueError, match=r"column 'v'(, row \d+)?: expected numbers"):
        read_jsonl(tmp_path / "c")


@pytest.mark.parametrize(("types", "want"), [
    (["int8", "int64"], torch.int64), (["uint8", "int8"], torch.int16), (["uint64", "int8"], torch.int64),
    (["float32", "float64"], torch.float64), (["float32", "int8"], torch.float64),
    (["float32", "float32"], torch.float32), (["uint32", "uint32"], torch.uint32),
])  # fmt: skip
def test_dtypes_of_parquet_files_unite(tmp_path, types, want):
    for i, name in enumerate(types):
        write(tmp_path / f"{i}.parquet", {"v": pyarrow.array([i, 100], getattr(pyarrow, name)())})
    column = read_parquet(str(tmp_path / "*.parquet"), columns="v")
    assert column.dtype is want
    assert column.tolist() == [0, 100, 1, 100]
    write(tmp_path / "2.parquet", {"v": [True]})
    with pytest.raises(ValueError, match=r"2.parquet: column 'v', rows from 1: expected numbers as before, got bools"):
        read_parquet(str(tmp_path / "*.parquet"))


def test_large_unsigned_integers_and_negative_ones_do_not_unite(tmp_path):
    write(tmp_path / "a.parquet", {"v": pyarrow.array([2**63], pyarrow.uint64())})
    write(tmp_path / "b.parquet", {"v": [-1]})
    assert read_parquet(tmp_path / "a.parquet", columns="v").tolist() == [2**63]
    with pytest.raises(ValueError, match=r"a.parquet: column 'v', row 1: expected an integer that int64 holds"):
        read_parquet([tmp_path / "a.parquet", tmp_path / "b.parquet"])


def test_large_integers_of_json(tmp_path):
    def read(*numbers, **options):
        (tmp_path / "a").write_text("".join(f'{{"v": {n}}}\n' for n in numbers))
        return read_jsonl(tmp_path / "a", columns="v", **options)

    assert read(2**63 - 1, -(2**63)).tolist() == [2**63 - 1, -(2**63)]
    assert read(2**53, 0.5, 1e300).tolist() == [2**53, 0.5, 1e300]
    exact = "column 'v', row 2: expected numbers that int64"
    large = "column 'v', rows from 1: expected numbers of JSON that float64 holds"
    for numbers, text in [
        ([2**63 + 1], exact),
        ([2**53 + 1, 0.5], exact),
        (["1" * 400], exact),
        (["1e400"], large),
    ]:
        with pytest.raises(ValueError, match=f"read_jsonl: .*a: {text}"):
            read(1, *numbers)
        assert values(read(1, *numbers, text=["v"])) == ["1", *map(str, numbers)]


WORDS = pyarrow.array([b"ab", b"cd", b"ab"] * 5)
TEXTS = {
    "dictionary": WORDS.cast("string").dictionary_encode(),
    "dictionary of large": WORDS.cast("large_binary").dictionary_encode(),
    "string_view": WORDS.cast("string").cast(pyarrow.string_view()),
    "binary_view": WORDS.cast(pyarrow.binary_view()),
    "fixed_size": WORDS.cast(pyarrow.binary(2)),
    "fixed_size, dictionary": WORDS.cast(pyarrow.binary(2)).dictionary_encode(),
    "large": WORDS.cast("large_string"),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_types_of_strings_in_all_readers(tmp_path, kind):
    want = ["ab", "cd", "ab"] * 5
    lists = pyarrow.ListArray.from_arrays([0, 2, 2, 15], TEXTS[kind])
    for array, expected in [(TEXTS[kind], want), (lists, [want[:2], [], want[2:]])]:
        table = pyarrow.table({"s": array})
        for options in ({"missing": ""}, {}) if array is not lists else ({"missing": ""},):
            dataset = ColumnDataset.from_table(table, **options)
            assert as_lists(dataset[[*range(len(array))]]["s"]) == expected
        for name, read in [("a.arrow", read_arrow), ("b.arrow", read_arrow), ("a.parquet", read_parquet)]:
            path = tmp_path / name
            new = pyarrow.ipc.new_stream if name == "b.arrow" else pyarrow.ipc.new_file
            if name == "a.parquet":
                pyarrow.parquet.write_table(table, path, row_group_size=4)
            else:
                with pyarrow.OSFile(str(path), "wb") as sink, new(sink, table.schema) as writer:
                    writer.write_table(table, max_chunksize=4)
            assert as_lists(read(path, columns="s")) == expected, name
            batches = [as_lists(batch["s"]) for batch in open_stream(path, batch_size=4)]
            assert [row for batch in batches for row in batch] == expected, name


def as_lists(column):
    if isinstance(column, tuple):
        strings, ends = as_lists(column[0]), column[1].tolist()
        return [strings[a:b] for a, b in itertools.pairwise(ends)]
    return column[:].tolist()


CSV = "n,s,x,none,b,day\n" + "".join(f'{i},"a\n{i}",{i}.5,NA,true,2024-01-01\n' for i in range(40))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("last", ["1,s,2,,false,x", "1.5,s,1e400,NA,NA,2024-01-02", "0x1F,s,7,,no,", '"","",,,,""'])
def test_a_stream_has_the_columns_of_the_table(tmp_path, last):
    """Also if the last row decides a type."""
    path = tmp_path / "a.csv"
    path.write_text(CSV + last + "\n")
    missing = {"n": -1, "x": -2, "b": False}
    table, names = read_csv(path, missing=missing), ["n", "s", "x", "none", "b", "day"]
    assert list(table) == names
    for shuffle in (False, True):
        dataset = open_stream(path, batch_size=7, missing=missing, shuffle=shuffle)
        batches = list(dataset)
        for name in names:
            assert sorted(v for batch in batches for v in batch[name].tolist()) == sorted(values(table[name])), name
            if isinstance(table[name], torch.Tensor):
                assert batches[0][name].dtype is table[name].dtype
