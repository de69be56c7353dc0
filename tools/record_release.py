"""Records what a release promises to keep: the schemas of its operators, and files that it wrote.

    python tools/record_release.py schemas    adds new operators to tests/golden/schemas.txt
    python tools/record_release.py files      writes tests/golden/saved/VERSION, once for each release
    python tools/record_release.py missing    prints the operators that are not in the file

tests/packaging/test_stability.py compares later versions with them; docs/stability.md says what is promised. Write the
files with the oldest torch that is supported, since torch reads programs of older versions, not of newer ones.
"""

import gzip
import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import torch_stringops as ts
from torch_stringops import StringTensor

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "tests" / "golden" / "schemas.txt"
SAVED = ROOT / "tests" / "golden" / "saved"

TEXTS = ["To be, or not to be", "", "It costs 12.50 at 7:30", "naïve Straße", "the words' end", "be"]
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


def schemas() -> dict[str, str]:
    """The schema of every registered operator, by name and overload."""
    every = [
        n.removeprefix("stringops::") for n in torch._C._dispatch_get_all_op_names() if n.startswith("stringops::")
    ]
    found = {}
    for name in every:
        op, _, overload = name.partition(".")
        found[name] = str(getattr(getattr(torch.ops.stringops, op), overload or "default")._schema)
    return found


def recorded() -> dict[str, str]:
    """The schemas in the file, a line each."""
    lines = SCHEMAS.read_text(encoding="utf-8").splitlines() if SCHEMAS.exists() else []
    return {line.partition("(")[0].removeprefix("stringops::"): line for line in lines}


def write_schemas() -> None:
    """Adds new operators. Lines of the file stay as they are: a change or a removal is a decision of a person."""
    every = schemas() | recorded()
    SCHEMAS.write_text("".join(f"{every[name]}\n" for name in sorted(every)), encoding="utf-8")


def print_missing() -> None:
    """Prints the operators that are not recorded."""
    print(*sorted(schemas().keys() - recorded().keys()), sep="\n")


class Words(nn.Module):
    """Text to logits by words of a vocabulary."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = ts.Vocabulary.from_text(TEXTS)
        self.embedding = nn.Embedding(self.vocabulary.num_ids, 3, padding_idx=self.vocabulary.pad_id)
        self.embedding.weight.data = torch.arange(self.vocabulary.num_ids * 3.0).reshape(-1, 3)

    def forward(self, text: StringTensor) -> Tensor:
        ids, row_splits = self.vocabulary.split_encode(text.lower())
        embedded: Tensor = self.embedding(ts.ragged_to_dense(ids, row_splits, padding_value=0))
        return embedded.sum(1)


class Subwords(nn.Module):
    """Text to padded ids of a tokenizer."""

    def __init__(self, tokenizer: ts.SubwordTokenizer) -> None:
        super().__init__()
        self.tokenizer = tokenizer

    def forward(self, text: StringTensor) -> dict[str, Tensor]:
        return self.tokenizer(text)


class Chain(nn.Module):
    """Operators of many families on text."""

    def forward(self, text: StringTensor) -> tuple[StringTensor | Tensor, ...]:
        plain = text.strip().casefold().normalize("NFKC")
        pieces, row_splits = plain.regex_replace(r"[^\w.]+", " ").split_ragged(" ")
        numbers = ts.regex_extract(text, r"(\d+\.\d+)", group=1).to_number(torch.float64, errors="fill", fill=-1)
        return (
            ts.string_join_ragged(pieces, row_splits, "-"),
            ts.cat([pieces.slice(0, 3), pieces.upper()]).hash_bucket(1000),
            text.length(),
            text.contains("be") & (text != "it"),
            text.find("o"),
            numbers,
            plain.edit_distance(text),
            plain.argsort(),
        )


class Vectors(nn.Module):
    """Text to padded ids, by a layer that has learnt a vocabulary."""

    def __init__(self) -> None:
        super().__init__()
        self.vectorize = ts.nn.TextVectorization(max_tokens=50, output_sequence_length=6)
        self.vectorize.adapt(TEXTS)

    def forward(self, text: StringTensor) -> Tensor:
        return self.vectorize(text)


def byte_pairs() -> ts.SubwordTokenizer:
    ranks = {bytes([byte]): byte for byte in range(256)}
    for token in (b"to", b"be", b" be", b" to", b"wo", b"rd", b"word", b" n", b" not"):
        ranks[token] = len(ranks)
    return ts.SubwordTokenizer.from_tiktoken(ranks, PATTERN, {"<pad>": len(ranks)}, pad_token="<pad>")


def word_pieces() -> ts.SubwordTokenizer:
    tokens = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "to",
        "be",
        "or",
        "not",
        "##s",
        "word",
        "the",
        ",",
        "'",
        "end",
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocab.txt"
        path.write_text("\n".join(tokens), encoding="utf-8")
        return ts.SubwordTokenizer.from_wordpiece(path)


def programs() -> dict[str, nn.Module]:
    return {
        "words": Words(),
        "byte_pairs": Subwords(byte_pairs()),
        "word_pieces": Subwords(word_pieces()),
        "chain": Chain(),
        "vectors": Vectors(),
    }


def modules() -> dict[str, nn.Module]:
    """Modules whose state_dict is written; a later release makes an empty one and loads it."""
    return {
        "vocabulary": Words().vocabulary,
        "byte_pairs": byte_pairs(),
        "word_pieces": word_pieces(),
        "vectors": Vectors().vectorize,
    }


def plain(value: Any) -> Any:
    """Results as lists, for JSON."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value.tolist()


