"""The task of the examples in this folder, which is to tell lines that begin with "hello" from others."""

from pathlib import Path

from torch import Tensor, nn

from torch_stringops import StringTensor, VocabularyBuilder
from torch_stringops.data import read_lines


def write_lines(folder: str | Path, rows: int = 400, files: int = 4) -> str:
    """Writes lines of text to files. Returns their glob."""
    for number in range(files):
        words = ("hello" if i % 3 else "goodbye" for i in range(number, rows, files))
        Path(folder, f"{number}.txt").write_text("".join(f"{word} reader\n" for word in words))
    return str(Path(folder, "*.txt"))


class Classifier(nn.Module):
    """Logits `[N, 2]` of strings `[N]`: ids of words, the mean of their vectors, and a linear layer."""

    def __init__(self, paths: str) -> None:
        super().__init__()
        self.vocabulary = VocabularyBuilder().add_text(read_lines(paths), " ").build()
        self.embedding = nn.EmbeddingBag(len(self.vocabulary), 16, include_last_offset=True)
        self.linear = nn.Linear(16, 2)

    def forward(self, text: StringTensor) -> Tensor:
        return self.linear(self.embedding(*self.vocabulary.split_encode(text, delimiter=" ")))


def loss_of(logits: Tensor, text: StringTensor) -> Tensor:
    return nn.functional.cross_entropy(logits, text.startswith("hello").long())
