"""Tokenizers of every kind that is supported, with what `tokenizers` or `tiktoken` gives for a text."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from tempfile import NamedTemporaryFile
from typing import Any

import torch

from support import subword as make
from support import subword_characters, subword_suffix, subword_unigram, subword_wordpiece

# Contents of added tokens, and their flags.
ADDED = {
    "<|im_start|>": {"special": True, "normalized": False},
    "<|im|>": {"special": True, "normalized": False},
    "<|im": {"normalized": False},
    "<word>": {"single_word": True, "normalized": False},
    "doc": {"single_word": True, "normalized": True},
    "<left>": {"lstrip": True, "normalized": False},
    "<right>": {"rstrip": True, "normalized": True},
    "<both>": {"lstrip": True, "rstrip": True, "special": True, "normalized": False},
    "naïve é": {"normalized": True},
    "été": {"normalized": False, "single_word": True, "lstrip": True},
    "  ": {"normalized": False},
    "import": {"normalized": True},
    "中": {"normalized": False},
}


HARD_PIECES = ["'S", "²", "é", "e\u0301", "\u200d", "_", "ll", "!!", " \n", "漢字", "ー", "１"]


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


def inserting(rng: random.Random, text: str, pieces: Sequence[str]) -> str:
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        at = rng.randrange(len(text) + 1)
        piece = rng.choice(pieces)
        text = (
            text[:at] + rng.choice(["", "", " ", "  ", "\n", "a"]) + piece + rng.choice(["", " "]) + text[at:]
        )
    return text


def _changed(tokenizer: Any, **parts: Any) -> Any:
    for name, value in parts.items():
        setattr(tokenizer, name, value)
    return tokenizer


def plain(pattern: Any = None, **options: Any) -> Callable[[int, int], Peer]:
    return lambda seed, size: Peer(
        make.trained(make.byte_level(pattern), size, seed, **options), [make.SPECIAL]
    )


def normalizing(pattern: Any) -> Callable[[int, int], Peer]:
    def build(seed: int, size: int) -> Peer:
        from tokenizers import normalizers

        tokenizer = make.trained(make.byte_level(pattern), size, seed)
        inserted = [
            "e\u0301",
            "\u0cc6\u0cc2\u0cd5",
            "가",
            "\u1100\u1161",
            "\u1100\u1161\u11a8",
            "ﬁ",
            "Å",
            "\u212b",
            "q\u0307\u0323",
            make.SPECIAL,
        ]
        return Peer(_changed(tokenizer, normalizer=normalizers.NFC()), inserted)

    return build


def prefix_space(seed: int, size: int) -> Peer:
    return Peer(make.trained(make.byte_level(prefix_space=True), size, seed), [make.SPECIAL])


def digits(individual: bool, space: bool = False) -> Callable[[int, int], Peer]:
    def build(seed: int, size: int) -> Peer:
        from tokenizers import pre_tokenizers

        steps = [pre_tokenizers.Digits(individual), make.byte_level(prefix_space=space)]
        return Peer(make.trained(pre_tokenizers.Sequence(steps), size, seed))

    return build


def added(normalizes: bool) -> Callable[[int, int], Peer]:
    """Added tokens with every flag, of which one begins with another."""

    def build(seed: int, size: int) -> Peer:
        from tokenizers import AddedToken, normalizers

        tokenizer = make.trained(make.byte_level(), size, seed)
        if normalizes:
            tokenizer.normalizer = normalizers.NFC()
        for content, flags in ADDED.items():
            tokenizer.add_tokens([AddedToken(content, **flags)])
        return Peer(tokenizer, [*ADDED, make.SPECIAL])

    return build


def template(seed: int, size: int) -> Peer:
    from tokenizers import processors

    tokenizer = make.trained(make.byte_level(make.LLAMA3), size, seed, ignore_merges=True)
    tokenizer.add_special_tokens(["<s>", "</s>"])
    s, e = tokenizer.token_to_id("<s>"), tokenizer.token_to_id("</s>")
    around = processors.TemplateProcessing(
        single="<s> <s> $A </s>",
        pair="<s> $A </s> <s>:1 $B:1 </s>:1",
        special_tokens=[("<s>", s), ("</s>", e)],
    )
    steps = processors.Sequence([processors.ByteLevel(trim_offsets=False), around])
    return Peer(_changed(tokenizer, post_processor=steps), ["<s>"])


def roberta(seed: int, size: int) -> Peer:
    from tokenizers import processors

    tokenizer = make.trained(make.byte_level(prefix_space=True), size, seed)
    tokenizer.add_special_tokens(["<s>", "</s>"])
    pair = [(t, tokenizer.token_to_id(t)) for t in ("</s>", "<s>")]
    tokenizer.post_processor = processors.RobertaProcessing(*pair, trim_offsets=False)
    return Peer(tokenizer, ["<s>"])


def some_bytes(unknown: bool) -> Callable[[int, int], Peer]:
    """A model without tokens of all bytes: the others vanish, or become the unknown token."""

    def build(seed: int, size: int) -> Peer:
        from tokenizers import Tokenizer, decoders, models, trainers

        tokenizer = Tokenizer(models.BPE(unk_token="<unk>" if unknown else None))
        tokenizer.pre_tokenizer, tokenizer.decoder = make.byte_level(), decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size, show_progress=False, special_tokens=["<unk>"] if unknown else []
        )
        tokenizer.train_from_iterator(make.code(random.Random(seed), 300), trainer)
        return Peer(tokenizer)

    return build


def shuffled_merges(seed: int, size: int) -> Peer:
    """Merges in another order than that of training, some of them listed twice."""
    import json

    from tokenizers import Tokenizer

    tokenizer = make.trained(make.byte_level(), size, seed)
    found = json.loads(tokenizer.to_str())
    merges = found["model"]["merges"]
    rng = random.Random(seed)
    merges += rng.sample(merges, len(merges) // 10)
    rng.shuffle(merges)
    return Peer(Tokenizer.from_str(json.dumps(found)))


def tiktoken_of(pattern: str) -> Callable[[int, int], Peer]:
    """Ranks as `tokenizers` trained them, since `tiktoken` trains only slowly."""

    def build(seed: int, size: int) -> Peer:
        import tiktoken

        from torch_stringops.subword._bytelevel import from_alphabet

        vocab = make.trained(make.byte_level(pattern.replace("{1,3}+", "{1,3}")), size, seed).get_vocab(False)
        tokens = [from_alphabet(token) for token, _ in sorted(vocab.items(), key=lambda item: item[1])]
        ranks = {token: rank for rank, token in enumerate(t for t in tokens if t != make.SPECIAL.encode())}
        special = {make.SPECIAL: len(ranks), "<|fim|>": len(ranks) + 3}
        encoding = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
        return Tiktoken(encoding, list(special))

    return build


def sequence(steps: Callable[[], list[Any]]) -> Callable[[int, int], Peer]:
    """Byte-level BPE after other pre-tokenizers."""

    def build(seed: int, size: int) -> Peer:
        from tokenizers import pre_tokenizers

        last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=bool(seed % 2))
        return Peer(make.trained(pre_tokenizers.Sequence([*steps(), last]), size, seed), HARD_PIECES)

    return build


def pattern_steps() -> list[Any]:
    from tokenizers import Regex, pre_tokenizers

    return [
        pre_tokenizers.Split(Regex(r"[\p{Han}\p{Hiragana}]+|[^\w\s]+?(?!\S)"), "merged_with_next"),
        pre_tokenizers.Split(Regex(r"(?i:'s|'re)|[\p{Ll}&&[^q-z]]{2,}+|^\s"), "contiguous", invert=True),
    ]


def character_steps() -> list[Any]:
    from tokenizers import pre_tokenizers

    return [
        pre_tokenizers.Punctuation("merged_with_previous"),
        pre_tokenizers.CharDelimiterSplit("_"),
        pre_tokenizers.Split("ll", "contiguous", invert=True),
        pre_tokenizers.FixedLength(12),
    ]


def word_pieces_of_words(seed: int, size: int) -> Peer:
    """WordPiece with other steps than BERT's."""
    from tokenizers import normalizers, pre_tokenizers

    tokenizer = subword_wordpiece.trained(size, seed)
    steps = [normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits()])
    return Peer(tokenizer, HARD_PIECES)


