"""subword_encode: byte-level BPE of text, with vocabularies that `tokenizers` trains here on the same kind of text."""

import os
from functools import lru_cache, partial
from typing import Any

import numpy as np

import torch_stringops as so
from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus, corpus, from_strings
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row

OURS = "ours, subword_encode"
VOCABULARY = 30_000
PARAGRAPH = 2048  # bytes, about
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@lru_cache(maxsize=2)
def trained(pattern: str) -> Any:
    """A tokenizer with the pattern of GPT-2 or of Llama 3."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    tk = peers.load("tokenizers")
    tokenizer = tk.Tokenizer(tk.models.BPE())
    byte_level = tk.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern == "gpt2")
    if pattern != "gpt2":
        split = tk.pre_tokenizers.Split(tk.Regex(LLAMA3), "isolated")
        byte_level = tk.pre_tokenizers.Sequence([split, byte_level])
    tokenizer.pre_tokenizer = byte_level
    tokenizer.decoder = tk.decoders.ByteLevel()
    alphabet = tk.pre_tokenizers.ByteLevel.alphabet()
    trainer = tk.trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(paragraphs(corpus("W6", 0.5)).strings, trainer)
    return tokenizer


def lines(source: Corpus) -> Corpus:
    return from_strings("lines of W6", source.description, [s.strip() for s in source.encoded if s.strip()])


def paragraphs(source: Corpus) -> Corpus:
    """Lines joined to strings of about PARAGRAPH bytes."""
    found: list[bytes] = []
    part: list[bytes] = []
    size = 0
    for line in source.encoded:
        part.append(line)
        size += len(line) + 1
        if size >= PARAGRAPH:
            found.append(b"\n".join(part))
            part, size = [], 0
    return from_strings("paragraphs of W6", source.description, [*found, b"\n".join(part)])


def from_encodings(rows: list[Any]) -> canonical.Canonical:
    ids = [row.ids for row in rows]
    splits = np.cumsum([0, *map(len, ids)])
    return canonical.from_ids(np.array([i for row in ids for i in row], dtype=np.int64), splits)


def build(pattern: str, cut: Any, ratio: float, context: Context) -> Comparison:
    text = cut(context.corpus("W6"))
    title = f"Ids of {len(text):,} strings ({text.name}), {pattern}, {VOCABULARY:,} tokens"
    try:
        tokenizer = trained(pattern)
    except ImportError as error:
        skipped = Skipped("tokenizers", f"not installed ({error})")
        return Comparison(
            title, [skipped, *ours.memcpy(ours.num_bytes(ours.tensors(text)))], [], text.num_bytes
        )
    table = so.SubwordTokenizer.from_file(tokenizer)._table
    encode = partial(ours.operator("subword_encode"), *ours.tensors(text), table)
    contenders: peers.Contenders = [
        ours.contender(OURS, encode, lambda out: canonical.from_ids(*(t.numpy() for t in out)))
    ]
    batch = partial(tokenizer.encode_batch_fast, text.strings, add_special_tokens=False)
    contenders.append(Contender("tokenizers encode_batch_fast", batch, from_encodings, group="tokenizers"))
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(text), *encode()]))
    return Comparison(title, contenders, [Target(OURS, "tokenizers", ratio)], text.num_bytes)


CODE = (
    "Lines of code have many words that are in no vocabulary; by a profile, merging their bytes takes 40 %."
)
ROWS = [
    Row(
        f"subword_encode/{pattern}, {kind}", partial(build, pattern, cut, ratio), reasons={"tokenizers": CODE}
    )
    for pattern in ("gpt2", "llama3")
    for kind, cut, ratio in (("lines", lines, 70), ("paragraphs", paragraphs, 50))
]
