"""Tokenizers of every kind that is supported, with what `tokenizers` or `tiktoken` gives for a text."""

import random
from collections.abc import Callable
from typing import Any

from support import published_patterns as published
from support import subword as make
from support import subword_characters, subword_suffix, subword_unigram, subword_wordpiece
from support.subword_peer import Peer, SentencePiece, Tiktoken

# Contents of added tokens, and their flags.
ADDED = {
    "<|im_start|>": {"special": True, "normalized": False}, "<|im|>": {"special": True, "normalized": False},
    "<|im": {"normalized": False}, "<word>": {"single_word": True, "normalized": False},
    "doc": {"single_word": True, "normalized": True}, "<left>": {"lstrip": True, "normalized": False},
    "<right>": {"rstrip": True, "normalized": True},
    "<both>": {"lstrip": True, "rstrip": True, "special": True, "normalized": False},
    "naïve é": {"normalized": True},
    "été": {"normalized": False, "single_word": True, "lstrip": True},
    "  ": {"normalized": False}, "import": {"normalized": True}, "中": {"normalized": False},
}  # fmt: skip


HARD_PIECES = ["'S", "²", "é", "e\u0301", "\u200d", "_", "ll", "!!", " \n", "漢字", "ー", "１"]


def _changed(tokenizer: Any, **parts: Any) -> Any:
    for name, value in parts.items():
        setattr(tokenizer, name, value)
    return tokenizer


def plain(pattern: Any = None, **options: Any) -> Callable[[int, int], Peer]:
    return lambda seed, size: Peer(make.trained(make.byte_level(pattern), size, seed, **options), [make.SPECIAL])


def normalizing(pattern: Any) -> Callable[[int, int], Peer]:
    def build(seed: int, size: int) -> Peer:
        from tokenizers import normalizers

        tokenizer = make.trained(make.byte_level(pattern), size, seed)
        inserted = [
            "e\u0301", "\u0cc6\u0cc2\u0cd5", "가", "\u1100\u1161", "\u1100\u1161\u11a8", "ﬁ", "Å", "\u212b",
            "q\u0307\u0323", make.SPECIAL,
        ]  # fmt: skip
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

    tokenizer = make.trained(make.byte_level(published.LLAMA3), size, seed, ignore_merges=True)
    tokenizer.add_special_tokens(["<s>", "</s>"])
    s, e = tokenizer.token_to_id("<s>"), tokenizer.token_to_id("</s>")
    around = processors.TemplateProcessing(
        single="<s> <s> $A </s>", pair="<s> $A </s> <s>:1 $B:1 </s>:1", special_tokens=[("<s>", s), ("</s>", e)]
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
        trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, special_tokens=["<unk>"] if unknown else [])
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
            "[MASK]", "##ing", "é", "e\u0301\u0327", "\u302e\u0301", "가", "\uf900", "İ", "ΑΣ", "\x00", "don't",
        ]  # fmt: skip
        if adds_tokens:
            inserted += ["NEW", "new", "Été", "été", "Foo Bar", "foo bar", "中文"]
            tokenizer = subword_wordpiece.with_added(tokenizer)
        return Peer(tokenizer, inserted)

    return build


# Name -> the peer of a seed and a number of tokens.
PEERS: dict[str, Callable[[int, int], Peer]] = {
    "gpt2": plain(),
    "gpt2 as a pattern": plain(published.GPT2),
    "llama3": plain(published.LLAMA3),
    "llama3, ignore_merges": plain(published.LLAMA3, ignore_merges=True),
    "qwen2": plain(published.QWEN2),
    "qwen2, NFC": normalizing(published.QWEN2),
    "qwen3.5, NFC": normalizing(published.QWEN3_5),
    "seed-coder": plain(published.SEED_CODER),
    "o200k": plain(published.O200K),
    "o200k, ignore_merges": plain(published.O200K, ignore_merges=True),
    "tekken": plain(published.TEKKEN),
    "deepseek": plain(published.DEEPSEEK),
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
    "tiktoken r50k": tiktoken_of(published.TIKTOKEN_R50K),
    "tiktoken cl100k, old": tiktoken_of(published.LLAMA3),
    "tiktoken cl100k": tiktoken_of(published.TIKTOKEN_CL100K),
    "tiktoken o200k": tiktoken_of(published.O200K),
    "tiktoken, another pattern": tiktoken_of(r"[^\s\p{L}]?\p{L}+\d{1,3}+|[\w&&\D]+|\S(?!\s)|^\s+$"),
}

# Those whose spans differ: of inserted, changed and vanished characters, they are another choice.
OTHER_SPANS = {
    "qwen2, NFC", "qwen3.5, NFC", "added tokens, NFC", "some bytes", "normalizers", "clip", "no unknown token",
    "unigram, NFKC", *(name for name in PEERS if "tiktoken" in name),
}  # fmt: skip
