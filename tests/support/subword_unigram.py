"""Unigram tokenizers that `tokenizers` and `sentencepiece` train in a second."""

import io
import random
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from support import subword as make

SPACE = "\u2581"
SPECIAL = ["<pad>", "</s>", "<unk>"]

# What a seed and a size give: a tokenizer, and pieces that texts get at random places.
Kind = Callable[[int, int], tuple[Any, list[str]]]
INSERTED = [
    "</s>", "<unk>", "e\u0301", "ﬁ", "½", "\u200b", "\u3000", "``", " \u2581", "Å\u0323", "\u0600a", "<0x41>",
]  # fmt: skip


def corpus(seed: int) -> list[str]:
    rng = random.Random(seed)
    texts = [*make.natural(rng, 200), *make.code(rng, 200), *make.SENTENCES]
    return [line for text in texts for line in text.split("\n") if line.strip()]


@cache
def model(seed: int, size: int, kind: str = "unigram", **options: Any) -> bytes:
    """A .model file of SentencePiece, of at most `size` pieces."""
    import sentencepiece

    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus(seed)),
        model_writer=file,
        model_type=kind,
        vocab_size=size,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
        **options,
    )
    return file.getvalue()


@cache
def charsmap(rules: str = "nmt_nfkc") -> bytes:
    """The rules that SentencePiece puts into models."""
    from torch_stringops.subword._sentencepiece import parse_model

    return parse_model("charsmap", model(0, 500, normalization_rule_name=rules)).charsmap


def trained(size: int, seed: int, normalizer: Any, pre_tokenizer: Any, byte_fallback: bool = False) -> Any:
    """A tokenizer that `tokenizers` trains. The ids of SPECIAL are 0 to 2."""
    from tokenizers import Tokenizer, decoders, models, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, show_progress=False, special_tokens=SPECIAL, unk_token="<unk>", shrinking_factor=0.5
    )
    tokenizer.train_from_iterator(corpus(seed), trainer)
    return tokenizer if not byte_fallback else with_bytes(tokenizer)


def with_bytes(tokenizer: Any) -> Any:
    """The same with tokens of bytes, but for one of them."""
    import json

    from tokenizers import Tokenizer, decoders

    found = json.loads(tokenizer.to_str())
    found["model"]["byte_fallback"] = True
    found["model"]["vocab"] += [[f"<0x{byte:02X}>", -30.0] for byte in range(256) if byte != 0xE4]
    tokenizer = Tokenizer.from_str(json.dumps(found))
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    return tokenizer


def with_single_scores(kind: Kind) -> Kind:
    """With scores that are float32, as those of converted models of SentencePiece."""

    def build(seed: int, size: int) -> tuple[Any, list[str]]:
        import json

        from tokenizers import models

        tokenizer, inserted = kind(seed, size)
        found = json.loads(tokenizer.to_str())["model"]
        vocab = [(piece, struct.unpack("<f", struct.pack("<f", score))[0]) for piece, score in found["vocab"]]
        # Not from JSON, of which `tokenizers` reads numbers with an error of a bit.
        tokenizer.model = models.Unigram(vocab, found["unk_id"], found["byte_fallback"])
        return tokenizer, inserted

    return build


def _t5(byte_fallback: bool = False) -> Kind:
    """Words between whitespace, as T5 and XLM-R."""

    def build(seed: int, size: int) -> tuple[Any, list[str]]:
        from tokenizers import normalizers, pre_tokenizers

        steps = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        rules = normalizers.Precompiled(charsmap())
        return trained(size, seed, rules, pre_tokenizers.Sequence(steps), byte_fallback), INSERTED

    return build


def _converted(scheme: str, split: bool, by: str) -> Kind:
    """As conversions of models of SentencePiece write it."""

    def build(seed: int, size: int) -> tuple[Any, list[str]]:
        from tokenizers import Regex, normalizers, pre_tokenizers

        steps = [
            normalizers.Precompiled(charsmap()),
            normalizers.Strip(left=False, right=True),
            normalizers.Replace(Regex(" {2,}"), by),
        ]
        metaspace = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
        return trained(size, seed, normalizers.Sequence(steps), metaspace), INSERTED

    return build


def _lower(seed: int, size: int) -> tuple[Any, list[str]]:
    """Other steps before the rules, as ALBERT."""
    from tokenizers import normalizers, pre_tokenizers

    steps = [
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", '"'),
        normalizers.Lowercase(),
        normalizers.Precompiled(charsmap("nmt_nfkc_cf")),
    ]
    return trained(size, seed, normalizers.Sequence(steps), pre_tokenizers.Metaspace()), INSERTED


DECOMPOSED = [
    "\u0344x\u0323", "\uac01", "q\u0307\u0323\u0334", "\u0301a", "ﷺ", "x\u0e48\u0e38", "\u3099", "①", "Ǆ", "İ",
    "\u1e9b\u0323", "\u20dd", "कि", "\x7f\x1b", "\ufeff",
]  # fmt: skip


