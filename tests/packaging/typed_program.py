"""A program of a user, for type checkers: each `assert_type` holds, and no expression is Any (test_types.py)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from typing_extensions import assert_type

import torch_stringops as ts
from torch_stringops import StringsLike, StringTensor, Vocabulary
from torch_stringops.data import CollateText, ColumnDataset, StreamingDataset, StringColumn, read_csv, read_lines
from torch_stringops.transformers import Encoding, Tokenizer

# Columns of lists are values and row splits.
Column = StringColumn | Tensor | tuple[StringColumn | Tensor, Tensor]
BatchColumn = StringTensor | Tensor | tuple[StringTensor | Tensor, Tensor]

# Strings in all forms.
s = ts.as_strings(["a,b", "c"])
assert_type(s, StringTensor)
assert_type(ts.as_strings("a"), StringTensor)
assert_type(ts.as_strings([["a", None], [b"b", "c"]], missing=""), StringTensor)
assert_type(ts.as_strings(np.array(["a", "b"], dtype=object)), StringTensor)
assert_type(ts.as_strings(("a", b"b")), StringTensor)


def shout(texts: StringsLike) -> StringTensor:
    return ts.string_upper(input=texts) + "!"


assert_type(shout(["a"]), StringTensor)
assert_type(shout(np.array(["a"])), StringTensor)
nested: list[list[str]] = [["a"], ["b"]]
assert_type(shout(nested), StringTensor)

# Methods, operators, indices.
assert_type(s.shape, torch.Size)
assert_type(s.size(0), int)
assert_type(s.lower(), StringTensor)
assert_type(s == "c", Tensor)
assert_type(s != ["c", "d"], Tensor)
assert_type(s < s, Tensor)
assert_type(s + "x", StringTensor)
assert_type("x" + s, StringTensor)
assert_type(s * 2, StringTensor)
assert_type(s[0], StringTensor)
assert_type(s[None, ..., torch.tensor([0])], StringTensor)
assert_type(s[[0, 1]], StringTensor)
assert_type(s[s == "c"], StringTensor)
assert_type([one.item() for one in s], list[str])
assert_type(s[0].item(as_bytes=True), bytes)
assert_type(s.reshape(1, -1).expand((2, 2)), StringTensor)
assert_type(s.contains("a").any(), Tensor)
assert_type(s.split(","), tuple[StringTensor, Tensor])
assert_type(s.split(1), tuple[StringTensor, ...])
assert_type(s.min(), StringTensor)
assert_type(s.sort().values, StringTensor)
assert_type(s.max(dim=0).indices, Tensor)
assert_type(s.unique(), StringTensor)
assert_type(s.unique(return_inverse=True), tuple[StringTensor, Tensor])
assert_type(s.numpy("U"), NDArray[np.str_])
assert_type(s.to("cpu"), StringTensor)

# Functions.
assert_type(ts.string_length(["a"], unit="byte"), Tensor)
assert_type(ts.string_split(["a,b"], ","), tuple[StringTensor, Tensor])
assert_type(ts.string_join(s, "-"), StringTensor)
assert_type(ts.string_min(s), StringTensor)
assert_type(ts.string_min(s, dim=0).values, StringTensor)
assert_type(ts.string_unique_consecutive(s, return_counts=True), tuple[StringTensor, Tensor])
assert_type(ts.cat([s, s[:1], ["d"]]), StringTensor)
assert_type(ts.stack((s, s), dim=1), StringTensor)
assert_type(ts.where(s == "c", "?", s), StringTensor)
assert_type(ts.ragged_to_dense(["a", "b"], [0, 1, 2]), StringTensor)
assert_type(ts.ragged_to_dense(torch.arange(2), torch.tensor([0, 2])), Tensor)
assert_type(ts.ragged_unique(["a", "a"], [0, 2], return_counts=True), tuple[StringTensor, Tensor, Tensor])
assert_type(ts.tokenizer(s, separators=[","]), StringTensor)
assert_type(ts.split(torch.arange(4), num_outputs=2), list[Tensor])
assert_type(ts.tfidf_vectorizer(s, max_gram_length=1, max_skip_count=0, min_gram_length=1, mode="TF",
            ngram_counts=[0], ngram_indexes=[0], pool_strings=["c"]), Tensor)  # fmt: skip

# Modules.
vocabulary = Vocabulary.from_strings(line for line in ["a", "b"])
assert_type(vocabulary(s), Tensor)
assert_type(vocabulary.decode([2]), StringTensor)
assert_type(vocabulary["a"], int)
assert_type(vocabulary[2], str | bytes)
vectorize = ts.nn.TextVectorization(vocabulary=["a", "b"])
assert_type(vectorize(["a b"]), Tensor)
assert_type(ts.nn.TextVectorization(vocabulary=["a"], ragged=True)(s), tuple[Tensor, Tensor])
lookup = ts.nn.StringLookup(vocabulary=["a", "b"])
assert_type(lookup(s), Tensor)
assert_type(ts.nn.StringLookup(vocabulary=["a", "b"], invert=True)(lookup(s)), StringTensor)
assert_type(ts.nn.Hashing(3)(s), Tensor)
assert_type(ts.nn.Normalize()(s), StringTensor)
tokenizer = ts.SubwordTokenizer.from_tiktoken({bytes([byte]): byte for byte in range(256)}, r"\w+|\W+")
assert_type(tokenizer(["a"], padding=False), dict[str, Tensor])
assert_type(tokenizer.encode("a"), tuple[Tensor, Tensor])
assert_type(tokenizer.encode_text("a"), list[int])
assert_type(tokenizer.decode_ids([97]), str)
assert_type(tokenizer.count_tokens(["a"]), Tensor)
assert_type(CollateText(tokenizer, padding=False)(["a"]), dict[str, Tensor])
assert_type(ts.DecodeStream(tokenizer).step(97), str)
assert_type(ts.DecodeStream(tokenizer, 2).step([97, 98]), StringTensor)
assert_type(ts.DecodeStream(tokenizer, 2).step(torch.tensor([97, 98])), StringTensor)


def of_tokenizers(tokenizer: Tokenizer, encoding: Encoding) -> None:
    assert_type(encoding.ids, list[int])
    assert_type(tokenizer.decode(encoding.ids), str)
    assert_type(tokenizer.decode_batch([[1], [2, 3]]), list[str])
    assert_type(tokenizer.token_to_id("a"), int | None)
    assert_type(tokenizer.get_vocab_size(), int)


class Model(nn.Module):
    def __init__(self, vocabulary: Vocabulary, vectorize: ts.nn.TextVectorization) -> None:
        super().__init__()
        self.vocabulary, self.vectorize = vocabulary, vectorize

    def forward(self, texts: StringsLike) -> Tensor:
        ids, row_splits = self.vocabulary.split_encode(texts)
        return ts.ragged_to_dense(ids, row_splits) + self.vectorize(texts).sum()


# Data sets.
def encode(batch: dict[str, StringTensor | Tensor]) -> Tensor:
    text = batch["text"]
    assert isinstance(text, StringTensor)
    return vocabulary(text)


dataset = ColumnDataset(text=s, label=torch.arange(2))
assert_type(dataset[0], dict[str, BatchColumn])
assert_type((dataset + dataset)[[0, 3]], dict[str, BatchColumn])
assert_type(ColumnDataset(["a", "b"], [1, 2])[1], tuple[BatchColumn, ...])
with TemporaryDirectory() as folder:
    file = Path(folder, "a.csv")
    file.write_text("text,label\na,1\n")
    assert_type(read_lines(file), StringColumn)
    assert_type(read_lines(file)[0], StringTensor)
    assert_type(read_csv(file), dict[str, Column])
    assert_type(read_csv(file, columns="text"), Column)
    for batch in StreamingDataset(file, batch_size=1):
        assert_type(batch, StringTensor | dict[str, BatchColumn])
    for ids in StreamingDataset(file, batch_size=1, transform=encode):
        assert_type(ids, Tensor)
