"""Export models with strings to ONNX, run them in onnxruntime, and compare logits and speed.

Four models take raw text: words and their mean embedding, a TextVectorization layer, a Transformer on padded words
with a mask, and a Transformer on subwords. Each is exported in the library form, for which onnxruntime loads the
operators of this package; those whose operators ONNX has are exported in the portable form, too, without a library.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import onnxruntime
import torch
from text_data import standard_library
from torch import Tensor, nn
from train_subword_classifier import SubwordClassifier, train_tokenizer
from train_text_classifier import TextClassifier, build_vocabulary

import torch_stringops
import torch_stringops.onnx
from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary
from torch_stringops.nn import TextVectorization

CLASSES = 20


class LayerClassifier(nn.Module):
    """Strings `[n]` -> logits `[n, CLASSES]`: ids of a TextVectorization, and the mean of their embeddings."""

    def __init__(self, layer: TextVectorization[Tensor], width: int) -> None:
        super().__init__()
        self.layer = layer
        self.embedding = nn.Embedding(layer.vocabulary_size(), width, padding_idx=0)
        self.linear = nn.Linear(width, CLASSES)

    def forward(self, text: StringTensor) -> Tensor:
        ids = self.layer(text)
        count = (ids != 0).sum(1, keepdim=True).clamp(min=1)
        logits: Tensor = self.linear(self.embedding(ids).sum(1) / count)
        return logits


class PaddedTransformer(nn.Module):
    """Strings `[n]` -> logits `[n, CLASSES]`: a Transformer on words, padded to `length`, and a masked mean."""

    def __init__(self, vocabulary: Vocabulary, width: int, length: int) -> None:
        super().__init__()
        self.vocabulary, self.length = vocabulary, length
        self.embedding = nn.Embedding(vocabulary.num_ids, width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.linear = nn.Linear(width, CLASSES)

    def forward(self, text: StringTensor) -> Tensor:
        ids, row_splits = self.vocabulary.split_encode(text)
        mask = torch_stringops.ragged_mask(row_splits, self.length)
        padded = torch_stringops.ragged_to_dense(ids, row_splits, self.length)
        is_padding = ~mask & mask.any(1, keepdim=True)  # a text without words attends to its padding
        hidden = self.encoder(self.embedding(padded), src_key_padding_mask=is_padding)
        logits: Tensor = self.linear((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1))
        return logits


def models(text: StringTensor, width: int, folder: Path) -> dict[str, nn.Module]:
    """The models, with vocabularies of the text and random weights."""
    layer = TextVectorization(10_000, standardize=None, output_sequence_length=64)
    layer.adapt(text)
    words = Vocabulary.from_text(text, max_size=10_000)
    tokenizer = train_tokenizer(text.tolist(), 2000)
    tokenizer.save(str(folder / "tokenizer.json"))
    subwords = SubwordTokenizer.from_file(folder / "tokenizer.json", pad_token="<pad>")
    return {
        "words": TextClassifier(build_vocabulary(text, ".(,", 10_000), CLASSES, width, ".(,"),
        "layer": LayerClassifier(layer, width),
        "transformer": PaddedTransformer(words, width, 48),
        "subwords": SubwordClassifier(subwords, CLASSES, width, 64),
    }


def session_of(path: Path, *, library: bool) -> Callable[[StringTensor], Tensor]:
    """The logits of a file in a session of one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if library:
        options.register_custom_ops_library(torch_stringops.onnx.library_path())
    session = onnxruntime.InferenceSession(str(path), options)
    return lambda text: torch.from_numpy(session.run(None, {"text": text.numpy()})[0])


def forms_of(
    name: str, model: nn.Module, example: StringTensor, folder: Path, package: bool
) -> dict[str, Callable[[StringTensor], Tensor]]:
    """The ways to run a model."""
    path = folder / f"{name}.onnx"
    torch_stringops.onnx.export(model, (example,), path)
    forms = {"onnxruntime, library": session_of(path, library=True)}
    try:
        torch_stringops.onnx.export(model, (example,), folder / f"{name}_portable.onnx", portable=True)
    except ValueError as error:
        print(f"  {error}")
    else:
        forms["onnxruntime, portable"] = session_of(folder / f"{name}_portable.onnx", library=False)
    if package:
        program = torch_stringops.export(model, (example,))
        compiled = torch._inductor.aoti_compile_and_package(program, package_path=str(folder / f"{name}.pt2"))
        forms["AOTInductor"] = torch._inductor.aoti_load_package(compiled)
    return {"eager": model, **forms}


def compare(forms: dict[str, Callable[[StringTensor], Tensor]], text: StringTensor, rounds: int) -> None:
    """Asserts that logits are equal, and prints the strings per second of processor time."""
    batches = [text[i : i + 256] for i in range(0, len(text), 256)]
    results, seconds = {}, {name: [] for name in forms}  # type: ignore[var-annotated]
    with torch.no_grad():
        for _ in range(rounds):
            for name, logits_of in forms.items():
                began = time.process_time()
                results[name] = torch.cat([logits_of(batch) for batch in batches])
                seconds[name].append(time.process_time() - began)
    for name, logits in results.items():
        torch.testing.assert_close(logits, results["eager"], rtol=1e-3, atol=1e-3)
        rate = len(text) / statistics.median(seconds[name])
        print(f"  {name:<22} same logits of {len(text):,} strings, {rate:9,.0f} strings/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strings", type=int, default=10_000, help="default: 10000")
    parser.add_argument("--width", type=int, default=64, help="of the layers; default: 64")
    parser.add_argument("--rounds", type=int, default=3, help="of the measurement; default: 3")
    parser.add_argument("--models", nargs="*", help="default: all")
    parser.add_argument("--no-package", action="store_true", help="without AOTInductor, which compiles")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="default: demo-output")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    args.output.mkdir(parents=True, exist_ok=True)
    text = standard_library(0, 8).train.text
    text = text[torch.randperm(len(text))[: args.strings]]
    for name, model in models(text, args.width, args.output).items():
        if args.models is None or name in args.models:
            print(name)
            compare(forms_of(name, model.eval(), text[:16], args.output, not args.no_package), text, args.rounds)


if __name__ == "__main__":
    main()
