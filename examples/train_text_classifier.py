"""Train a text classifier on raw text, then export it.

The model splits strings into words, looks them up in a vocabulary, and classifies the mean of their embeddings. All of
this is one graph, which torch.compile compiles for training, torch.export saves, and AOTInductor packages for a process
without Python. The script does each and checks that the logits are equal.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import torch
from report import Progress, confusion_matrix, most_confused, save_confusion_image, working
from text_data import Corpus, LabelledText, standard_library, user_file
from torch import Tensor, nn
from torch.utils.data import DataLoader

import torch_stringops
from torch_stringops import StringTensor, Vocabulary, string_split_ragged
from torch_stringops.data import ColumnDataset

EXAMPLES = """
without --data:
  The texts are sources of Python's standard library; the task is to predict the package from a few lines.

with --data:
  CSV with a header     python examples/train_text_classifier.py --data reviews.csv
  other column names    ... --data reviews.parquet --text-column body --label-column stars
  JSON lines            ... --data log.jsonl     one object per line: {"text": "...", "label": "..."}
  Parquet, Arrow        ... --data table.parquet, --data table.arrow     (needs pyarrow)
  Every distinct label is a class. A fifth of the rows, drawn at random, is for test.

files written to --output:
  confusion.png         the confusion matrix
  classifier.pt2        the exported program: torch.export.load("classifier.pt2").module()(strings)
  classifier_aoti.pt2   the compiled package: torch._inductor.aoti_load_package("classifier_aoti.pt2")(strings)
  classes.txt           the class of each logit, one per line