def word_pieces(adds_tokens: bool = False, **options: Any) -> Callable[[int, int], Peer]:
    def build(seed: int, size: int) -> Peer:
        tokenizer = subword_wordpiece.trained(size, seed, **options)
        inserted = [
            "[MASK]",
            "##ing",
            "é",
            "e\u0301\u0327",
            "\u302e\u0301",
            "가",
            "\uf900",
            "İ",
            "ΑΣ",
            "\x00",
            "don't",
        ]
        if adds_tokens:
            inserted += ["NEW", "new", "Été", "été", "Foo Bar", "foo bar", "中文"]
            tokenizer = subword_wordpiece.with_added(tokenizer)
        return Peer(tokenizer, inserted)

    return build


# Name -> the peer of a seed and a number of tokens.
PEERS: dict[str, Callable[[int, int], Peer]] = {
    "gpt2": plain(),
    "gpt2 as a pattern": plain(make.GPT2),
    "llama3": plain(make.LLAMA3),
    "llama3, ignore_merges": plain(make.LLAMA3, ignore_merges=True),
    "qwen2": plain(make.QWEN2),
    "qwen2, NFC": normalizing(make.QWEN2),
    "qwen3.5, NFC": normalizing(make.QWEN3_5),
    "seed-coder": plain(make.SEED_CODER),
    "o200k": plain(make.O200K),
    "o200k, ignore_merges": plain(make.O200K, ignore_merges=True),
    "tekken": plain(make.TEKKEN),
    "deepseek": plain(make.DEEPSEEK),
    "prefix space": prefix_space,
    "digits": digits(False),
    "digits, prefix space": digits(True, True),
    "single digits": digits(True),
    "added tokens": added(False),
    "added tokens, NFC": added(True),
    "template": template,
    "roberta": roberta,
    "some bytes": some_bytes(False),
    "some bytes, unknown token": some_bytes(True),
    "shuffled merges": shuffled_merges,
    "other patterns": sequence(pattern_steps),
    "punctuation, fixed length": sequence(character_steps),
    "wordpiece, words": word_pieces_of_words,
    "wordpiece, uncased": word_pieces(),
    "wordpiece, cased": word_pieces(lowercase=False),
    "wordpiece, accents": word_pieces(strip_accents=False, handle_chinese_chars=False),
    "wordpiece, no accents, short words": word_pieces(
        strip_accents=True, clean_text=False, lowercase=False, max_characters=12
    ),
    "wordpiece, added tokens": word_pieces(adds_tokens=True),
    **{
        name: lambda seed, size, make=make: Peer(*make(seed, size))
        for name, make in [*subword_characters.KINDS.items(), *subword_suffix.KINDS.items()]
    },
    **{
        name: lambda seed, size, name=name: Peer(*subword_unigram.KINDS[name](seed, size))
        for name in subword_unigram.KINDS
    },
    **{
        name: lambda seed, size, name=name: SentencePiece(subword_unigram.MODELS[name](seed, size))
        for name in subword_unigram.MODELS
    },
    "tiktoken r50k": tiktoken_of(make.TIKTOKEN_R50K),
    "tiktoken cl100k, old": tiktoken_of(make.TIKTOKEN_CL100K_OLD),
    "tiktoken cl100k": tiktoken_of(make.TIKTOKEN_CL100K),
    "tiktoken o200k": tiktoken_of(make.O200K),
    "tiktoken, another pattern": tiktoken_of(r"[^\s\p{L}]?\p{L}+\d{1,3}+|[\w&&\D]+|\S(?!\s)|^\s+$"),
}

# Those whose spans differ: of inserted, changed and vanished characters, they are another choice.
OTHER_SPANS = {
    "qwen2, NFC",
    "qwen3.5, NFC",
    "added tokens, NFC",
    "some bytes",
    "normalizers",
    "clip",
    "no unknown token",
    "unigram, NFKC",
    "sentencepiece unigram, bytes",
    "sentencepiece bpe, bytes",
    *(name for name in PEERS if "tiktoken" in name),
}


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
