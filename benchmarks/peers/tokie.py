"""tokie: lists of strings, and files of them."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import tokie

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.trained import Model


def load(model: Model) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_text(model.json, encoding="utf-8")
        return tokie.Tokenizer.from_json(str(path))


def encode(corpus: Corpus, model: Model) -> Any:
    tokenizer = load(model)
    with tempfile.NamedTemporaryFile(delete=False) as strings:
        strings.write(b"\xff".join(corpus.encoded))  # no byte of UTF-8
    batch = partial(tokenizer.encode_batch, corpus.strings, add_special_tokens=False)
    files = partial(tokenizer.encode_files, [strings.name], b"\xff", False)
    return {
        "encode_batch": (batch, lambda rows: [row.ids for row in rows]),
        "encode_files": (files, lambda out: canonical.from_ids(*out)),
    }


def encode_each(corpus: Corpus, model: Model) -> Any:
    one, strings = load(model).encode, corpus.strings
    return lambda: [one(string, add_special_tokens=False).ids for string in strings]


MADE: dict[str, Any] = {"subword_encode": encode, "encode_text": encode_each}