def _decomposing(*names: str, precompiled: bool = True) -> Kind:
    """The steps of ALBERT and XLNet."""

    def build(seed: int, size: int) -> tuple[Any, list[str]]:
        from tokenizers import Regex, normalizers, pre_tokenizers

        steps = [
            normalizers.Replace("``", '"'),
            normalizers.Replace("''", '"'),
            *(getattr(normalizers, name)() for name in names),
            *([normalizers.Precompiled(charsmap())] if precompiled else []),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
        tokenizer = trained(size, seed, normalizers.Sequence(steps), pre_tokenizers.Metaspace())
        return tokenizer, [*INSERTED, *DECOMPOSED]

    return build


def _no_steps(seed: int, size: int) -> tuple[Any, list[str]]:
    """One piece a text, so that pieces may have spaces inside."""
    from tokenizers import normalizers, pre_tokenizers

    replace = normalizers.Replace(" ", SPACE)
    return trained(size, seed, replace, pre_tokenizers.Metaspace(prepend_scheme="never", split=False)), INSERTED


def _from_sentencepiece(seed: int, size: int) -> tuple[Any, list[str]]:
    """A model of SentencePiece with the rules of `tokenizers`, and added tokens of every kind."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

    from torch_stringops.subword._sentencepiece import parse_model

    found = parse_model("model", model(seed, size))
    vocab = list(zip(found.texts.tolist(), found.scores.tolist(), strict=True))
    tokenizer = Tokenizer(models.Unigram(vocab, 0, False))
    tokenizer.normalizer = normalizers.Precompiled(found.charsmap)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    added = {"<mask>": {"lstrip": True, "normalized": False}, "ﬁ x": {"normalized": True}, "Ⅸ": {"single_word": True}}
    for content, flags in added.items():
        tokenizer.add_tokens([AddedToken(content, **flags)])
    return tokenizer, [*INSERTED, *added, "IX", "fi x"]


def _classes(seed: int, size: int) -> tuple[Any, list[str]]:
    """Classes that a normalizer replaces, and a decoder that replaces after bytes are put together."""
    from tokenizers import Regex, decoders, normalizers, pre_tokenizers

    steps = [normalizers.Replace(Regex("[\u00ad\u200b-\u200d\ufeff]"), ""), normalizers.Replace(Regex(r"\p{Zs}"), " ")]
    tokenizer = trained(size, seed, normalizers.Sequence(steps), pre_tokenizers.Metaspace(), byte_fallback=True)
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Fuse(), decoders.Replace("é", " "), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer, [*INSERTED, "é", "éé", "\u00ad", "a\u200d\u0301", "\u2003", "\u3000"]


KINDS: dict[str, Kind] = {
    "unigram, classes": _classes, "unigram, T5": _t5(), "unigram, T5, bytes": _t5(byte_fallback=True),
    "unigram, converted": _converted("always", True, SPACE), "unigram, T5, float32": with_single_scores(_t5()),
    "unigram, T5, bytes, float32": with_single_scores(_t5(byte_fallback=True)),
    "unigram, converted, float32": with_single_scores(_converted("always", True, SPACE)),
    "unigram, first": _converted("first", True, " "),
    "unigram, never, no split": _converted("never", False, " "),
    "unigram, lower": _lower,
    "unigram, ALBERT": _decomposing("NFKD", "StripAccents", "Lowercase"),
    "unigram, XLNet": _decomposing("NFKD", "StripAccents"), "unigram, NFD": _decomposing("NFD", precompiled=False),
    "unigram, NFKD": _decomposing("NFKD", precompiled=False),
    "unigram, NFKC": _decomposing("Nmt", "NFKC", precompiled=False),
    "unigram, Nmt": _decomposing("Nmt", "StripAccents", "NFD", "StripAccents", precompiled=False),
    "unigram, no steps": _no_steps, "unigram, from SentencePiece": _from_sentencepiece,
}  # fmt: skip


def _sentencepiece(kind: str, **options: Any) -> Callable[[int, int], bytes]:
    def build(seed: int, size: int) -> bytes:
        return model(seed, max(size, 500) + 300, kind, **options)

    return build


_USER = ("def", "<sep>", "ab c", "é", "xyz")
_PLAIN = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}

# What a seed and a size give: a .model file.
MODELS = {
    f"sentencepiece {kind}{name}": _sentencepiece(kind, **options)
    for kind in ("unigram", "bpe")
    for name, options in {
        "": {},
        ", bytes": {"byte_fallback": True},
        ", all spaces": _PLAIN,
        ", no prefix, user's pieces": {"add_dummy_prefix": False, "user_defined_symbols": _USER},
        ", suffix": {"treat_whitespace_as_suffix": True, "normalization_rule_name": "nmt_nfkc_cf"},
    }.items()
}
