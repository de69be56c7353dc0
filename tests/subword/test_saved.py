"""Files of SubwordTokenizer.save: mapped, shared by processes, of other versions, damaged and forged."""

import io
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from support.subword_small import LINES, tokenizer

from torch_stringops import SubwordTokenizer
from torch_stringops.ops import subword as ops
from torch_stringops.subword import _saved
from torch_stringops.subword._saved import saved_form


@pytest.fixture
def path(tmp_path: Path) -> Path:
    tokenizer().save(tmp_path / "t.pt")
    return tmp_path / "t.pt"


def ids(t: SubwordTokenizer) -> list[int]:
    found: list[int] = t(LINES)["input_ids"].tolist()
    return found


def is_mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def builds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets an element for every table that is built."""
    found: list[int] = []
    build = ops._subword_build

    def count(*args: Any, **options: Any) -> Any:
        found.append(1)
        return build(*args, **options)

    monkeypatch.setattr(ops, "_subword_build", count)
    return found


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="maps of the process are Linux's")
def test_a_file_is_mapped_unless_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch):
    built = builds(monkeypatch)
    read = SubwordTokenizer.load(path, mmap=False)
    assert not is_mapped(path)
    mapped = SubwordTokenizer.load(path)
    assert is_mapped(path)
    assert not built
    assert ids(mapped) == ids(read) == ids(tokenizer())
    with pytest.raises(TypeError, match="`mmap`"):
        SubwordTokenizer.load(path, mmap="yes")  # type: ignore[arg-type]


def test_a_mapping_outlives_the_file(path: Path):
    first = SubwordTokenizer.load(path)
    tokenizer("gpt2", max_length=3).save(path)
    second = SubwordTokenizer.load(path)
    path.unlink()
    assert (first.max_length, second.max_length) == (None, 3)
    assert ids(first) == ids(tokenizer())
    assert first.encode_text("to be") == tokenizer().encode_text("to be")


def test_a_mapped_tokenizer_is_pickled_saved_and_changed(path: Path, tmp_path: Path):
    t = SubwordTokenizer.load(path)
    assert ids(pickle.loads(pickle.dumps(t))) == ids(t)
    t.save(path)  # over the file that is mapped
    t.warm(LINES)
    assert ids(t) == ids(SubwordTokenizer.load(path))
    program = torch.export.export(torch.nn.Sequential(t), (t.vocabulary,))
    torch.export.save(program, tmp_path / "p.pt2")
    assert torch.export.load(tmp_path / "p.pt2").module()(t.vocabulary)["input_ids"].shape[0] == len(
        t
    )  # a copy of the table


_SHARE = """
import re, sys
import torch
from torch_stringops import SubwordTokenizer
t = SubwordTokenizer.load(sys.argv[1])
int(t._table.sum())  # reads every page
print("ready", flush=True)
sys.stdin.readline()
lines = open("/proc/self/smaps").read().split("\\n")
at = next(i for i, line in enumerate(lines) if line.endswith(sys.argv[1]))
print(*(int(re.search(name + r":\\s+(\\d+)", "\\n".join(lines[at:]))[1]) for name in ("Rss", "Pss", "Private_Dirty")))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps"), reason="smaps of a process are Linux's")
def test_processes_share_the_memory(path: Path):
    command = [sys.executable, "-c", _SHARE, str(path)]
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    # The first one reports while all hold the mapping.
    out = processes[0].communicate("\n", timeout=60)[0]
    for process in processes[1:]:
        process.communicate("\n", timeout=60)
    rss, pss, private = map(int, out.split())  # KB
    assert rss > path.stat().st_size / 1024 * 0.9
    assert pss <= rss / 3 + 4
    assert private == 0


def test_a_file_without_a_table_or_of_another_version(path: Path, monkeypatch: pytest.MonkeyPatch):
    t, built = tokenizer(), builds(monkeypatch)
    torch.save(t._state(), path)  # as earlier versions wrote it
    assert ids(SubwordTokenizer.load(path)) == ids(t)
    assert len(built) == 1
    torch.save(saved_form(t._state(), t._table) | {"version": "0.0.1"}, path)
    assert ids(SubwordTokenizer.load(path)) == ids(t)
    assert len(built) == 2
    table = t._table.clone()
    table[0] ^= 1  # the magic number of another layout
    torch.save(saved_form(t._state(), table), path)
    assert ids(SubwordTokenizer.load(path)) == ids(t)
    assert len(built) == 3


@pytest.mark.parametrize("mmap", [True, False])
def test_a_damaged_file_is_refused(path: Path, mmap: bool):
    raw = path.read_bytes()
    table = bytes(tokenizer()._table.tolist())
    at = raw.index(table)
    path.write_bytes(raw[: at + 999] + bytes([raw[at + 999] ^ 1]) + raw[at + 1000 :])
    with pytest.raises(ValueError, match=r"load: expected a file that `save` wrote, got a damaged one"):
        SubwordTokenizer.load(path, mmap=mmap)
    for size in (0, 10, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:size])
        with pytest.raises(ValueError, match=r"load: expected a file that `save` wrote, got a damaged one or another"):
            SubwordTokenizer.load(path, mmap=mmap)
    with pytest.raises(FileNotFoundError):
        SubwordTokenizer.load(path.parent / "none", mmap=mmap)


def test_a_forged_template_is_refused(path: Path):
    state = tokenizer()._state()
    spec = bytes(state["spec"].tolist()).replace(b"template_single 300 A", b"template_single 300 B")
    state["spec"] = torch.tensor(list(spec), dtype=torch.uint8)
    torch.save(saved_form(state, tokenizer()._table), path)
    with pytest.raises(ValueError, match="expected ids around A in template_single, got '300 B 301'"):
        SubwordTokenizer.load(path)


@pytest.mark.parametrize(("name", "value"), [
    ("table", torch.zeros(1, dtype=torch.uint8).expand(2**20)),
    ("table", torch.zeros(9, dtype=torch.int8)), ("table", torch.eye(3, dtype=torch.uint8).to_sparse()),
    ("numbers", torch.zeros(3, 2, dtype=torch.int32).T), ("offsets", [0, 1]),
])  # fmt: skip
def test_tensors_of_another_form_are_refused(path: Path, name: str, value: Any):
    t = tokenizer()
    torch.save(saved_form(t._state(), t._table) | {name: value}, path)
    with pytest.raises(ValueError, match=f"load: expected `{name}` to be a contiguous torch.[a-z0-9]* tensor"):
        SubwordTokenizer.load(path)


def test_a_tensor_at_an_odd_address_is_refused(path: Path):
    source, made = zipfile.ZipFile(path), io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            at = made.tell() + 30 + len(name)  # where zipfile puts the bytes
            info = zipfile.ZipInfo(name)
            if name.endswith("/data/1"):  # of int32
                info.extra = b"\xff\xff" + (3 - at % 4 + 4).to_bytes(2, "little") + b"0" * (3 - at % 4 + 4)
            target.writestr(info, source.read(name))
    path.write_bytes(made.getvalue())
    with pytest.raises(ValueError, match="load: expected `offsets` to be a contiguous"):
        SubwordTokenizer.load(path)
    assert ids(SubwordTokenizer.load(path, mmap=False)) == ids(tokenizer())


def test_the_hashes_are_of_every_tensor():
    t = tokenizer()
    form = saved_form(t._state(), t._table)
    assert form["hashes"].shape == (6,)
    assert torch.equal(form["hashes"], _saved._hashes({**t._state(), "table": t._table}))
