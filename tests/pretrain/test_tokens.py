"""write_tokens and TokenDataset: what is written is what the tokenizer gives, whole or absent; what is resumed is exact."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.data import StringColumn, load, save
from torch_stringops.pretrain import TokenDataset, count_tokens, write_tokens

RANKS = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257, b" the": 258}
TEXTS = ["the end", "", "to the théâtre", "x" * 300, " the the", "\0"] * 7
PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def tokenizer_of(**special: int) -> SubwordTokenizer:
    return SubwordTokenizer.from_tiktoken(RANKS, PATTERN, special or {"<|endoftext|>": 259})


@pytest.fixture
def tokenizer():
    return tokenizer_of()


def rows_of(tokenizer, texts, eos_id=259):
    ids, row_splits = tokenizer.encode(list(texts))
    rows = [row.tolist() for row in ids.tensor_split(row_splits[1:-1])]
    return rows if eos_id is None else [[*row, eos_id] for row in rows]


def documents(folder):
    return [row.tolist() for row in TokenDataset(folder)]


@pytest.mark.parametrize("format", ["arrow", "megatron"])
@pytest.mark.parametrize("shard_bytes", [1, 200, 2**20])
def test_documents_are_those_of_the_tokenizer(tmp_path, tokenizer, format, shard_bytes):
    column = StringColumn([TEXTS[:11], [], TEXTS[11:12], TEXTS[12:]])
    found = write_tokens(column, tokenizer, tmp_path, format=format, shard_bytes=shard_bytes, progress=False)
    expected = rows_of(tokenizer, TEXTS)
    assert documents(tmp_path) == expected
    assert found == json.loads((tmp_path / "manifest.json").read_text())
    assert found["documents"] == len(TEXTS)
    assert found["tokens"] == sum(map(len, expected)) == TokenDataset(tmp_path).num_tokens
    assert found["bytes"] == sum(len(text.encode()) for text in TEXTS)
    assert (found["dtype"], found["eos_id"]) == ("uint16", 259)
    names = {path.name for path in tmp_path.iterdir()}
    suffixes = [".arrow"] if format == "arrow" else [".bin", ".idx"]
    assert names == {"manifest.json"} | {s["name"] + suffix for s in found["shards"] for suffix in suffixes}
    assert (len(found["shards"]) > 1) == (shard_bytes < 2**20)


@pytest.mark.parametrize("limit", ["_PIECE_BYTES", "_MAX_STRINGS"])
def test_ids_do_not_depend_on_the_sizes_of_pieces(tmp_path, tokenizer, monkeypatch, limit):
    column = StringColumn([TEXTS[:3], [], TEXTS[3:4], TEXTS[4:11], TEXTS[11:]])
    monkeypatch.setattr(f"torch_stringops.pretrain.token_plan.{limit}", 100)
    written = write_tokens(column, tokenizer, tmp_path, progress=False)
    assert documents(tmp_path) == rows_of(tokenizer, TEXTS)
    monkeypatch.undo()
    assert write_tokens(TEXTS, tokenizer, tmp_path, progress=False) == written


@pytest.mark.parametrize("length", [1, 4, 33])
def test_windows(tmp_path, tokenizer, length):
    write_tokens(TEXTS, tokenizer, tmp_path, shard_bytes=100, progress=False)
    every = [id for row in rows_of(tokenizer, TEXTS) for id in row]
    windows = TokenDataset(tmp_path, length)
    expected = [every[i : i + length + 1] for i in range(0, len(every) - length, length)]
    assert [row.tolist() for row in windows] == expected
    assert windows[-1].tolist() == expected[-1]
    assert windows[0].dtype == torch.int64
    loader = DataLoader(windows, batch_size=5, num_workers=1, multiprocessing_context="fork")
    assert torch.cat(list(loader)).tolist() == expected


def test_a_program_reads_arrow_and_megatron_files_without_this_package(tmp_path, tokenizer):
    pa = pytest.importorskip("pyarrow")
    write_tokens(TEXTS, tokenizer, tmp_path / "a", progress=False)
    with pa.memory_map(str(tmp_path / "a" / "shard-00000.arrow")) as source:
        assert pa.ipc.open_file(source).read_all()["input_ids"].to_pylist() == rows_of(tokenizer, TEXTS)
    indexed = pytest.importorskip("megatron.core.datasets.indexed_dataset")
    for dtype in ("uint16", "int32"):
        write_tokens(TEXTS, tokenizer, tmp_path / dtype, format="megatron", dtype=dtype, progress=False)
        theirs = indexed.IndexedDataset(str(tmp_path / dtype / "shard-00000"))
        assert [theirs[i].tolist() for i in range(len(theirs))] == rows_of(tokenizer, TEXTS)
        assert theirs.document_indices.tolist() == list(range(len(TEXTS) + 1))


def test_types_of_ids(tmp_path):
    large = SubwordTokenizer.from_tiktoken(RANKS | {b"zz": 70_000}, PATTERN)
    for format, expected in (("arrow", "uint32"), ("megatron", "int32")):
        found = write_tokens(["zz", "a"], large, tmp_path / format, format=format, add_eos=False, progress=False)
        assert found["dtype"] == expected
        assert documents(tmp_path / format) == [[70_000], [97]]
    with pytest.raises(ValueError, match="expected a `dtype` that holds ids up to 70000, got 'uint16'"):
        write_tokens(["a"], large, tmp_path / "b", add_eos=False, dtype="uint16", progress=False)
    found = write_tokens(["a"], tokenizer_of(), tmp_path / "c", eos_id=70_000, progress=False)
    assert found["dtype"] == "uint32"


def test_no_documents(tmp_path, tokenizer):
    for format in ("arrow", "megatron"):
        for name, column in {"none": [], "empty": [""]}.items():
            folder = tmp_path / format / name
            write_tokens(column, tokenizer, folder, format=format, add_eos=False, progress=False)
            assert documents(folder) == [[]] * len(column)
            assert len(TokenDataset(folder, 4)) == 0


def test_processes_write_the_same_files(tmp_path, tokenizer):
    save(StringColumn([TEXTS]), tmp_path / "texts.arrow")
    for processes, source in ((1, TEXTS), (2, load(tmp_path / "texts.arrow")), (2, TEXTS)):
        folder = tmp_path / f"{processes}{type(source).__name__}"
        write_tokens(source, tokenizer, folder, shard_bytes=500, processes=processes, progress=False)
    folders = [path for path in tmp_path.iterdir() if path.is_dir()]
    contents = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert len(contents) == 3
    assert contents[0] == contents[1] == contents[2]
    assert len(contents[0]) > 3


def test_progress(tmp_path, tokenizer, capsys):
    write_tokens(TEXTS, tokenizer, tmp_path)
    assert capsys.readouterr().err.startswith("\rwrite_tokens: 1 of 1 shards, 0.0 million tokens, ")


PROGRAM = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from test_tokens import TEXTS, tokenizer_of
from torch_stringops.data import StringColumn
from torch_stringops.pretrain import write_tokens
from torch_stringops.pretrain.token_shards import FORMATS

class Slow(type(FORMATS["arrow"])):
    def write(self, *args):
        super().write(*args)
        print("written", flush=True)
        if sys.argv[2] == "stop":
            sys.stdin.read()

FORMATS["arrow"] = Slow()
write_tokens(TEXTS * 3, tokenizer_of(), sys.argv[1], shard_bytes=900, progress=False)
"""


