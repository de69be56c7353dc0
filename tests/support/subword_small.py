"""A SubwordTokenizer that needs no other library, and a model that contains it."""

from typing import Any

import torch
from torch import Tensor, nn

from support.subword_tables import definition
from torch_stringops import StringTensor, SubwordTokenizer
from torch_stringops.subword._definition import Definition

LINES = ["to be or not to be", "", "word's end: 12  é日", "<s>ab</s> abababab", "x" * 40]


def tokenizer(name: str = "llama3", **settings: int) -> SubwordTokenizer:
    """A tokenizer of subword_tables.SPECS, with room for ids of special tokens up to 303."""
    pieces, numbers, spec = definition(name)
    pieces += [b""] * (304 - len(pieces))
    lines = spec.splitlines()[1:]
    return SubwordTokenizer(
        Definition(StringTensor.from_list(pieces), numbers, lines, settings={"pad": 302} | settings)
    )


class Classifier(nn.Module):
    """From text to logits: the mean of the embeddings of ids."""

    def __init__(self, tokenizer: SubwordTokenizer, **options: Any) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.options = options
        self.embedding = nn.Embedding(len(tokenizer), 8, padding_idx=tokenizer.pad_id)
        self.linear = nn.Linear(8, 3)

    def forward(self, texts: StringTensor) -> Tensor:
        batch = self.tokenizer(texts, **self.options)
        mask = batch["attention_mask"].unsqueeze(-1)
        pooled = (self.embedding(batch["input_ids"]) * mask).sum(1) / mask.sum(1).clamp(min=1)
        logits: Tensor = self.linear(pooled)
        return logits


def classifier(**options: Any) -> Classifier:
    torch.manual_seed(0)
    return Classifier(tokenizer(), **options)
