"""A small vocabulary, and a model that contains one, for the tests of Vocabulary."""

import torch
from torch import Tensor, nn

from support.strings import compact
from torch_stringops import StringTensor, Vocabulary

WORDS = ["to", "be", "or", "not", "to", "be", "that", "is", "the", "question", "a much longer word", "", "to"]


def strings(values) -> StringTensor:
    return StringTensor.from_list(values)


def table_of(words: list[bytes]) -> Tensor:
    return torch.ops.stringops.vocab_build(*compact(words))


def built(**kwargs) -> Vocabulary:
    return Vocabulary.from_strings(strings(WORDS), **kwargs)


class Model(nn.Module):
    def __init__(self, vocabulary: Vocabulary, width: int = 8) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(vocabulary.num_ids, width)

    def forward(self, words: StringTensor) -> Tensor:
        return self.embedding(self.vocabulary(words)).mean(dim=-2)