"""


def words(text: StringTensor, delimiters: Sequence[str]) -> tuple[StringTensor, Tensor]:
    """Split strings `[n]` at the first delimiter (`""`: whitespace), the pieces at the second one, and so on.

    Returns words `[num_words]` and row_splits, int64 `[n + 1]`: string i has words row_splits[i] to row_splits[i + 1].
    """
    row_splits = torch.arange(text.shape[0] + 1)  # len() would be a constant in torch.export
    for delimiter in delimiters:
        # Each piece becomes a row of smaller pieces, so a row of pieces ends with the row of its last piece.
        text, piece_splits = string_split_ragged(text, delimiter)
        row_splits = piece_splits[row_splits]
    return text, row_splits


class TextClassifier(nn.Module):
    """Strings `[n]` -> logits `[n, num_classes]`: a linear layer on the mean embedding of the words."""

    def __init__(self, vocabulary: Vocabulary, num_classes: int, embedding_dim: int, delimiters: str) -> None:
        super().__init__()
        self.delimiters = ["", *delimiters]
        self.vocabulary = vocabulary
        self.embedding = nn.EmbeddingBag(
            vocabulary.num_ids,
            embedding_dim,
            mode="mean",
            padding_idx=vocabulary.unknown_id,  # unknown words are ignored
            include_last_offset=True,
        )
        nn.init.normal_(self.embedding.weight, std=0.02)  # small, so that rare words have little weight
        self.dropout = nn.Dropout(0.5)
        self.linear = nn.Linear(embedding_dim, num_classes)

    def forward(self, text: StringTensor) -> Tensor:
        pieces, row_splits = words(text, self.delimiters[:-1])
        ids, piece_splits = self.vocabulary.split_encode(pieces, self.delimiters[-1])
        device = self.linear.weight.device
        embedded = self.embedding(ids.to(device), piece_splits[row_splits].to(device))
        return self.linear(self.dropout(embedded))


def build_vocabulary(text: StringTensor, delimiters: str, max_size: int) -> Vocabulary:
    tokens, _ = words(text, ["", *delimiters])
    # No pad token: nn.EmbeddingBag takes ragged rows.
    return Vocabulary.from_strings(tokens, max_size=max_size, min_frequency=2, pad_token=None)


def batches(data: LabelledText, batch_size: int, *, shuffle: bool) -> DataLoader[tuple[StringTensor, Tensor]]:
    dataset = ColumnDataset(data.text, data.labels)
    return DataLoader(dataset, min(batch_size, len(dataset)), shuffle=shuffle, drop_last=shuffle)


def train(model: TextClassifier, data: LabelledText, args: argparse.Namespace) -> None:
    def loss_of(text: StringTensor, labels: Tensor) -> Tensor:
        return nn.functional.cross_entropy(model(text), labels)

    # dynamic=True compiles once for all batches, which differ in bytes from the first step on.
    step = loss_of if args.no_compile else torch.compile(loss_of, fullgraph=True, dynamic=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=0.05, fused=True)
    loader = batches(data, args.batch_size, shuffle=True)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=args.epochs * len(loader))
    progress = Progress(args.epochs, len(loader))
    for _ in range(args.epochs):
        for text, labels in loader:
            optimizer.zero_grad()
            with nullcontext() if progress.step else working("torch.compile works"):
                loss = step(text, labels.to(args.device))
                loss.backward()
            optimizer.step()
            schedule.step()
            progress.update(loss.item(), len(labels))


def predict(logits_of: Callable[[StringTensor], Tensor], data: LabelledText, batch_size: int) -> tuple[Tensor, float]:
    """The predicted classes, int64 `[n]`, and the throughput in strings per second."""
    with torch.no_grad():
        logits_of(data.text[:1])  # warm-up
        start = time.monotonic()
        predictions = [logits_of(text).argmax(1).cpu() for text, _ in batches(data, batch_size, shuffle=False)]
        return torch.cat(predictions), len(data) / (time.monotonic() - start)


def export(model: TextClassifier, text: StringTensor, output: Path) -> dict[str, Callable[[StringTensor], Tensor]]:
    """Exports, saves, loads and packages the model. Returns functions from strings to logits."""
    # torch warns about its own classes when it copies the program.
    warnings.filterwarnings("ignore", category=FutureWarning, message=".*LeafSpec.*")
    program = torch_stringops.export(model, (text,))
    torch.export.save(program, output / "classifier.pt2")
    loaded = torch.export.load(output / "classifier.pt2")
    with working("AOTInductor compiles"):
        package = torch._inductor.aoti_compile_and_package(loaded, package_path=str(output / "classifier_aoti.pt2"))
    return {
        "torch.export": program.module(),
        "saved and loaded": loaded.module(),
        "AOTInductor": torch._inductor.aoti_load_package(package),
    }


def check_same_logits(
    model: TextClassifier, others: dict[str, Callable[[StringTensor], Tensor]], text: StringTensor
) -> None:
    """Compares logits on batches of several sizes. Raises AssertionError if they differ."""
    sizes = [size for size in (0, 1, 7, 500) if size <= len(text)] + [len(text)]
    with torch.no_grad():
        for name, logits_of in others.items():
            worst = 0.0
            for size in sizes:
                expected, got = model(text[:size]), logits_of(text[:size])
                torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
                worst = max([worst, *(got - expected).abs().flatten().tolist()])
            print(f"  {name:<17} same logits, batches of {', '.join(map(str, sizes))}: largest difference {worst:.1e}")


def report(corpus: Corpus, predictions: Tensor, output: Path) -> None:
    labels, names = corpus.test.labels, corpus.class_names
    accuracy = (predictions == labels).float().mean().item()
    majority = labels.bincount().argmax()
    baseline = (labels == majority).float().mean().item()
    print(f"\ntest accuracy   {accuracy:6.1%}   ({len(labels):,} strings)")
    print(f"majority class  {baseline:6.1%}   (always predicting {names[majority]!r})")
    matrix = confusion_matrix(labels, predictions, len(names))
    print(f"most frequent errors: {most_confused(matrix, names)}")
    image = output / "confusion.png"
    title = f"Test accuracy {accuracy:.1%}, majority class {baseline:.1%}"
    if save_confusion_image(matrix, names, title, image):
        print(f"confusion matrix: {image}")
    else:
        print("confusion matrix: not drawn, since matplotlib is not installed (pip install matplotlib)")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = parser.add_argument_group("data")
    data.add_argument("--data", type=Path, metavar="FILE", help="CSV, TSV, JSON lines, Parquet, Arrow or Feather file")
    data.add_argument("--text-column", default="text", metavar="NAME", help="default: text")
    data.add_argument("--label-column", default="label", metavar="NAME", help="default: label")
    data.add_argument("--lines", type=int, default=16, help="source lines per chunk, without --data; default: 16")
    model = parser.add_argument_group("model and training")
    model.add_argument(
        "--delimiters",
        default=".(,",
        help="split words at these characters, in addition to whitespace; default: .(,",
    )
    model.add_argument("--vocabulary-size", type=int, default=30_000, help="maximum number of words; default: 30000")
    model.add_argument("--embedding-dim", type=int, default=64, help="default: 64")
    model.add_argument("--epochs", type=int, default=8, help="default: 8")
    model.add_argument("--batch-size", type=int, default=64, help="default: 64")
    model.add_argument("--learning-rate", type=float, default=1e-2, help="default: 0.01")
    model.add_argument("--seed", type=int, default=0, help="seed of train/test division, weights and order; default: 0")
    model.add_argument("--device", default="cpu", help="device of the layers; strings stay on the CPU; default: cpu")
    model.add_argument("--no-compile", action="store_true", help="train in eager mode")
    result = parser.add_argument_group("result")
    result.add_argument("--output", type=Path, default=Path("demo-output"), metavar="DIR", help="default: demo-output")
    result.add_argument("--no-export", action="store_true", help="do not export the model")
    args = parser.parse_args()
    for name in ("lines", "vocabulary_size", "embedding_dim", "epochs", "batch_size"):
        if getattr(args, name) < 1:
            parser.error(f"--{name.replace('_', '-')}: expected at least 1, got {getattr(args, name)}")
    return args


def load_corpus(args: argparse.Namespace) -> Corpus:
    if args.data is None:
        return standard_library(args.seed, args.lines)
    try:
        return user_file(args.data, args.text_column, args.label_column, args.seed)
    except (OSError, ValueError) as error:
        raise SystemExit(f"train_text_classifier.py: {error}") from None


def main() -> None:
    args = parse_arguments()
    torch.manual_seed(args.seed)
    args.output.mkdir(parents=True, exist_ok=True)

    corpus = load_corpus(args)
    print(corpus.description)
    print(
        f"{len(corpus.train):,} strings for training, {len(corpus.test):,} for test, {len(corpus.class_names)} classes"
    )
    (args.output / "classes.txt").write_text("\n".join(corpus.class_names) + "\n", encoding="utf-8")

    start = time.monotonic()
    vocabulary = build_vocabulary(corpus.train.text, args.delimiters, args.vocabulary_size)
    rate = len(corpus.train) / (time.monotonic() - start)
    print(f"vocabulary of {vocabulary.num_ids:,} words, built from {rate:,.0f} strings/s")

    model = TextClassifier(vocabulary, len(corpus.class_names), args.embedding_dim, args.delimiters).to(args.device)
    mode = "eager" if args.no_compile else "compiled (torch.compile, fullgraph); the first step includes compilation"
    print(f"\ntraining, {mode}")
    train(model, corpus.train, args)

    predictions, rate = predict(model.eval(), corpus.test, args.batch_size)
    report(corpus, predictions, args.output)
    print(f"prediction, eager: {rate:,.0f} strings/s from text to class")
    if args.no_export:
        return

    print("\nexport: torch.export for all batch sizes, saved and loaded, and an AOTInductor package")
    exported = export(model.cpu(), corpus.test.text[:8], args.output)
    if not args.no_compile:
        exported = {"torch.compile": torch.compile(model, fullgraph=True, dynamic=True), **exported}
    check_same_logits(model, exported, corpus.test.text)
    _, rate = predict(exported["AOTInductor"], corpus.test, args.batch_size)
    print(f"prediction, AOTInductor: {rate:,.0f} strings/s from text to class")


if __name__ == "__main__":
    main()
