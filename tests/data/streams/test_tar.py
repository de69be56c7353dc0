"""Tar archives of samples in StreamingDataset, by the convention of WebDataset."""

import io
import random
import tarfile

import pytest
import torch
from support.streams import open_stream

from torch_stringops.data.streams import tar_shard


def write(path, members, kind=tarfile.GNU_FORMAT):
    with tarfile.open(path, "w", format=kind) as tar:
        for name, content in members:
            add(tar, name, content)


def add(tar, name, content):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def samples(count, seed=0, first=0):
    rng = random.Random(seed)
    for i in range(first, first + count):
        image = rng.randbytes(rng.choice([0, 1, 511, 512, 513, 3000, 9000]))
        yield (
            f"{i:06}",
            {"txt": f"text {i} é".encode() * rng.randrange(3), "cls": b"%d" % (i - 5), "jpg": image},
        )


def members(rows):
    return [(f"{key}.{extension}", content) for key, row in rows for extension, content in row.items()]


def rows_of(batches):
    found = []
    for batch in batches:
        columns = [
            column.tolist(as_bytes=True) if hasattr(column, "offsets") else column.tolist() for column in batch.values()
        ]
        found += [dict(zip(batch, row, strict=True)) for row in zip(*columns, strict=True)]
    return found


def wanted(rows):
    return [{"__key__": key.encode(), **row, "cls": int(row["cls"])} for key, row in rows]


@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("gap", [0, 4096])
def test_samples_are_rows(tmp_path, monkeypatch, kind, gap):
    monkeypatch.setattr(tar_shard, "_GAP", gap)
    rows = list(samples(90))
    write(tmp_path / "a.tar", members(rows), kind)
    dataset = open_stream(tmp_path / "a.tar", batch_size=7)
    found = rows_of(dataset)
    assert found == wanted(rows)
    assert dataset.rows == [90]
    (batch,) = open_stream(tmp_path / "a.tar", batch_size=90, columns=["cls", "txt"])
    assert list(batch) == ["cls", "txt"]
    assert batch["cls"].dtype is torch.int64
    assert batch["txt"].tolist(as_bytes=True) == [row["txt"] for _, row in rows]
    (batch,) = open_stream(tmp_path / "a.tar", batch_size=90, text=["cls"], columns="cls")
    assert batch["cls"].tolist(as_bytes=True) == [row["cls"] for _, row in rows]


@pytest.mark.parametrize("threads", [0, 3])
def test_an_epoch_is_exact_on_several_ranks(tmp_path, threads):
    rows = list(samples(200))
    write(tmp_path / "a.tar", members(rows[:150]))
    write(tmp_path / "b.tar", members(rows[150:]))
    write(tmp_path / "c.tar", [])
    found = []
    for rank in range(3):
        dataset = open_stream(
            str(tmp_path / "*.tar"), batch_size=9, shuffle=True, buffer_rows=128, even=False, threads=threads,
            rank=rank, world_size=3,
        )  # fmt: skip
        found += rows_of(dataset)
    assert sorted(found, key=lambda row: row["__key__"]) == wanted(rows)
    assert [row["__key__"] for row in found] != [row["__key__"] for row in wanted(rows)]


def test_the_rows_that_webdataset_reads(tmp_path):
    """Names up to the first dot, extensions of several parts and in upper case, folders, and members left out."""
    write(
        tmp_path / "a.tar",
        [
            ("__index__/x.txt", b"no"), ("README", b"no"), ("__meta__", b"no"),
            ("d.e/x.seg.PNG", b"1"), ("d.e/x.txt", b"2"), ("e/x.seg.png", b"3"), ("e/x.txt", b"4"),
            ("l" * 150 + ".seg.png", b"5"), ("l" * 150 + ".txt", b"6"), ("é.seg.png", b"7"), ("é.txt", b"8"),
        ],
    )  # fmt: skip
    with tarfile.open(tmp_path / "a.tar", "a") as tar:
        folder = tarfile.TarInfo("f.txt")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
    (batch,) = open_stream(tmp_path / "a.tar", batch_size=9)
    assert rows_of([batch]) == [
        {"__key__": key.encode(), "seg.png": b"%d" % n, "txt": b"%d" % (n + 1)}
        for key, n in [("d.e/x", 1), ("e/x", 3), ("l" * 150, 5), ("é", 7)]
    ]