def start(folder: Path, mode: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PROGRAM, str(folder), mode, str(Path(__file__).parent)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_writer_that_is_killed_is_continued(tmp_path, tokenizer):
    whole = write_tokens(TEXTS * 3, tokenizer, tmp_path / "whole", shard_bytes=900, progress=False)
    shards = len(whole["shards"])
    assert shards > 5
    process = start(tmp_path / "cut", "stop")
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"  # the record of a shard is written after it
    process.send_signal(signal.SIGKILL)
    process.wait()
    with pytest.raises(ValueError, match=r"expected manifest.json, which write_tokens writes when all"):
        TokenDataset(tmp_path / "cut")
    before = list((tmp_path / "cut").glob("*.arrow"))
    assert len(before) == 1
    process = start(tmp_path / "cut", "go")
    out, _ = process.communicate(timeout=100)
    assert process.returncode == 0
    # The shard whose record was not written is written again.
    assert out.count("written") == shards
    contents = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("whole", "cut")]
    assert contents[0] == contents[1]
    # A further call writes nothing.
    process = start(tmp_path / "cut", "go")
    assert process.communicate(timeout=100)[0] == ""


def test_a_finished_shard_is_not_written_again(tmp_path, tokenizer, monkeypatch):
    from torch_stringops.pretrain import token_shards

    written = []
    format = token_shards.FORMATS["arrow"]
    original = type(format).write

    def write(self, stem, ids, lengths):
        if len(written) == 2:
            raise OSError("no space left")
        original(self, stem, ids, lengths)
        written.append(stem.name)

    monkeypatch.setattr(type(format), "write", write)
    with pytest.raises(OSError, match="no space left"):
        write_tokens(TEXTS, tokenizer, tmp_path, shard_bytes=300, progress=False)
    monkeypatch.setattr(type(format), "write", original)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.arrow")}
    assert len(times) == 2
    write_tokens(TEXTS, tokenizer, tmp_path, shard_bytes=300, progress=False)
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())
    assert documents(tmp_path) == rows_of(tokenizer, TEXTS)