def compressed(write: Any) -> bytes:
    file = io.BytesIO()
    write(file)
    return gzip.compress(file.getvalue(), mtime=0)


def saved_folder() -> bytes:
    """What the package's own formats are: a tar archive of a vocabulary, a tokenizer, a column and ids of documents."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = ts.as_strings(TEXTS)
        Words().vocabulary.save(folder / "vocabulary.txt")
        byte_pairs().save(folder / "tokenizer")
        ts.data.save(texts, folder / "column.arrow")
        ts.pretrain.write_tokens(texts, byte_pairs(), folder / "tokens", add_eos=False, progress=False)
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for path in sorted(folder.rglob("*")):
                archive.add(path, path.relative_to(folder).as_posix(), recursive=False, filter=_without_owner)
        return gzip.compress(packed.getvalue(), mtime=0)


def _without_owner(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def write_files() -> None:
    folder = SAVED / ts.__version__
    if folder.exists():
        sys.exit(f"record_release: {folder.relative_to(ROOT)} exists; a release writes its files once")
    texts = ts.as_strings(TEXTS)
    files: dict[str, bytes] = {}
    results: dict[str, Any] = {"torch": torch.__version__, "texts": TEXTS}
    for name, model in programs().items():
        program = ts.export(model.eval(), (ts.as_strings(["a b", "c"]),))
        files[f"{name}.pt2.gz"] = compressed(lambda file, p=program: torch.export.save(p, file))
        results[name] = plain(model(texts))
    states: dict[str, Any] = {name: module.state_dict() for name, module in modules().items()}
    states["strings"] = ts.as_strings([["a", "é"], ["", "x" * 100]])
    files["states.pt.gz"] = compressed(lambda file: torch.save(states, file))
    results["states"] = {name: plain(module(texts)) for name, module in modules().items()}
    files["files.tar.gz"] = saved_folder()
    files["results.json"] = (json.dumps(results, ensure_ascii=False) + "\n").encode()
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    actions = {"schemas": write_schemas, "files": write_files, "missing": print_missing}
    if len(sys.argv) != 2 or sys.argv[1] not in actions:
        sys.exit(f"record_release: expected one of {', '.join(actions)}\n{__doc__}")
    actions[sys.argv[1]]()
