"""BPE over characters that `tokenizers` trains in a second: of the form of the files of Llama-2, Mistral and Gemma."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from support import subword as make

BLANK = "\u2581"
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]

INSERTED = [
    "<s>", "</s>", "<unk>", BLANK, BLANK * 3, "  ", "   ", "<0x41>", "<0xE6>", "\t", "\n\n", " a", "\x00", "é",
]  # fmt: skip


def trained(
    size: int,
    seed: int,
    *,
    normalizer: Any = None,
    pre_tokenizer: Any = None,
    decoder: Any = None,
    special: Sequence[str] = (*SPECIAL, *BYTES),
    alphabet: int = 200,
    **model: Any,
) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    options = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True} | model
    tokenizer = Tokenizer(models.BPE(**options))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    # Words, so that training is fast, and merges are those of the files.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    rng = random.Random(seed)
    texts = [*make.natural(rng, 300), *make.code(rng, 300 + size // 10), *["    x = [1, 2]"] * 9]
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        show_progress=False,
        special_tokens=[*special],
        limit_alphabet=alphabet,
        initial_alphabet=[BLANK],
    )
    tokenizer.train_from_iterator(texts, trainer)
    found = json.loads(tokenizer.to_str())
    # Bytes are tokens of the model only.
    found["added_tokens"] = [t for t in found["added_tokens"] if not t["content"].startswith("<0x")]
    # Runs of blanks, as SentencePiece makes them.
    vocab, merges = found["model"]["vocab"], found["model"]["merges"]
    for length in (2, 4, 8):
        if BLANK * length not in vocab:
            vocab[BLANK * length] = len(vocab)
            merges.append([BLANK * (length // 2)] * 2)
    found["pre_tokenizer"] = None if pre_tokenizer is None else json.loads(pre_tokenizer.__getstate__())
    found["decoder"] = None if decoder is None else json.loads(decoder.__getstate__())
    return found


def loaded(found: dict[str, Any]) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_str(json.dumps(found))


def normalizers(*, prepend: bool = True) -> Any:
    from tokenizers import normalizers as n

    steps = [n.Prepend(BLANK)] if prepend else []
    return n.Sequence([*steps, n.Replace(" ", BLANK)])


def decoders(*, strip: bool = True) -> Any:
    from tokenizers import decoders as d

    steps = [d.Replace(BLANK, " "), d.ByteFallback(), d.Fuse()]
    return d.Sequence([*steps, d.Strip(" ", 1, 0)] if strip else steps)


def with_template(tokenizer: Any) -> Any:
    from tokenizers import processors

    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    return tokenizer


Made = tuple[Any, Sequence[str]]


def llama2(seed: int, size: int) -> Made:
    found = trained(size + 256, seed, normalizer=normalizers(), decoder=decoders())
    return with_template(loaded(found)), INSERTED


def llama2_normalized_tokens(seed: int, size: int) -> Made:
    """Added tokens that are found in normalized text, as in files of the first version."""
    found = trained(size + 256, seed, normalizer=normalizers(), decoder=decoders())
    for token in found["added_tokens"]:
        token["normalized"] = True
    return loaded(found), [*INSERTED, " <s>", "a<s>", "<s><s>"]


def metaspace(scheme: str, split: bool, **options: Any) -> Callable[[int, int], Made]:
    def build(seed: int, size: int) -> Made:
        from tokenizers import decoders as d
        from tokenizers import pre_tokenizers

        step = pre_tokenizers.Metaspace(BLANK, scheme, split)
        decoder = d.Metaspace(BLANK, scheme, split)
        return loaded(trained(size + 256, seed, pre_tokenizer=step, decoder=decoder, **options)), INSERTED

    return build


def gemma(seed: int, size: int) -> Made:
    from tokenizers import AddedToken, pre_tokenizers

    step = pre_tokenizers.Split(" ", "merged_with_previous")
    found = trained(
        size + 256, seed, normalizer=normalizers(prepend=False), pre_tokenizer=step, decoder=decoders(strip=False)
    )
    tokenizer = loaded(found)
    runs = ["\n\n", "\n\n\n", BLANK * 2, BLANK * 3, "\t\t", "<h1>", "</h1>"]
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in runs])
    return tokenizer, [*INSERTED, "<h1>", "\n\n\n\n"]


def unknown(fuse: bool, fallback: bool) -> Callable[[int, int], Made]:
    """Without tokens of bytes, or with some of them."""

    def build(seed: int, size: int) -> Made:
        special = [*SPECIAL, *(BYTES[0x60:0xE6] if fallback else [])]
        found = trained(
            size,
            seed,
            normalizer=normalizers(),
            decoder=decoders(),
            special=special,
            alphabet=80,
            fuse_unk=fuse,
            byte_fallback=fallback,
        )
        return loaded(found), INSERTED

    return build


def vanishing(seed: int, size: int) -> Made:
    """Characters that are no tokens, without an unknown token."""
    found = trained(size, seed, normalizer=normalizers(), alphabet=80, byte_fallback=False, unk_token=None)
    return loaded(found), INSERTED


def crossing(seed: int, size: int) -> Made:
    """Tokens that go on after a blank, so that text is not cut there; and merges of tokens of bytes."""
    found = trained(size + 256, seed, normalizer=normalizers(), decoder=decoders())
    vocab, merges = found["model"]["vocab"], found["model"]["merges"]
    words = [token for token in vocab if token.startswith(BLANK) and len(token) > 2][:20]
    letters = [token for token in vocab if token.isalpha() and len(token) == 1]
    rng = random.Random(seed)
    for left, right in [*((rng.choice(letters), rng.choice([BLANK, *words])) for _ in range(30))]:
        if left + right not in vocab:
            vocab[left + right] = len(vocab)
            merges.insert(rng.randrange(len(merges)), [left, right])
    vocab["<0xE6><0x97>"] = len(vocab)
    merges.append(["<0xE6>", "<0x97>"])
    return loaded(found), INSERTED


def steps(seed: int, size: int) -> Made:
    """Other normalizers, before and after that of spaces."""
    from tokenizers import Regex
    from tokenizers import normalizers as n

    normalizer = n.Sequence(
        [
            n.NFC(),
            n.Strip(left=bool(seed % 2), right=True),
            n.Lowercase(),
            n.Replace("ll", "LL~"),
            n.Replace(Regex(" {2,}"), " "),
            n.Prepend(BLANK),
            n.Replace(" ", BLANK),
        ]
    )
    return loaded(trained(size + 256, seed, normalizer=normalizer, decoder=decoders())), INSERTED


def literal(behavior: str, invert: bool, text: str = "e") -> Callable[[int, int], Made]:
    def build(seed: int, size: int) -> Made:
        from tokenizers import normalizers as n
        from tokenizers import pre_tokenizers

        step = pre_tokenizers.Split(text, behavior, invert)
        normalizer = n.Sequence([n.Replace("a", BLANK)]) if text == "ee" else normalizers()
        found = trained(size + 256, seed, normalizer=normalizer, pre_tokenizer=step, decoder=decoders())
        return loaded(found), [*INSERTED, "ee", "eee", "eeee"]

    return build


def whitespace_metaspace(seed: int, size: int) -> Made:
    from tokenizers import pre_tokenizers as p

    step = p.Sequence([p.WhitespaceSplit(), p.Metaspace(BLANK, "always" if seed % 2 else "first", True)])
    return loaded(trained(size + 256, seed, pre_tokenizer=step)), INSERTED


# Name -> the tokenizer of a seed and a size, and pieces that texts get at random places.
KINDS: dict[str, Callable[[int, int], Made]] = {
    "llama-2": llama2,
    "llama-2, normalized tokens": llama2_normalized_tokens,
    "llama-2, ignore_merges": lambda seed, size: (
        loaded(trained(size + 256, seed, normalizer=normalizers(), decoder=decoders(), ignore_merges=True)),
        INSERTED,
    ),
    "metaspace always": metaspace("always", False),
    "metaspace first": metaspace("first", False),
    "metaspace never": metaspace("never", False),
    "metaspace always, split": metaspace("always", True),
    "metaspace first, split": metaspace("first", True),
    "metaspace, ignore_merges": metaspace("always", False, ignore_merges=True),
    "gemma": gemma,
    "unknown, fused": unknown(True, False),
    "unknown": unknown(False, False),
    "unknown, some bytes": unknown(True, True),
    "unknown, some bytes, not fused": unknown(False, True),
    "no unknown token": vanishing,
    "crossing blanks": crossing,
    "normalizers": steps,
    "literal, removed": literal("removed", False),
    "literal, isolated": literal("isolated", False, "ee"),
    "literal, previous": literal("merged_with_previous", False),
    "literal, next": literal("merged_with_next", True),
    "literal, contiguous": literal("contiguous", True),
    "whitespace and metaspace": whitespace_metaspace,
}
