"""read_csv, read_jsonl, read_parquet: the row in errors, the ends of blocks, and random tables against csv and json."""

import csv
import io

import pyarrow
import pyarrow.parquet
import pytest
from support.random_tables import compare, compare_stream
from support.table_files import values, write

from torch_stringops.data import read_csv, read_jsonl, read_parquet
from torch_stringops.data.tables import blocks


def test_line_ends_of_quoted_fields_at_the_ends_of_blocks(tmp_path, monkeypatch):
    """Pyarrow skips an LF at the begin of a block after a CR."""
    for size in range(20, 60):
        monkeypatch.setattr(blocks, "_TABLE_BYTES", size)
        words = [f"{i}\r\n" for i in range(60)]
        (tmp_path / "a").write_bytes(b"a\r\n" + "".join(f'"{w}"\r\n' for w in words).encode())
        assert values(read_csv(tmp_path / "a", columns="a")) == words


def test_quotes_within_fields_at_the_ends_of_blocks(tmp_path, monkeypatch):
    fields = ['x"y', '"a""\nb"', 'q""', '"p"x"', '5" pipe', '""', '"\r\n"', "z"] * 8
    raw = "a,b\r" + "".join(f"{field},{field}{end}" for field, end in zip(fields, "\n\r" * 32, strict=True))
    (tmp_path / "a").write_bytes(raw.encode())
    want = [row[0] for row in list(csv.reader(io.StringIO(raw, newline="")))[1:]]
    assert len(want) == 64
    for size in range(3, 90, 6):
        monkeypatch.setattr(blocks, "_TABLE_BYTES", size)
        table = read_csv(tmp_path / "a")
        assert values(table["a"]) == values(table["b"]) == want


def test_random_tables_are_those_that_python_reads(tmp_path):
    assert compare(range(400), tmp_path) == []


def test_random_streams_have_the_rows_of_their_tables(tmp_path):
    assert [text for seed in [*range(60), 265, 282] if (text := compare_stream(seed, tmp_path))] == []


@pytest.mark.parametrize("seed", [121, 5370, 10948, 14736, 15409, 31919, 91054, 95004])
def test_random_tables_that_pyarrow_read_wrongly(tmp_path, seed):
    """A byte order mark twice, quoted line ends and quotes at the ends of blocks, lists of integers and floats."""
    assert compare([seed], tmp_path) == []


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("row", [1, 2, 50, 99])
def test_rows_in_errors_after_the_first_block(tmp_path, row):
    (tmp_path / "a").write_text("a,b\n\n" + '"x\ny",1\n' * (row - 1) + "secret\n" + "z,1\n" * 40)
    with pytest.raises(ValueError, match=f"read_csv: .*a: row {row + 1}: expected 2 fields, got 1$"):
        read_csv(tmp_path / "a")
    good, rest = '{"a": "xyz", "n": 1}\n', '{"a": "secret", "n": 1}\n' * 40
    for bad, text in [
        ('{"a": 1, "n": 1}\n', rf"column 'a', (row {row}: |rows from \d+: )"),
        ('{"a": "secret}\n', f"row {row}: expected a JSON object"),
        ("{1}\n", f"row {row}: expected a JSON object"),
        ('{"a": "secret", "a": 1}\n', f"row {row}: expected a JSON object: .* was specified twice"),
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
