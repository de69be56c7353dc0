"""subword_encode: Unigram, with a vocabulary that `sentencepiece` trains here on the same kind of text."""

import io
import os
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any

import numpy as np

import torch_stringops as so
from benchmarks import canonical, ours, peers
from benchmarks.bench_subword import OURS, VOCABULARY, from_encodings, lines, paragraphs
from benchmarks.corpora import corpus
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row


@lru_cache(maxsize=1)
def trained() -> bytes:
    """A model with the rules nmt_nfkc."""
    file = io.BytesIO()
    text = paragraphs(corpus("W6", 0.5)).strings
    peers.load("sentencepiece").SentencePieceTrainer.train(
        sentence_iterator=(line for part in text for line in part.split("\n") if line.strip()),
        model_writer=file,
        vocab_size=VOCABULARY,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return file.getvalue()


def converted(model: bytes) -> Any:
    """The tokenizer of `tokenizers` that cuts words at whitespace, as that of T5."""
    from torch_stringops.subword._sentencepiece import parse_model

    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    tk = peers.load("tokenizers")
    found = parse_model("model", model)
    vocab = [(piece.text.decode(), piece.score) for piece in found.pieces]
    tokenizer = tk.Tokenizer(tk.models.Unigram(vocab, 0, False))
    tokenizer.normalizer = tk.normalizers.Precompiled(found.charsmap)
    steps = [tk.pre_tokenizers.WhitespaceSplit(), tk.pre_tokenizers.Metaspace()]
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Sequence(steps)
    tokenizer.decoder = tk.decoders.Metaspace()
    return tokenizer


def from_rows(rows: list[list[int]]) -> canonical.Canonical:
    ids = np.array([i for row in rows for i in row], dtype=np.int64)
    return canonical.from_ids(ids, np.array([0, *accumulate(map(len, rows))]))


def build(peer: str, cut: Any, ratio: float, context: Context) -> Comparison:
    text = cut(context.corpus("W6"))
    title = f"Ids of {len(text):,} strings ({text.name}), Unigram, as {peer}"
    try:
        model = trained()
        tokenizer = converted(model)
    except ImportError as error:
        skipped = Skipped(peer, f"not installed ({error})")
        memcpy = ours.memcpy(ours.num_bytes(ours.tensors(text)))
        return Comparison(title, [skipped, *memcpy], [], text.num_bytes)
    if peer == "tokenizers":
        table = so.SubwordTokenizer.from_file(tokenizer)._table
        batch = partial(tokenizer.encode_batch_fast, text.strings, add_special_tokens=False)
        contender = Contender("tokenizers encode_batch_fast", batch, from_encodings, group=peer)
    else:
        table = so.SubwordTokenizer.from_sentencepiece(model)._table
        processor = peers.load("sentencepiece").SentencePieceProcessor(model_proto=model)
        encode = partial(processor.encode, text.strings, num_threads=1)
        contender = Contender("sentencepiece encode", encode, from_rows, group=peer)
    own = partial(ours.operator("subword_encode"), *ours.tensors(text), table)
    contenders: peers.Contenders = [
        ours.contender(OURS, own, lambda out: canonical.from_ids(*(t.numpy() for t in out))),
        contender,
        *ours.memcpy(ours.num_bytes([*ours.tensors(text), *own()])),
    ]
    return Comparison(title, contenders, [Target(OURS, peer, ratio)], text.num_bytes)


WORDS = "Code has many words that are not in the table; the search for their pieces waits for memory."
TEXTS = "SentencePiece adds scores from the beginning of a text, so that no word can be looked up as a whole."
ROWS = [
    Row(
        f"subword_encode/Unigram, {peer}, {kind}",
        partial(build, peer, cut, ratio),
        reasons={peer: reason},
    )
    for peer, ratio, reason in (("tokenizers", 40, WORDS), ("sentencepiece", 6, TEXTS))
    for kind, cut in (("lines", lines), ("paragraphs", paragraphs))
]
