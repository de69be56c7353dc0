"""subword_encode with a pattern that no scanner knows, and with a table that has the commonest words of other text."""

from functools import lru_cache, partial
from typing import Any

import torch_stringops as so
from benchmarks import ours, peers
from benchmarks.measure import Comparison, Skipped, Target
from benchmarks.peers import subword as libraries
from benchmarks.rows import Context, Row
from benchmarks.subword import (
    OURS,
    VOCABULARY,
    comparison,
    own,
    ranks_of,
    short,
    text_of,
    trained,
    training_text,
)

_HAN = r"&&[^\p{Han}]]"
_WORD = rf"[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}{_HAN}*[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}{_HAN}+"
KIMI = (
    rf"[\p{{Han}}]+|[^\r\n\p{{L}}\p{{N}}]?{_WORD}(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?\p{Lu}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
MAX_WORDS = 30_000


@lru_cache(maxsize=1)
def with_pattern() -> Any:
    """The tokens of "gpt2", and other words."""
    tk = peers.load("tokenizers")
    tokenizer = tk.Tokenizer.from_str(trained("gpt2").to_str())
    split = tk.pre_tokenizers.Split(tk.Regex(KIMI), "isolated")
    byte_level = tk.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Sequence([split, byte_level])
    return tokenizer


def skipped(title: str, text: Any, error: ImportError) -> Comparison:
    memcpy = ours.memcpy(ours.num_bytes(ours.tensors(text)))
    return Comparison(title, [Skipped("tokenizers", f"not installed ({error})"), *memcpy], [], text.num_bytes)


def build_pattern(kind: str, context: Context) -> Comparison:
    text = text_of(context, kind)
    title = f"Ids by byte-level BPE, another pattern, {VOCABULARY:,} tokens"
    try:
        tokenizer = with_pattern()
    except ImportError as error:
        return skipped(title, text, error)
    reference = libraries.tokenizers_ids(tokenizer, text)
    others = libraries.tiktoken_ids(ranks_of(tokenizer), KIMI, text)
    targets: dict[str, float | None] = {"tokenizers": 10, "tiktoken": 2}
    return comparison(title, text, so.SubwordTokenizer.from_file(tokenizer), reference, others, targets)


def build_warm(model: str, context: Context) -> Comparison:
    text = short("English", context.scale)
    title = (
        f"Ids by {model}, {MAX_WORDS:,} words of other text in the table: {len(text):,} {text.description}"
    )
    try:
        tokenizer = trained(model)
    except ImportError as error:
        return skipped(title, text, error)
    plain, warm = (so.SubwordTokenizer.from_file(tokenizer) for _ in range(2))
    warm.warm(training_text(), MAX_WORDS)
    mine = own(warm, text)
    contenders = [mine, own(plain, text, "not warmed"), *libraries.tokenizers_ids(tokenizer, text)]
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(text), *mine.call()]))
    targets = [Target(OURS, "not warmed", 1.0), Target(OURS, "tokenizers")]
    return Comparison(title, contenders, targets, text.num_bytes)


ROWS = [
    *(
        Row(f"subword_encode/another pattern, {kind}", partial(build_pattern, kind))
        for kind in ("short", "code")
    ),
    *(
        Row(f"subword_encode/{model}, warmed", partial(build_warm, model))
        for model in ("gpt2", "byte fallback")
    ),
]
