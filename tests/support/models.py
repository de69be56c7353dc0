"""Models from raw strings to logits, and a corpus that they can learn, for tests of compilation and export."""

import random

import torch
from torch import Tensor, nn

from torch_stringops import StringTensor, Vocabulary, ragged_lengths, ragged_mask, ragged_to_dense, string_split_ragged

CLASSES = 4
WIDTH = 64
DIM = 16

# Words that occur in one class only, some not ASCII, and words that occur in all.
DISTINCTIVE = [
    ["stone", "granit", "камень"],
    ["river", "lac", "река"],
    ["cloud", "nuage", "облако"],
    ["fire", "feu", "火"],
]
COMMON = ["the", "of", "and", "in", "to", "a"]
# Lines unlike those of training batches: empty, blank, unknown words, more words than WIDTH.
ODD_LINES = ["", "   ", "unheard of", "the " * (3 * WIDTH), "\u3000river\u3000fire\n", "stone"]


def corpus(lines: int, seed: int) -> tuple[list[str], Tensor]:
    """Lines of 1 to 12 words, and the class of each."""
    draw = random.Random(seed)
    labels = [draw.randrange(CLASSES) for _ in range(lines)]
    texts = []
    for label in labels:
        words = [draw.choice(COMMON) for _ in range(draw.randrange(9))]
        words += [draw.choice(DISTINCTIVE[label]) for _ in range(draw.randrange(1, 4))]
        draw.shuffle(words)
        texts.append(" ".join(words))
    return texts, torch.tensor(labels)


def strings(lines: list[str]) -> StringTensor:
    return StringTensor.from_list(lines) if lines else StringTensor.from_list(["-"])[:0]


def vocabulary() -> Vocabulary:
    return Vocabulary(
        ["<pad>", "<unk>", *COMMON, *(word for words in DISTINCTIVE for word in words)],
        pad_token="<pad>",
        unknown_token="<unk>",
    )


class Classifier(nn.Module):
    """Splits, looks up ids, pools, classifies. A subclass defines how the ids of a row become one vector."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = vocabulary()
        self.embedding = nn.Embedding(self.vocabulary.num_ids, DIM, padding_idx=self.vocabulary.pad_id)
        self.linear = nn.Linear(DIM, CLASSES)

    def pool(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, lines: StringTensor) -> Tensor:
        words, row_splits = string_split_ragged(lines)
        logits: Tensor = self.linear(self.pool(self.vocabulary.encode(words), row_splits))
        return logits


class Padded(Classifier):
    """A masked mean over rows of a fixed width."""

    width: int | None = WIDTH

    def pool(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        dense = ragged_to_dense(ids, row_splits, self.width, self.vocabulary.pad_id)
        mask = ragged_mask(row_splits, dense.shape[1])[..., None]
        return (self.embedding(dense) * mask).sum(1) / mask.sum(1).clamp(min=1)


class PaddedToLongest(Padded):
    """The same, padded to the longest row."""

    width = None


class Bag(Classifier):
    """The mean by nn.EmbeddingBag, without padding."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag.from_pretrained(self.embedding.weight, freeze=False)

    def pool(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        return self.bag(ids, row_splits[:-1])


class PaddedEmbeddings(Classifier):
    """Pads embeddings instead of ids, so that gradients pass through ragged_to_dense."""

    def pool(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        dense = ragged_to_dense(self.embedding(ids), row_splits, WIDTH, side="left")
        return dense.sum(1) / ragged_lengths(row_splits).clamp(1, WIDTH)[:, None]


class Nested(Classifier):
    """Uses torch.nested for padding."""

    def pool(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        nested = torch.nested.nested_tensor_from_jagged(self.embedding(ids), row_splits, max_seqlen=WIDTH)
        padded = torch.tanh(nested).to_padded_tensor(0.0)
        return padded.sum(1) / ragged_lengths(row_splits).clamp(min=1)[:, None]


class Layers(Classifier):
    """A padded text through one of every layer whose shape function depends on the batch size.

    nn.MultiheadAttention has one head; torch takes another path for it if the batch size is 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(DIM, DIM, 3, padding=1)
        self.gru = nn.GRU(DIM, DIM, batch_first=True)
        self.lstm = nn.LSTM(DIM, DIM, batch_first=True)
        self.attention = nn.MultiheadAttention(DIM, 1, batch_first=True)
        self.norms = nn.Sequential(nn.BatchNorm1d(DIM), nn.LayerNorm(DIM))
        self.bag = nn.EmbeddingBag(self.vocabulary.num_ids, DIM, include_last_offset=True)

    def pool(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        width = 4
        x = self.embedding(ragged_to_dense(ids, row_splits, width))
        x = self.convolution(x.transpose(1, 2)).transpose(1, 2)
        x = x + self.gru(x)[0] + self.lstm(x)[0]
        padding = ~ragged_mask(row_splits, width)
        padding = padding & (ragged_lengths(row_splits) > 0)[:, None]  # a row of padding alone would be NaN
        x = x + self.attention(x, x, x, key_padding_mask=padding)[0]
        return self.norms(x.sum(1)) + self.bag(ids, row_splits)


class Encoder(Classifier):
    """nn.TransformerEncoder over a padded text. With a mask, torch itself rejects an empty batch."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(DIM, 4, 2 * DIM, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def pool(self, ids: Tensor, row_splits: Tensor) -> Tensor:
        x = self.embedding(ragged_to_dense(ids, row_splits, 4))
        padding = ~ragged_mask(row_splits, 4)
        return self.encoder(x, src_key_padding_mask=padding & (ragged_lengths(row_splits) > 0)[:, None]).sum(1)


class Raw(nn.Module):
    """A model that takes the two tensors of its strings."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, data: Tensor, offsets: Tensor) -> Tensor:
        return self.model(StringTensor(data, offsets))


def seeded(kind: type[Classifier]) -> Classifier:
    torch.manual_seed(0)
    return kind()