def test_members_that_a_sample_lacks(tmp_path):
    write(tmp_path / "a.tar", [("0.txt", b"a"), ("0.cls", b"1"), ("1.txt", b"b"), ("2.cls", b"3")])
    (batch,) = open_stream(tmp_path / "a.tar", batch_size=9, missing={"txt": "?", "cls": -1})
    assert (batch["txt"].tolist(), batch["cls"].tolist()) == (["a", "b", "?"], [1, -1, 3])
    (batch,) = open_stream(tmp_path / "a.tar", batch_size=9, missing={"txt": "", "cls": 0.5})
    assert batch["cls"].tolist() == [1, 0.5, 3]
    for column, row, what in [("txt", 3, "strings"), ("cls", 2, "numbers")]:
        dataset = open_stream(tmp_path / "a.tar", batch_size=1, columns=column)
        with pytest.raises(ValueError, match=rf"a.tar: column '{column}', row {row}: expected no missing {what}"):
            list(dataset)


def test_errors(tmp_path):
    path = tmp_path / "a.tar"
    for content, text in [
        (
            [("0.txt", b"a"), ("0.TXT", b"b")],
            "sample 1: expected one member for each extension, got several of 'txt'",
        ),
        (
            [("0.txt", b"a"), ("1.cls", b"x")],
            r"column 'cls', row 2: expected an integer .*pass text=\['cls'\]",
        ),
        ([("1.cls", b"9" * 20)], "column 'cls', row 1: expected an integer that int64 holds"),
    ]:
        write(path, content)
        names = {name.partition(".")[2].lower() for name, _ in content}
        filled = {name: value for name, value in (("cls", 0), ("txt", "")) if name in names}
        with pytest.raises(ValueError, match=rf"StreamingDataset: .*a.tar: {text}") as caught:
            list(open_stream(path, batch_size=9, missing=filled))
        assert "999" not in str(caught.value)
    write(path, [("0.txt", b"a")])
    for options, text in [
        ({"columns": "z"}, "a column 'z', which `columns`"),
        ({"text": "z"}, "a column 'z', which `text`"),
    ]:
        with pytest.raises(ValueError, match=f"a.tar: expected {text}"):
            open_stream(path, batch_size=1, **options)
    write(tmp_path / "b.tar", [("0.jpg", b"a")])
    with pytest.raises(ValueError, match="expected files of equal columns"):
        open_stream(str(tmp_path / "*.tar"), batch_size=1)
    (tmp_path / "c.bin").write_bytes(path.read_bytes())
    with pytest.raises(ValueError, match="c.bin: expected a file, got a tar archive"):
        open_stream(tmp_path / "c.bin", batch_size=1)


@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_truncated_and_damaged_archives(tmp_path, kind):
    rows = list(samples(6))
    path = tmp_path / "a.tar"
    write(path, members(rows), kind)
    raw = path.read_bytes()
    end = raw.rstrip(b"\0")
    size = -(-len(end) // 512) * 512
    for length in [0, 1, 511, 512, 513, 700, 1024, 5000, size - 512, size - 1, size, size + 1, size + 511]:
        path.write_bytes(raw[:length])
        with pytest.raises(ValueError, match=r"StreamingDataset: .*a.tar: expected a"):
            open_stream(path, batch_size=1)
    path.write_bytes(raw[: size + 512])
    assert rows_of(open_stream(path, batch_size=4)) == wanted(rows)
    rng = random.Random(3)
    for _ in range(150):
        bad = bytearray(raw)
        at = rng.randrange(size // 512) * 512 + rng.randrange(512)
        bad[at] ^= 1 << rng.randrange(8)
        path.write_bytes(bad)
        try:
            found = rows_of(open_stream(path, batch_size=4, missing={"txt": "", "jpg": "", "cls": 0}))
        except (ValueError, OSError):
            continue
        assert len(found) >= 6  # a bit of a content, or of padding


def test_an_archive_that_changes_is_an_error(tmp_path):
    path = tmp_path / "a.tar"
    write(path, members(samples(50)))
    dataset = open_stream(path, batch_size=4)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(OSError, match=r"a.tar has changed since the dataset was created"):
        list(dataset)


def test_webdataset_reads_the_same(tmp_path):
    webdataset = pytest.importorskip("webdataset")
    rows = list(samples(40))
    write(tmp_path / "a.tar", members(rows))
    theirs = webdataset.WebDataset(str(tmp_path / "a.tar"), shardshuffle=False)
    theirs = [{"__key__": s["__key__"].encode(), **{k: s[k] for k in ("txt", "cls", "jpg")}} for s in theirs]
    ours = rows_of(open_stream(tmp_path / "a.tar", batch_size=9, text=["cls"]))
    assert ours == theirs
