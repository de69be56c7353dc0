"""Folders `name=value` as columns: read_csv, read_jsonl, read_parquet, read_arrow and StreamingDataset."""

import json

import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
import torch
from support.streams import open_stream
from support.table_files import found

from torch_stringops.data import read_arrow, read_csv, read_jsonl, read_parquet, save

READ = {"parquet": read_parquet, "arrow": read_arrow, "csv": read_csv, "jsonl": read_jsonl}


def write(path, n, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    table = {"n": n, **columns}
    if path.suffix == ".csv":
        rows = zip(*table.values(), strict=True)
        path.write_text("\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]) + "\n")
    elif path.suffix == ".jsonl":
        rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.table(table), path)
    else:
        with pyarrow.OSFile(str(path), "wb") as sink:
            made = pyarrow.table(table)
            with pyarrow.ipc.new_file(sink, made.schema) as writer:
                writer.write_table(made)


@pytest.mark.parametrize("kind", READ)
def test_folders_are_columns(tmp_path, kind):
    write(tmp_path / f"year=2023/lang=en/a.{kind}", [1, 2])
    write(tmp_path / f"year=2024/lang=pt%2Fbr%20x/a.{kind}", [3])
    write(tmp_path / f"year=2024/lang=007/b.{kind}", [4, 5])
    paths = str(tmp_path / f"**/*.{kind}")
    read = READ[kind]
    assert list(read(paths)) == ["n"]
    table = read(paths, partitioning="hive")
    want = {
        "n": [1, 2, 4, 5, 3],
        "year": [2023] * 2 + [2024] * 3,
        "lang": ["en", "en", "007", "007", "pt/br x"],
    }
    assert found(table) == want
    assert list(table) == ["n", "year", "lang"]
    assert table["year"].dtype is torch.int64
    assert read(paths, partitioning="hive", columns="year").tolist() == want["year"]
    assert found(read(paths, partitioning="hive", columns=["lang", "n"])) == {k: want[k] for k in ("lang", "n")}
    for columns in (None, ["lang", "n"], ["year"]):
        batches = list(open_stream(paths, batch_size=2, partitioning="hive", columns=columns))
        for name in columns or want:
            assert [value for batch in batches for value in batch[name].tolist()] == want[name]
        assert list(batches[0]) == list(columns or want)
    if kind in ("csv", "jsonl"):
        assert read(paths, partitioning="hive", columns="year", text="year")[:].tolist()[0] == "2023"
    (batch,) = open_stream(paths, batch_size=9, partitioning="hive", text=["year"])
    assert batch["year"].tolist() == [str(year) for year in want["year"]]


def test_the_same_as_pyarrow_and_polars(tmp_path):
    for at, (month, lang) in enumerate([("01", "é"), ("12", "a=b"), ("-3", "x y")]):
        table = pyarrow.table({"n": [at], "month": [month], "lang": [lang]})
        pyarrow.parquet.write_to_dataset(table, tmp_path, partition_cols=["month", "lang"])
    ours = read_parquet(str(tmp_path / "**/*.parquet"), partitioning="hive")
    rows = sorted(zip(*found(ours).values(), strict=True))
    theirs = pyarrow.dataset.dataset(tmp_path, partitioning="hive").to_table().to_pydict()
    assert rows == sorted(zip(*(theirs[name] for name in ours), strict=True))
    frame = polars.read_parquet(tmp_path, hive_partitioning=True)
    assert rows == sorted(frame.select(list(ours)).rows())


@pytest.mark.parametrize("kind", READ)
def test_missing_values_of_folders(tmp_path, kind):
    write(tmp_path / f"year=2023/a.{kind}", [1])
    write(tmp_path / f"year=__HIVE_DEFAULT_PARTITION__/b.{kind}", [2, 3])
    paths = str(tmp_path / f"*/*.{kind}")
    for given, want in [(-1, [2023, -1, -1]), ({"year": 0.5}, [2023, 0.5, 0.5])]:
        assert READ[kind](paths, partitioning="hive", missing=given)["year"].tolist() == want
        (batch,) = open_stream(paths, batch_size=9, partitioning="hive", missing=given)
        assert batch["year"].tolist() == want
    with pytest.raises(ValueError, match=rf"b.{kind}: column 'year', row \d: expected no missing numbers"):
        READ[kind](paths, partitioning="hive")
    with pytest.raises(ValueError, match="column 'year', row . *: expected no missing|column 'year', row"):
        list(open_stream(paths, batch_size=9, partitioning="hive"))


@pytest.mark.parametrize("kind", READ)
def test_the_folder_is_used_if_the_file_has_the_column_too(tmp_path, kind):
    write(tmp_path / f"year=2023/a.{kind}", [1, 2], year=[7, 8])
    table = READ[kind](tmp_path / f"year=2023/a.{kind}", partitioning="hive")
    assert found(table) == {"n": [1, 2], "year": [2023, 2023]}
    (batch,) = open_stream(tmp_path / f"year=2023/a.{kind}", batch_size=2, partitioning="hive")
    assert batch["year"].tolist() == [2023, 2023]
    assert READ[kind](tmp_path / f"year=2023/a.{kind}")["year"].tolist() == [7, 8]


def test_integers_beyond_int64_are_strings(tmp_path):
    for value in ("1", str(2**63)):
        write(tmp_path / f"id={value}/a.csv", [1])
    assert found(read_csv(str(tmp_path / "*/*"), partitioning="hive"))["id"] == ["1", str(2**63)]


def test_errors(tmp_path):
    write(tmp_path / "year=1/a.csv", [1])
    write(tmp_path / "month=1/a.csv", [1])
    write(tmp_path / "a.csv", [1])
    write(tmp_path / "year=1/year=2/a.csv", [1])
    write(tmp_path / "year=%ff/a.csv", [1])
    (tmp_path / "year=1/a.txt").write_text("a\n")

    def read(*names, **options):
        for make in (read_csv, lambda *a, **k: open_stream(*a, batch_size=1, **k)):
            make([tmp_path / name for name in names], **{"partitioning": "hive", **options})

    for names, text in [
        (["a.csv"], "a.csv: expected folders `name=value` in the path"),
        (
            ["month=1/a.csv", "year=1/a.csv"],
            r"expected paths with equal names of partitions, got \['month'\] in",
        ),
        (["year=1/year=2/a.csv"], "expected each name of a partition once, got 'year' twice"),
        (["year=%ff/a.csv"], "expected UTF-8 in the names of folders"),
    ]:
        with pytest.raises(ValueError, match=f"read_csv: .*{text}"):
            read(*names)
        with pytest.raises(ValueError, match=f"StreamingDataset: .*{text}"):
            open_stream([tmp_path / name for name in names], batch_size=1, partitioning="hive")
    with pytest.raises(ValueError, match="read_csv: expected `partitioning` to be 'hive' or None"):
        read("year=1/a.csv", partitioning="dir")
    with pytest.raises(ValueError, match="expected `partitioning` with files of tables only, got files of text"):
        open_stream(tmp_path / "year=1/a.txt", batch_size=1, partitioning="hive")
    with pytest.raises(ValueError, match="expected a column 'z', which `columns` names"):
        read("year=1/a.csv", columns=["z", "year"])


def test_states_name_the_partitioning(tmp_path):
    save(["a", "b", "c"], tmp_path / "x.arrow")
    path = tmp_path / "lang=en/x.arrow"
    path.parent.mkdir()
    (tmp_path / "x.arrow").rename(path)
    dataset = open_stream(path, batch_size=1, partitioning="hive", shuffle=True)
    iterator = iter(dataset)
    next(iterator)
    state = dataset.state_dict()
    iterator.close()
    other = open_stream(path, batch_size=1, shuffle=True)
    with pytest.raises(ValueError, match="expected a state of `partitioning` None, got 'hive'"):
        other.load_state_dict(state)
    dataset.load_state_dict(state)
    assert len(list(dataset)) == 2
