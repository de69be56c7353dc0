"""Records what TensorFlow, Keras and torchtext return on the bank of docs/coming_from.md, in tests/golden/coming_from.json.

    make .venv-tensorflow/ready
    .venv-tensorflow/bin/python -m pip download --no-deps torchtext==0.18.0 --dest build
    PYTHONPATH=tests .venv-tensorflow/bin/python -m support.coming_from.record build/torchtext-0.18.0-*.whl

torchtext's native library does not load into current torch. Its Python modules are read from the wheel; the class of its
native library that holds the tokens of a vocabulary, `torchtext._torchtext.Vocab`, is `NativeVocab` here.
"""

import json
import os
import sys
import types
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import tensorflow

from support.coming_from.peers import NOT_COMPARABLE, RECORDED, Evaluate, is_text
from support.coming_from.peers import tensorflow as evaluate_tensorflow
from support.coming_from.rows import Row, outcome, rows


class NativeVocab:
    """The part of torchtext's native class that the rows use."""

    def __init__(self, tokens: list[str], default_index: int | None) -> None:
        self.tokens, self.default_index = tokens, default_index

    def set_default_index(self, index: int | None) -> None:
        self.default_index = index

    def lookup_indices(self, tokens: list[str]) -> list[int]:
        ids = {token: id for id, token in enumerate(self.tokens)}
        return [
            ids.get(token, self.default_index) if self.default_index is not None else ids[token] for token in tokens
        ]

    def get_itos(self) -> list[str]:
        return self.tokens


def load_torchtext(wheel: str) -> dict[str, Any]:
    """The names of the rows, from the Python modules of the wheel."""
    archive = zipfile.ZipFile(wheel)

    def module(name: str, package: bool = False) -> types.ModuleType:
        made = types.ModuleType(name)
        made.__package__ = name if package else name.rpartition(".")[0]
        made.__dict__["__path__"] = []
        sys.modules[name] = made
        return made

    def load(name: str) -> types.ModuleType:
        made = module(name)
        file = name.replace(".", "/") + ".py"
        exec(compile(archive.read(file), file, "exec"), made.__dict__)
        return made

    top = module("torchtext", package=True)
    top._WARN = False
    module("torchtext._torchtext").__dict__["Vocab"] = NativeVocab
    module("torchtext.utils").__dict__["_log_class_usage"] = lambda kind: None
    module("torchtext.vocab", package=True)
    module("torchtext.data", package=True)
    load("torchtext.vocab.vocab")
    factory, utils, functional = map(
        load, ("torchtext.vocab.vocab_factory", "torchtext.data.utils", "torchtext.functional")
    )
    top.functional = functional
    v = factory.vocab(OrderedDict(be=2, to=1), specials=["<unk>"])
    v.set_default_index(0)
    return {
        "get_tokenizer": utils.get_tokenizer,
        "ngrams_iterator": utils.ngrams_iterator,
        "build_vocab_from_iterator": factory.build_vocab_from_iterator,
        "F": functional,
        "v": v,
    }


def record(library: str, evaluate: Evaluate) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in rows():
        if row.library == library:
            found[row.left] = [evaluate(row, column) for column in row.columns]
    return found


def main() -> None:
    (wheel,) = sys.argv[1:]
    names = load_torchtext(wheel)

    def evaluate_torchtext(row: Row, column: list[Any]) -> Any:
        if not is_text(column):
            return NOT_COMPARABLE
        return outcome(lambda: eval(row.left, {**names, "s": column}))

    recorded = {
        "TensorFlow": {
            "origin": f"tensorflow {tensorflow.__version__}, keras {keras.__version__}",
            "rows": record("TensorFlow", evaluate_tensorflow),
        },
        "torchtext": {
            "origin": f"Python modules of {Path(wheel).name}",
            "rows": record("torchtext", evaluate_torchtext),
        },
    }
    lines = [
        f'"{library}": {{"origin": {json.dumps(entry["origin"])}, "rows": {{\n'
        + ",\n".join(f"{json.dumps(left)}: {json.dumps(results)}" for left, results in entry["rows"].items())
        + "}}"
        for library, entry in recorded.items()
    ]
    RECORDED.write_text("{" + ",\n".join(lines) + "}\n", encoding="ascii")


if __name__ == "__main__":
    main()
