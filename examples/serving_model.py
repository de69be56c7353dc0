"""Measures a text classifier in a server: the latency of calls with 1, 8 and 64 texts, in each form that it may have.

    python examples/serving_model.py [--rounds 20] [--folder FOLDER]

Each call takes a list of `str` and returns logits. The forms take turns on one thread, and the results are compared
first. A model in plain Python, which looks words up in a dict, is the measure. The files are written to FOLDER.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from serving import latency, texts_of
from torch import Tensor, nn

import torch_stringops as ts
import torch_stringops.onnx

SIZES = (1, 8, 64)
WORDS, WIDTH, CLASSES = 20_000, 64, 20


class Classifier(nn.Module):
    """Strings [n] -> logits [n, CLASSES], from the mean of the embeddings of the words."""

    def __init__(self, vocabulary: ts.Vocabulary) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = nn.EmbeddingBag(vocabulary.num_ids, WIDTH, mode="mean", include_last_offset=True)
        self.linear = nn.Linear(WIDTH, CLASSES)

    def forward(self, text: ts.StringsLike) -> Tensor:
        ids, row_splits = self.vocabulary.split_encode(text)
        return self.of_ids(ids, row_splits)

    def of_ids(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        logits: Tensor = self.linear(self.embedding(ids, row_splits))
        return logits


def plain(model: Classifier) -> Callable[[list[str]], Tensor]:
    """The same model with a dict in place of the vocabulary."""
    ids_of = {token: id for id, token in enumerate(model.vocabulary.tokens.tolist())}
    unknown = model.vocabulary.unknown_id

    def call(texts: list[str]) -> Tensor:
        ids: list[int] = []
        row_splits = [0]
        for text in texts:
            ids += [ids_of.get(word, unknown) for word in text.split()]
            row_splits.append(len(ids))
        return model.of_ids(torch.tensor(ids), torch.tensor(row_splits))

    return call


def session(model: Classifier, text: ts.StringTensor, path: Path, *, portable: bool) -> Callable[[list[str]], Tensor]:
    """The model as an ONNX file, in onnxruntime."""
    ts.onnx.export(model, (text,), path, portable=portable)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if not portable:
        options.register_custom_ops_library(ts.onnx.library_path())
    found = onnxruntime.InferenceSession(path, options)
    return lambda texts: torch.from_numpy(found.run(None, {"text": np.array(texts, dtype=object)})[0])


def forms(model: Classifier, text: ts.StringTensor, folder: Path, *, package: bool) -> dict[str, Callable[..., Any]]:
    """Functions from a list of `str` to logits."""
    program = ts.export(model, (text,))
    torch.export.save(program, folder / "classifier.pt2")
    loaded = torch.export.load(folder / "classifier.pt2").module()
    found = {
        "dict, then the model": plain(model),
        "the module": model,
        "exported program": loaded,
        "onnxruntime, library form": session(model, text, folder / "library.onnx", portable=False),
        "onnxruntime, portable form": session(model, text, folder / "portable.onnx", portable=True),
    }
    if package:
        path = str(folder / "package.pt2")
        torch._inductor.aoti_compile_and_package(program, package_path=path)
        runner = torch._inductor.aoti_load_package(path)
        found["AOTInductor package"] = lambda texts: runner(ts.as_strings(texts))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--folder", type=Path, help="of the files of the model; default: a temporary folder")
    parser.add_argument("--no-package", action="store_true", help="without the package, which takes a C++ compiler")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    texts = texts_of(50_000)
    text = ts.as_strings(texts[:64])
    model = Classifier(ts.Vocabulary.from_text(texts, max_size=WORDS)).eval()
    with tempfile.TemporaryDirectory() as temporary, torch.inference_mode():
        calls = forms(model, text, args.folder or Path(temporary), package=not args.no_package)
        for call in calls.values():
            torch.testing.assert_close(call(texts[:64]), model(text))
        for size in SIZES:
            latency(calls, texts, size, args.rounds)


if __name__ == "__main__":
    main()
