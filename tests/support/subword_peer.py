"""A tokenizer and what `tokenizers`, `tiktoken` or `sentencepiece` gives for a text."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from tempfile import NamedTemporaryFile
from typing import Any

import torch

from support import subword as make
from support import subword_unigram


def inserting(rng: random.Random, text: str, pieces: Sequence[str]) -> str:
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        at = rng.randrange(len(text) + 1)
        piece = rng.choice(pieces)
        text = text[:at] + rng.choice(["", "", " ", "  ", "\n", "a"]) + piece + rng.choice(["", " "]) + text[at:]
    return text


@dataclass
class Peer:
    """A tokenizer of another library."""

    tokenizer: Any
    # Pieces that texts get at random places.
    inserted: Sequence[str] = ()

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_file(self.tokenizer)

    def ids(self, texts: list[str], special: bool = False) -> list[list[int]]:
        return [e.ids for e in self.tokenizer.encode_batch(texts, add_special_tokens=special)]

    def decoded(self, rows: list[list[int]], skip: bool = True) -> list[str]:
        return self.tokenizer.decode_batch(rows, skip_special_tokens=skip)

    def ids_and_spans(self, texts: list[str]) -> tuple[list[list[int]], list[list[tuple[int, int]]]]:
        """Without special tokens; spans in bytes."""
        encodings = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        spans = []
        for text, encoding in zip(texts, encodings, strict=True):
            at = range(len(text) + 1) if text.isascii() else [0, *accumulate(len(c.encode()) for c in text)]
            spans.append([(at[a], at[b]) for a, b in encoding.offsets])
        return [e.ids for e in encodings], spans

    def texts(self, rng: random.Random, n: int, stable: bool = False) -> list[str]:
        found = (make.stable_texts if stable else make.texts)(rng, n)
        if not self.inserted:
            return found
        return [inserting(rng, text, self.inserted) for text in found]


class Tiktoken(Peer):
    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_tiktoken(self.tokenizer)

    def ids(self, texts: list[str], special: bool = False) -> list[list[int]]:
        return self.tokenizer.encode_batch(texts, num_threads=1, allowed_special="all")

    def decoded(self, rows: list[list[int]], skip: bool = True) -> list[str]:
        special = set(self.tokenizer._special_tokens.values()) if skip else set()
        return [self.tokenizer.decode([id for id in row if id not in special]) for row in rows]


class SentencePiece(Peer):
    """A .model file, with ids of <s> and </s> around texts."""

    def __init__(self, model: bytes) -> None:
        from sentencepiece import SentencePieceProcessor

        super().__init__(SentencePieceProcessor(model_proto=model), subword_unigram.INSERTED)
        self.model = model

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        with NamedTemporaryFile(suffix=".model") as file:
            file.write(self.model)
            file.flush()
            return SubwordTokenizer.from_sentencepiece(file.name, add_bos=True, add_eos=True)

    def ids(self, texts: list[str], special: bool = False) -> list[list[int]]:
        return self.tokenizer.encode(texts, add_bos=special, add_eos=special)

    def decoded(self, rows: list[list[int]], skip: bool = True) -> list[str]:
        return self.tokenizer.decode(rows)

    def ids_and_spans(self, texts: list[str]) -> tuple[list[list[int]], list[list[tuple[int, int]]]]:
        protos = self.tokenizer.encode(texts, return_type="proto")
        return [[p.id for p in proto.pieces] for proto in protos], [
            [(p.begin, p.end) for p in proto.pieces] for proto in protos
        ]


def difference(
    peer: Peer, tokenizer: Any, texts: list[str], spans: bool, skip: Sequence[bool] = (False, True)
) -> str | None:
    """The first text whose ids, spans or decoded text differ from those of the peer."""
    ids, row_splits, begins, ends = tokenizer.encode_spans(texts)
    rows = list(pairwise(row_splits.tolist()))
    want, want_spans = peer.ids_and_spans(texts) if spans else (peer.ids(texts), [])
    for text, row, (a, b) in zip(texts, want, rows, strict=True):
        if ids[a:b].tolist() != row:
            return f"ids of {text!a}: {ids[a:b].tolist()} instead of {row}"
    pairs = list(zip(begins.tolist(), ends.tolist(), strict=True))
    for text, row, (a, b) in zip(texts, want_spans, rows, strict=False):
        if pairs[a:b] != row:
            return f"spans of {text!a}: {pairs[a:b]} instead of {row}"
    without_spans = tokenizer.encode(texts)
    if not all(map(torch.equal, without_spans, (ids, row_splits))):
        return "ids without spans are not those with spans"
    for option in skip:
        found = tokenizer.decode(ids, row_splits, option).tolist()
        for text, got, decoded in zip(texts, found, peer.decoded(want, option), strict=True):
            if got != decoded:
                return f"decoded text of {text!a}: {got!a} instead of {decoded!a}"
    if tokenizer._before or tokenizer._after:
        ids, row_splits = tokenizer.encode(texts, add_special_tokens=True)
        rows = list(pairwise(row_splits.tolist()))
        for text, row, (a, b) in zip(texts, peer.ids(texts, True), rows, strict=True):
            if ids[a:b].tolist() != row:
                return f"ids of {text!a} with special tokens: {ids[a:b].tolist()} instead of {row}"
    return None
