"""Texts and tokenizers of the rows of subword tokenizers. No published files are used: tokenizers are trained here, on
every other paragraph of code, of English and of five scripts; the rows have the other ones.
"""

import dataclasses
import io
import json
import os
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

import torch_stringops as so
from benchmarks import ours, peers
from benchmarks.corpora import Corpus, corpus, from_strings
from benchmarks.measure import Comparison, Contender, Excuse, Skipped, Target
from benchmarks.peers.subword import from_arrays
from benchmarks.rows import Context

OURS = "ours, subword_encode"
VOCABULARY = 50_000
SHORT = 55  # bytes after which a short string ends with the next word: 60 on average
PARAGRAPH = 2048
BLANK = "\u2581"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_SUFFIX}|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_SUFFIX}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
PATTERNS = {"gpt2": GPT2, "llama3": LLAMA3, "o200k": O200K}

# Name -> the workload and its size of which the text is half.
SOURCES = {"English": ("W7", 1.0), "code": ("W6", 0.5), "five scripts": ("W3", 0.2)}


@lru_cache(maxsize=8)
def paragraphs(source: str, trains: bool, scale: float = 1.0) -> Corpus:
    """Every other string of about PARAGRAPH bytes, made of the lines of a source."""
    name, share = SOURCES[source]
    found: list[bytes] = []
    part: list[bytes] = []
    size = 0
    for line in corpus(name, share * scale).encoded:
        part.append(line)
        size += len(line) + 1
        if size >= PARAGRAPH:
            found.append(b"\n".join(part))
            part, size = [], 0
    return from_strings(
        f"paragraphs of {source}", f"paragraphs of {source}, 2 KB", found[0 if trains else 1 :: 2]
    )


def short(source: str, scale: float = 1.0) -> Corpus:
    """Whole words of about 60 bytes."""
    found: list[bytes] = []
    for paragraph in paragraphs(source, False, scale).encoded:
        words: list[bytes] = []
        size = 0
        for word in paragraph.split():
            words.append(word)
            size += len(word) + 1
            if size > SHORT:
                found.append(b" ".join(words))
                words, size = [], 0
    return from_strings(f"strings of {source}", f"strings of {source}, 60 bytes", found)


TEXTS: dict[str, Callable[[float], Corpus]] = {
    "short": partial(short, "English"),
    "paragraphs": lambda scale: paragraphs("English", False, scale),
    "code": lambda scale: paragraphs("code", False, scale),
    "five scripts": lambda scale: paragraphs("five scripts", False, scale),
}


def training_text() -> list[str]:
    return [text for source in SOURCES for text in paragraphs(source, True).strings]


