"""read_jsonl: text, surrogates, objects that span lines, nulls."""

import json

import pytest
from support.streams import open_stream
from support.table_files import found, values

from torch_stringops.data import read_csv, read_jsonl


def test_dates_and_numbers_of_json_as_text(tmp_path):
    (tmp_path / "a").write_text('{"d": "2024-01-01", "n": 1.50, "b": true}\n{"d": null, "n": "x", "b": false}\n')
    table = read_jsonl(tmp_path / "a", text=["n", "b", "d"], missing="-")
    assert found(table) == {"d": ["2024-01-01", "-"], "n": ["1.50", "x"], "b": ["true", "false"]}
    assert values(read_jsonl(tmp_path / "a", columns="d", missing="-")) == ["2024-01-01", "-"]
    (tmp_path / "a").write_text('{"d": "2024-01-01"}\n{"d": {"a": 1}}\n')
    with pytest.raises(ValueError, match="column 'd', row 2: expected text, got an object or an array"):
        read_jsonl(tmp_path / "a", text=["d"])


SURROGATES = [
    (r"\ud800", "�"), (r"\uD800x", "�x"), (r"\udc00\ud800", "��"), (r"\ud83d\ude00", "😀"),
    (r"\ud83d\ud83d\ude00", "�😀"), (r"\\ud800", r"\ud800"), (r"\\\ud800", "\\�"), (r"\\ud83d\ude00", r"\ud83d�"),
    (r"\ud83d\\ude00", r"�\ude00"),
]  # fmt: skip


@pytest.mark.parametrize(("escaped", "want"), SURROGATES)
def test_lone_surrogates_of_json(tmp_path, escaped, want):
    raw = f'{{"a": "fine"}}\n{{"a": "{escaped}"}}\n{{"a": "\xff"}}\n'.encode("latin-1")
    (tmp_path / "a").write_bytes(raw)
    got = read_jsonl(tmp_path / "a", columns="a")[:].tolist(as_bytes=True)
    assert got == [b"fine", want.encode(), b"\xff"]


@pytest.mark.usefixtures("small_blocks")
def test_long_lines_and_rows(tmp_path):
    words = ["x" * n for n in (5, 700, 64, 1, 5000)]
    (tmp_path / "a").write_text("".join(json.dumps({"a": w}) + "\n" for w in words))
    assert values(read_jsonl(tmp_path / "a", columns="a")) == words
    (tmp_path / "a").write_text("a,b\n" + "".join(f'"{w}\n",1\n' for w in words))
    table = read_csv(tmp_path / "a")
    assert values(table["a"]) == [w + "\n" for w in words]
    assert table["b"].tolist() == [1] * 5


@pytest.mark.check
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
    with pytest.raises(ValueError, match=r"read_jsonl: .*a: row 41: expected a JSON object$"):
        read_jsonl(tmp_path / "a")


def test_names_that_are_not_utf8(tmp_path):
    for read, raw in [(read_csv, b"a,\xff\n1,2\n"), (read_jsonl, b'{"a": 1, "\xff": 2}\n')]:
        (tmp_path / "a").write_bytes(raw)
        with pytest.raises(ValueError, match=rf"{read.__name__}: .*a: expected names of columns in UTF-8"):
            read(tmp_path / "a")


@pytest.mark.parametrize(
    "raw", [b"null", b"null\n", b' \nnull{"a": 1}', b'{"a": 1}\nnull\n', b'{"a": 1} null', b"[null]", b"nul"]
)
def test_a_line_of_null_is_no_object(tmp_path, raw):
    (tmp_path / "a").write_bytes(raw)
    with pytest.raises(ValueError, match=r"read_jsonl: .*a: (line|row) [12]: expected a JSON object"):
        read_jsonl(tmp_path / "a")


@pytest.mark.usefixtures("small_blocks")
def test_objects_that_span_lines_with_nulls(tmp_path):
    (tmp_path / "a").write_text("\n".join(json.dumps({"a": "n", "b": [None, 1, None]}, indent=1) for _ in range(30)))
    assert values(read_jsonl(tmp_path / "a", columns="a")) == ["n"] * 30


@pytest.mark.usefixtures("small_blocks")
def test_columns_are_in_the_order_of_the_file(tmp_path):
    line = '{"a": 1, "day": "2024-01-01 00:00:00", "b": 2, "days": ["2024-01-01"]}\n'
    spanning = '{"c": 1,\n"a": 1}'  # read again, as one block
    for text, names in ((line, ["a", "day", "b", "days"]), (line + spanning, ["a", "day", "b", "days", "c"])):
        (tmp_path / "a.jsonl").write_text(text)
        missing = {"day": "", "days": "", "b": 0, "c": 0}
        missing = {name: value for name, value in missing.items() if name in names}
        assert list(read_jsonl(tmp_path / "a.jsonl", missing=missing)) == names
        (batch,) = open_stream(tmp_path / "a.jsonl", batch_size=2, missing=missing)
        assert list(batch) == names


def test_strings_before_lists_do_not_crash(tmp_path):
    rows = [{"a": "x", "b": 1}] * 9 + [{"a": [1], "b": 2}] * 9
    (tmp_path / "a").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ValueError, match="column 'a'"):
        read_jsonl(tmp_path / "a")
    assert read_jsonl(tmp_path / "a", columns="b").tolist() == [1] * 9 + [2] * 9
