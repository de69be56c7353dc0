"""What docs/stability.md promises: schemas stay compatible, and files that earlier releases wrote give the same results."""

import gzip
import importlib.util
import io
import itertools
import json
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import torch_stringops as ts
from torch_stringops import StringTensor

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted((ROOT / "tests" / "golden" / "saved").iterdir())
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.pt2.gz"))]


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_release", ROOT / "tools" / "record_release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECORD = tool()


def incompatible(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """What breaks saved programs: an operator that is missing, or whose new schema does not accept the old calls."""
    found = []
    for name, schema in old.items():
        if name not in new:
            found.append(f"{name} was removed")
        elif new[name] != schema:
            parsed = torch._C.parse_schema(new[name]), torch._C.parse_schema(schema)
            if not parsed[0].is_backward_compatible_with(parsed[1]):
                found.append(f"{schema} became {new[name]}")
    return found


def test_schemas_of_saved_programs_are_compatible():
    found = incompatible(RECORD.recorded(), RECORD.schemas())
    assert not found, (
        "\n".join(found) + "\nThese schemas stand in programs that users have saved. Keep the operator, and add an "
        "overload, or arguments with defaults at the end. If no release has the operator, remove its line from "
        "tests/golden/schemas.txt and run tools/record_release.py schemas."
    )


@pytest.mark.parametrize(("new", "compatible"), [
    ("ns::op(Tensor a, int n=0) -> Tensor", True),
    ("ns::op(Tensor a, int n=0, *, bool b=False) -> Tensor", True),
    ("ns::op(Tensor a, int n=0, *, bool b) -> Tensor", False), ("ns::op(Tensor a, int n) -> Tensor", False),
    ("ns::op(Tensor a) -> Tensor", False), ("ns::op(Tensor x, int n=0) -> Tensor", False),
    ("ns::op(Tensor a, int n=0) -> (Tensor, Tensor)", False), (None, False),
])  # fmt: skip
def test_changes_that_break_programs_are_found(new: str | None, compatible: bool):
    old = {"op": "ns::op(Tensor a, int n=0) -> Tensor"}
    assert (incompatible(old, {} if new is None else {"op": new}) == []) is compatible


def test_the_file_of_schemas_is_not_damaged():
    lines = RECORD.SCHEMAS.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 140
    assert len(RECORD.recorded()) == len(lines)
    for name, schema in RECORD.recorded().items():
        assert str(torch._C.parse_schema(schema)).startswith(f"stringops::{name}(")


def opened(path: Path) -> io.BytesIO:
    return io.BytesIO(gzip.decompress(path.read_bytes()))


def results(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def test_there_are_files_of_a_release():
    assert len(FILES) >= 5
    assert sum(path.stat().st_size for path in FILES) < 100_000 * len(FOLDERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_programs_of_earlier_releases_give_the_same_results(path: Path):
    program = torch.export.load(opened(path)).module()
    want = results(path.parent)
    got = program(ts.as_strings(want["texts"]))
    assert RECORD.plain(got) == want[path.name.removesuffix(".pt2.gz")]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_states_of_earlier_releases_give_the_same_results(folder: Path):
    states, want = torch.load(opened(folder / "states.pt.gz"), weights_only=True), results(folder)
    texts = ts.as_strings(want["texts"])
    empty = {
        "vocabulary": ts.Vocabulary([]),
        "byte_pairs": RECORD.word_pieces(),
        "word_pieces": RECORD.byte_pairs(),
        "vectors": ts.nn.TextVectorization(max_tokens=50, output_sequence_length=6),
    }
    assert empty.keys() == want["states"].keys()
    for name, module in empty.items():
        module.load_state_dict(states[name])
        assert RECORD.plain(module(texts)) == want["states"][name], name
    strings = states["strings"]
    assert isinstance(strings, StringTensor)
    assert strings.tolist() == [["a", "é"], ["", "x" * 100]]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_files_of_earlier_releases_are_read(folder: Path, tmp_path: Path):
    pytest.importorskip("pyarrow")
    want = results(folder)
    texts = ts.as_strings(want["texts"])
    with tarfile.open(folder / "files.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    vocabulary = ts.Vocabulary.from_file(tmp_path / "vocabulary.txt")
    assert vocabulary(texts).tolist() == want["states"]["vocabulary"]
    tokenizer = ts.SubwordTokenizer.load(tmp_path / "tokenizer")
    assert RECORD.plain(tokenizer(texts)) == want["states"]["byte_pairs"]
    assert ts.data.load(tmp_path / "column.arrow")[:].tolist() == want["texts"]
    tokens = ts.pretrain.TokenDataset(tmp_path / "tokens")
    ids, row_splits = tokenizer.encode(texts)
    rows = [ids[begin:end].tolist() for begin, end in itertools.pairwise(row_splits)]
    assert [tokens[i].tolist() for i in range(len(tokens))] == rows