@pytest.mark.parametrize("format", ["arrow", "megatron"])
def test_shards_of_a_finished_folder_are_whole(tmp_path, tokenizer, format):
    def write():
        return write_tokens(TEXTS, tokenizer, tmp_path, shard_bytes=300, format=format, progress=False)

    manifest = write()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    files = sorted(path for path in tmp_path.iterdir() if path.name != "manifest.json")
    files[0].unlink()
    files[1].write_bytes(before[files[1].name][:-8])
    files[2].write_bytes(before[files[-1].name])
    assert write() == manifest
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("is_whole", [True, False])
def test_other_arguments_are_refused(tmp_path, tokenizer, is_whole):
    write_tokens(TEXTS, tokenizer, tmp_path, shard_bytes=300, progress=False)
    if not is_whole:
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        records = manifest.pop("shards")
        counts = {key: manifest.pop(key) for key in ("tokens", "bytes")}
        assert counts["tokens"] > 0
        (tmp_path / "unfinished.json").write_text(json.dumps(manifest | {"shards": len(records)}))
        for record in records[1:]:
            (tmp_path / f"{record['name']}.json").write_text(json.dumps(record))
        (tmp_path / "manifest.json").unlink()
    options = {"shard_bytes": 300, "progress": False}
    other = SubwordTokenizer.from_tiktoken(RANKS | {b"x" * 2: 259}, PATTERN, {"<|endoftext|>": 260})
    for texts, tokens, changed, name in [
        (TEXTS, other, {"eos_id": 259}, "tokenizer"),
        (TEXTS, tokenizer, {"add_eos": False}, "eos_id"),
        (TEXTS, tokenizer, {"dtype": "uint32"}, "dtype"),
        (TEXTS, tokenizer, {"format": "megatron"}, "format"),
        (TEXTS[:-1], tokenizer, {}, "documents"),
        (TEXTS, tokenizer, {"shard_bytes": 10_000}, "shards"),
    ]:
        with pytest.raises(ValueError, match=f"got one of another `{name}`.*choose another folder"):
            write_tokens(texts, tokens, tmp_path, **{**options, **changed})
    texts = [*TEXTS[:-1], "\1"]
    with pytest.raises(ValueError, match="expected the documents of which .* got others in rows"):
        write_tokens(texts, tokenizer, tmp_path, **options)
    # The call that was first still continues.
    write_tokens(TEXTS, tokenizer, tmp_path, **options)
    assert documents(tmp_path) == rows_of(tokenizer, TEXTS)


