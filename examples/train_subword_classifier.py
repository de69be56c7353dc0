"""Train a tokenizer and a small Transformer on raw text, then export both as one graph.

`tokenizers` trains a byte-level BPE tokenizer on sources of Python's standard library. torch_stringops loads it, and it
becomes the first layer of a classifier: torch.compile compiles training from raw text to the loss, torch.export saves
it, AOTInductor packages it, and a C++ program without Python runs it. The script compares ids and logits throughout.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from report import working
from text_data import Corpus, LabelledText, standard_library
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import Tensor, nn
from torch.utils.data import DataLoader

import torch_stringops
from torch_stringops import StringTensor, SubwordTokenizer
from torch_stringops.data import ColumnDataset

HOST = Path(__file__).resolve().parent / "cpp_host"


def train_tokenizer(texts: list[str], vocab_size: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=["<pad>", "<s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))]
    )
    return tokenizer


class SubwordClassifier(nn.Module):
    """Strings `[n]` -> logits `[n, num_classes]`: the tokenizer, a Transformer, and the mean of its outputs."""

    def __init__(self, tokenizer: SubwordTokenizer, num_classes: int, width: int, length: int) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.length = length
        self.embedding = nn.Embedding(len(tokenizer), width, padding_idx=tokenizer.pad_id)
        self.position = nn.Parameter(torch.randn(length, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.linear = nn.Linear(width, num_classes)

    def forward(self, text: StringTensor) -> Tensor:
        batch = self.tokenizer(text, padding="max_length", max_length=self.length)
        device = self.linear.weight.device
        mask = batch["attention_mask"].to(device)
        x = self.embedding(batch["input_ids"].to(device)) + self.position
        x = self.encoder(x, src_key_padding_mask=mask == 0)  # <s> is never padding
        return self.linear((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True))


def compare_ids(tokenizer: SubwordTokenizer, original: Tokenizer, text: StringTensor) -> None:
    """Asserts that both tokenizers give the same ids, and prints how many strings each encodes in a second."""
    texts = text.tolist()
    began = time.perf_counter()
    encodings = original.encode_batch(texts)
    middle = time.perf_counter()
    ids, row_splits = tokenizer.encode(text, add_special_tokens=True)
    ended = time.perf_counter()
    assert ids.tolist() == [id for encoding in encodings for id in encoding.ids]
    assert row_splits.diff().tolist() == [len(encoding.ids) for encoding in encodings]
    rates = len(texts) / (middle - began), len(texts) / (ended - middle)
    print(f"{len(ids):,} ids of {len(texts):,} strings are equal")
    print(f"  tokenizers {rates[0]:,.0f} strings/s, torch_stringops {rates[1]:,.0f} strings/s")


def batches(data: LabelledText, batch_size: int, *, shuffle: bool) -> DataLoader[tuple[StringTensor, Tensor]]:
    return DataLoader(ColumnDataset(data.text, data.labels), batch_size, shuffle=shuffle, drop_last=shuffle)


def train(model: SubwordClassifier, data: LabelledText, args: argparse.Namespace) -> None:
    def loss_of(text: StringTensor, labels: Tensor) -> Tensor:
        return nn.functional.cross_entropy(model(text), labels)

    step = loss_of if args.no_compile else torch.compile(loss_of, fullgraph=True, dynamic=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=0.05)
    loader = batches(data, args.batch_size, shuffle=True)
    began = time.monotonic()
    for epoch in range(args.epochs):
        total = 0.0
        for text, labels in loader:
            optimizer.zero_grad()
            loss = step(text, labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"  epoch {epoch + 1}: loss {total / max(len(loader), 1):.3f}, {time.monotonic() - began:.0f} s")


def accuracy(model: Callable[[StringTensor], Tensor], data: LabelledText) -> float:
    with torch.no_grad():
        right = sum(int((model(text).argmax(1) == labels).sum()) for text, labels in batches(data, 256, shuffle=False))
    return right / len(data)


def export(model: SubwordClassifier, example: StringTensor, output: Path) -> Path:
    """Exports and packages the model, and compares the logits of all forms."""
    program = torch_stringops.export(model, (example,))
    torch.export.save(program, output / "subword.pt2")
    path = output / "subword_aoti.pt2"
    with working("AOTInductor compiles"):
        torch._inductor.aoti_compile_and_package(program, package_path=str(path))
    forms = {
        "torch.export": torch.export.load(output / "subword.pt2").module(),
        "AOTInductor": torch._inductor.aoti_load_package(str(path)),
    }
    for name, form in forms.items():
        for size in (1, 3, len(example)):
            text = example[:size]
            torch.testing.assert_close(form(text), model(text), rtol=1e-3, atol=1e-3)
        print(f"  {name}: same logits")
    return path


def run_host(model: SubwordClassifier, package: Path, text: StringTensor) -> None:
    """Builds the C++ program, and compares its logits of lines of text."""
    subprocess.run(["make", "-s", "-C", str(HOST), f"PYTHON={sys.executable}"], check=True)
    lines = [line for line in "\n".join(text.tolist()).split("\n") if line][:200]
    command = [str(HOST / "classify"), torch_stringops.library_path(), str(package)]
    printed = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    logits = torch.tensor([[float(number) for number in row.split()] for row in printed.stdout.splitlines()])
    torch.testing.assert_close(logits, model(StringTensor.from_list(lines)), rtol=1e-3, atol=1e-3)
    print(f"  C++ without Python: same logits of {len(lines)} lines")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocab-size", type=int, default=4000, help="default: 4000")
    parser.add_argument("--width", type=int, default=64, help="of the Transformer; default: 64")
    parser.add_argument("--length", type=int, default=96, help="maximum number of ids of a text; default: 96")
    parser.add_argument("--strings", type=int, default=6000, help="for training; default: 6000")
    parser.add_argument("--epochs", type=int, default=3, help="default: 3")
    parser.add_argument("--batch-size", type=int, default=64, help="default: 64")
    parser.add_argument("--learning-rate", type=float, default=1e-3, help="default: 0.001")
    parser.add_argument("--no-compile", action="store_true", help="train in eager mode")
    parser.add_argument("--no-export", action="store_true", help="do not export the model")
    parser.add_argument("--host", action="store_true", help="run the exported model in the C++ program")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="default: demo-output")
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    torch.manual_seed(0)
    args.output.mkdir(parents=True, exist_ok=True)
    corpus: Corpus = standard_library(0, 8)
    chosen = torch.randperm(len(corpus.train))[: args.strings]
    data = LabelledText(corpus.train.text[chosen], corpus.train.labels[chosen])
    print(f"{len(data):,} strings for training, {len(corpus.test):,} for test, {len(corpus.class_names)} classes")

    original = train_tokenizer(data.text.tolist(), args.vocab_size)
    original.save(str(args.output / "tokenizer.json"))
    tokenizer = SubwordTokenizer.from_file(args.output / "tokenizer.json", pad_token="<pad>")
    print(f"tokenizer of {len(tokenizer):,} tokens")
    compare_ids(tokenizer, original, corpus.test.text)

    model = SubwordClassifier(tokenizer, len(corpus.class_names), args.width, args.length)
    print("training from raw text" + ("" if args.no_compile else ", torch.compile with one graph"))
    with working("training" if args.no_compile else "torch.compile, and training"):
        train(model, data, args)
    model.eval()
    print(f"test accuracy {accuracy(model, corpus.test):.1%}")
    if args.no_export:
        return
    with torch.no_grad():
        print("export")
        package = export(model, corpus.test.text[:16], args.output)
        if args.host:
            run_host(model, package, corpus.test.text[:100])


if __name__ == "__main__":
    main()