@lru_cache(maxsize=8)
def trained(kind: str) -> Any:
    """A tokenizer of `tokenizers`: those of PATTERNS, byte-level BPE; "byte fallback", BPE over characters as that of
    Llama-2; "wordpiece", as that of an uncased BERT."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    tk = peers.load("tokenizers")
    options: dict[str, Any] = {"vocab_size": VOCABULARY, "show_progress": False}
    if kind == "wordpiece":
        tokenizer = tk.Tokenizer(tk.models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = tk.normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = tk.pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = tk.decoders.WordPiece()
        trainer = tk.trainers.WordPieceTrainer(special_tokens=["[UNK]", "[PAD]"], **options)
    elif kind == "byte fallback":
        model = tk.models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
        tokenizer = tk.Tokenizer(model)
        tokenizer.pre_tokenizer = (
            tk.pre_tokenizers.Metaspace()
        )  # as SentencePiece, which does not cross spaces
        special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
        trainer = tk.trainers.BpeTrainer(special_tokens=special, **options)
    else:
        tokenizer = tk.Tokenizer(tk.models.BPE())
        byte_level = tk.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind == "gpt2")
        split = [] if kind == "gpt2" else [tk.pre_tokenizers.Split(tk.Regex(PATTERNS[kind]), "isolated")]
        tokenizer.pre_tokenizer = tk.pre_tokenizers.Sequence([*split, byte_level]) if split else byte_level
        tokenizer.decoder = tk.decoders.ByteLevel()
        alphabet = tk.pre_tokenizers.ByteLevel.alphabet()
        trainer = tk.trainers.BpeTrainer(initial_alphabet=alphabet, **options)
    tokenizer.train_from_iterator(training_text(), trainer)
    return as_llama2(tk, tokenizer) if kind == "byte fallback" else tokenizer


def as_llama2(tk: Any, tokenizer: Any) -> Any:
    """Without a pre-tokenizer: spaces are replaced by the normalizer."""
    found = json.loads(tokenizer.to_str())
    found["added_tokens"] = found["added_tokens"][:3]
    found["pre_tokenizer"] = None
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": BLANK}
    found["normalizer"] = {
        "type": "Sequence",
        "normalizers": [{"type": "Prepend", "prepend": BLANK}, replace],
    }
    found["decoder"] = {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": BLANK}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    }
    return tk.Tokenizer.from_str(json.dumps(found))


@lru_cache(maxsize=2)
def trained_model(kind: str) -> bytes:
    """A .model file with the rules nmt_nfkc, "unigram" or "bpe", the latter with byte fallback."""
    file = io.BytesIO()
    peers.load("sentencepiece").SentencePieceTrainer.train(
        sentence_iterator=(line for text in training_text() for line in text.split("\n") if line.strip()),
        model_writer=file,
        model_type=kind,
        vocab_size=VOCABULARY,
        byte_fallback=kind == "bpe",
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return file.getvalue()


@lru_cache(maxsize=1)
def as_t5() -> Any:
    """The Unigram model as a tokenizer of `tokenizers` that cuts words at whitespace, as that of T5."""
    from torch_stringops.subword._sentencepiece import parse_model

    tk = peers.load("tokenizers")
    found = parse_model("model", trained_model("unigram"))
    vocab = [(piece.text.decode(), piece.score) for piece in found.pieces]
    tokenizer = tk.Tokenizer(tk.models.Unigram(vocab, 0, False))
    tokenizer.normalizer = tk.normalizers.Precompiled(found.charsmap)
    steps = [tk.pre_tokenizers.WhitespaceSplit(), tk.pre_tokenizers.Metaspace()]
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Sequence(steps)
    tokenizer.decoder = tk.decoders.Metaspace()
    return tokenizer


def ranks_of(tokenizer: Any) -> dict[bytes, int]:
    from torch_stringops.subword._bytelevel import from_alphabet

    return {from_alphabet(token): id for token, id in tokenizer.get_vocab(False).items()}


def own(tokenizer: so.SubwordTokenizer, text: Corpus, name: str = OURS, calls: int = 1) -> Contender:
    encode = partial(ours.operator("subword_encode"), *ours.tensors(text), tokenizer._table)
    return ours.contender(name, encode, lambda out: from_arrays(*(t.numpy() for t in out)), calls=calls)


def excused(contender: Contender | Skipped, wanted: Any, limit: float = 0.01) -> Contender | Skipped:
    """The contender, with an excuse for the strings of which it gives other ids, or skipped if these are many."""
    if isinstance(contender, Skipped) or contender.canonical is None:
        return contender
    arguments = () if contender.prepare is None else (contender.prepare(),)
    got = contender.canonical(contender.call(*arguments))
    if len(got.counts) != len(wanted.counts):
        return Skipped(contender.name, "gives another number of rows", contender.group)
    rows = [
        np.split(ids.data.view(np.int64), np.cumsum(ids.counts)[:-1]) if len(ids.counts) else []
        for ids in (wanted, got)
    ]
    differs = np.array([not np.array_equal(a, b) for a, b in zip(*rows, strict=True)], dtype=bool)
    if differs.mean() > limit:
        reason = f"other ids for {differs.mean():.2%} of the strings"
        return Skipped(contender.name, reason, contender.group)
    if not differs.any():
        return contender
    return dataclasses.replace(contender, excuse=Excuse(differs, "other ids than the library of the file"))


def comparison(
    title: str,
    text: Corpus,
    tokenizer: so.SubwordTokenizer,
    reference: peers.Contenders,
    others: peers.Contenders,
    targets: dict[str, float | None],
    calls: int = 1,
) -> Comparison:
    """`reference` are contenders of which every id must be ours; `targets` are by peer."""
    mine = own(tokenizer, text, calls=calls)
    out = mine.call()
    assert mine.canonical is not None
    wanted = mine.canonical(out)
    contenders = [mine, *reference, *(excused(one, wanted) for one in others)]
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(text), *out]))
    wanted_targets = [Target(OURS, peer, ratio) for peer, ratio in targets.items()]
    return Comparison(
        f"{title}: {len(text):,} {text.description}", contenders, wanted_targets, text.num_bytes
    )


def text_of(context: Context, kind: str) -> Corpus:
    return TEXTS[kind](context.scale)