def test_damaged_files(tmp_path, tokenizer):
    rng = np.random.default_rng(0)
    for format in ("arrow", "megatron"):
        folder = tmp_path / format
        write_tokens(TEXTS, tokenizer, folder, format=format, shard_bytes=10_000, progress=False)
        expected = documents(folder)
        for path in folder.iterdir():
            raw = path.read_bytes()
            for trial in range(24):
                damaged = bytearray(raw)
                if trial % 3 == 0:
                    del damaged[int(rng.integers(len(raw))) :]
                else:
                    for at in rng.integers(len(raw), size=trial):
                        damaged[at] = rng.integers(256)
                path.write_bytes(damaged)
                try:
                    found = documents(folder)
                    blocks = [row.tolist() for row in TokenDataset(folder, 5)]
                except (ValueError, OSError):
                    continue
                assert len(found) == len(expected)
                assert len(blocks) > 0
            path.write_bytes(raw)
        assert documents(folder) == expected


def test_a_manifest_names_files_of_its_folder(tmp_path, tokenizer):
    manifest = write_tokens(TEXTS, tokenizer, tmp_path / "a", progress=False)
    (tmp_path / "b").mkdir()
    for name in ("../a/shard-00000", "/etc/x", "", ".."):
        manifest["shards"][0]["name"] = name
        (tmp_path / "b" / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises((ValueError, OSError)):
            TokenDataset(tmp_path / "b")


def test_a_file_that_is_truncated_while_in_use(tmp_path, tokenizer):
    write_tokens(TEXTS, tokenizer, tmp_path, progress=False)
    dataset = TokenDataset(tmp_path)
    os.truncate(tmp_path / "shard-00000.arrow", 64)
    with pytest.raises(OSError, match="it was truncated while in use"):
        dataset[0]


@pytest.mark.parametrize(
    ("changed", "kind", "message"),
    [
        ({"tokenizer": None}, TypeError, "expected `tokenizer` to be a SubwordTokenizer, got NoneType"),
        ({"source": 3}, TypeError, "write_tokens: "),
        ({"shard_bytes": 0}, ValueError, r"expected `shard_bytes` within \[1, 1073741824\], got 0"),
        ({"format": "csv"}, ValueError, 'expected `format` to be one of "arrow", "megatron", got "csv"'),
        ({"dtype": "int32"}, ValueError, "expected `dtype` to be"),
        ({"processes": 0}, ValueError, "expected `processes` >= 1, got 0"),
        ({"eos_id": -1}, ValueError, "expected `eos_id` within"),
        ({"add_eos": False, "eos_id": 1}, ValueError, "expected no `eos_id` with add_eos=False"),
        ({"tokenizer": tokenizer_of(x=259)}, ValueError, "expected `eos_id`, since the tokenizer has 0"),
    ],
)
def test_bad_arguments(tmp_path, tokenizer, changed, kind, message):
    arguments = {"source": ["a"], "tokenizer": tokenizer, "folder": tmp_path / "new", "progress": False}
    with pytest.raises(kind, match=message):
        write_tokens(**{**arguments, **changed})
    assert not (tmp_path / "new").exists()


def test_bad_items(tmp_path, tokenizer):
    write_tokens(["a", "b"], tokenizer, tmp_path, progress=False)
    dataset = TokenDataset(tmp_path)
    for index in (2, -3):
        with pytest.raises(IndexError, match=f"TokenDataset.*: index {index} is out of bounds for 2 items"):
            dataset[index]
    with pytest.raises(TypeError, match="expected `index` to be an int, got str"):
        dataset["a"]
    with pytest.raises(ValueError, match="expected `length` >= 1, got 0"):
        TokenDataset(tmp_path, 0)
    assert repr(dataset) == "TokenDataset(2 documents, 4 tokens)"


@pytest.mark.parametrize("threads", [0, 2])
def test_tokens_are_counted(tmp_path, tokenizer, threads):
    manifest = write_tokens(TEXTS, tokenizer, tmp_path, add_eos=False, progress=False)
    column = StringColumn([TEXTS[:11], [], TEXTS[11:]])
    assert count_tokens(column, tokenizer, threads=threads) == manifest["tokens"] > 0
    assert count_tokens([], tokenizer) == 0
    with pytest.raises(TypeError, match="^count_tokens: expected `tokenizer` to be a SubwordTokenizer, got str"):
        count_tokens(TEXTS, "gpt2")
    with pytest.raises(ValueError, match="^count_tokens: expected `threads` >= 0, got -1"):
        count_tokens(TEXTS, tokenizer, threads=-1)
