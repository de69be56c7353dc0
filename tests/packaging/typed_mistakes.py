"""Mistakes, for type checkers: each line with a comment `# wrong` has one that they must report (test_types.py)."""

from __future__ import annotations

import torch

import torch_stringops as ts
from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary
from torch_stringops.data import CollateText, ColumnDataset, StringColumn
from torch_stringops.pretrain import Mix, Pack, TokenDataset, write_tokens

s = ts.as_strings(["a", "b"])
vocabulary = Vocabulary(["a", "b"])
number: int = s.lower()  # wrong: strings are no int
ts.as_strings(torch.zeros(2))  # wrong: a tensor of numbers
ts.as_strings([1, 2])  # wrong: a list of numbers
ts.as_ragged(["a"])  # wrong: not a column
s.lower(1)  # wrong: too many arguments
s.no_such_method()  # wrong: no such method
s["a"]  # wrong: not an index
s[0] = "c"  # wrong: no assignment
s + 1  # wrong: not strings
less = s < 3  # wrong: not strings
s.contains(3)  # wrong: not strings
s.reshape("a")  # wrong: not a shape
ts.string_lower(["a", None])  # wrong: a missing string
ts.string_lower(text=s)  # wrong: no such argument
ts.string_length(s, units="byte")  # wrong: no such argument
ts.string_split(s, 3)  # wrong: not a delimiter
ts.string_min(s, dim="0")  # wrong: not an axis
ts.string_equal(s, torch.zeros(2))  # wrong: a tensor of numbers
pieces: StringTensor = ts.string_split(s)  # wrong: a tuple
ts.cat(s, torch.zeros(2))  # wrong: a tensor of numbers
ts.where(s, s, s)  # wrong: not a mask
ts.ragged_to_dense(s)  # wrong: no row splits
vocabulary(3)  # wrong: not strings
ids: StringTensor = vocabulary(s)  # wrong: a Tensor
vocabulary.decode("a")  # wrong: not ids
s.url_unquote(errors="bad")  # wrong: not a name
s.to_number(errors="ignore")  # wrong: not a name
s.length("bytes")  # wrong: not a name
s.slice(0, 1, unit="char")  # wrong: not a name
s.cdist(["a"], "jaro")  # wrong: not a name
s.normalize("nfc")  # wrong: not a name
ts.string_edit_distance(s, "a", "grapheme")  # wrong: not a name
ts.json_extract(s, "$", errors="fill")  # wrong: not a name
ts.datetime_fields(torch.zeros(2, dtype=torch.int64), "m")  # wrong: not a name
ts.ragged_mask([0, 1], side="both")  # wrong: not a name
ts.string_split(s, compat="onnx")  # wrong: not a name
ts.nn.TfidfVectorizer(norm="l3")  # wrong: not a name
ts.nn.CountVectorizer(strip_accents="utf8")  # wrong: not a name
ts.nn.CountVectorizer(analyzer="words")  # wrong: not a name
ts.nn.TfidfVectorizer(analyzer="words")  # wrong: not a name
ts.nn.TfidfVectorizer(min_df="1")  # wrong: not a number
ts.nn.HashingVectorizer(lower=True)  # wrong: no such argument
ts.nn.Hashing(2, output_mode="tf_idf")  # wrong: not a name
ts.nn.TextVectorization(output_mode="one_hot")  # wrong: not a name
ts.nn.TextVectorization(standardize="upper")  # wrong: not a name
ts.nn.Normalize()(torch.zeros(2))  # wrong: a tensor of numbers
ts.nn.TextVectorization(ragged=True)(s).sum()  # wrong: a tuple
ColumnDataset(s)[0].lower()  # wrong: a tuple
StringColumn([s])[0].no_such_method()  # wrong: no such method
Mix([(["a"], 1.0)], stop="last")  # wrong: not a name
s.data = s.data  # wrong: strings are immutable
s.offsets = s.offsets  # wrong: strings are immutable


def take_tokens(tokens: TokenDataset, tokenizer: SubwordTokenizer) -> None:
    Pack(tokens, 8, 2, "best")  # wrong: not a name
    tokenizer(s, padding="max")  # wrong: not a name
    CollateText(tokenizer, padding="max")  # wrong: not a name
    write_tokens(s, tokenizer, "folder", dtype="int64")  # wrong: not a name
    write_tokens(s, tokenizer, "folder", format="parquet")  # wrong: not a name
