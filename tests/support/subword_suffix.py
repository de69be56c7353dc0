"""BPE whose tokens say where they are in a word, which `tokenizers` trains in a second: CLIP, OpenAI-GPT, Herbert."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from support import subword as make

CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
INSERTED = ["<|startoftext|>", "<|endoftext|>", "</w>", "a</w>", "##a", "I'm", "!!'s", "  ", "é", "İ"]

Made = tuple[Any, Sequence[str]]


def _trained(tokenizer: Any, size: int, seed: int, special: Sequence[str], **options: Any) -> Any:
    from tokenizers import trainers

    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, special_tokens=[*special], **options)
    rng = random.Random(seed)
    tokenizer.train_from_iterator([*make.natural(rng, 300), *make.code(rng, 300)], trainer)
    return tokenizer


def clip(seed: int, size: int) -> Made:
    import json

    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    ends = ["<|startoftext|>", "<|endoftext|>"]
    tokenizer = Tokenizer(models.BPE(unk_token=ends[1], end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(CLIP), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    _trained(tokenizer, size, seed, ends, end_of_word_suffix="</w>", initial_alphabet=alphabet)
    found = json.loads(tokenizer.to_str())
    vocab = found["model"]["vocab"]
    for character in alphabet:
        for token in (character, character + "</w>"):
            vocab.setdefault(token, len(vocab))
    tokenizer = Tokenizer.from_str(json.dumps(found))
    pairs = [(name, tokenizer.token_to_id(name)) for name in ends]
    tokenizer.post_processor = processors.RobertaProcessing(
        pairs[1], pairs[0], trim_offsets=False, add_prefix_space=False
    )
    return tokenizer, INSERTED


def words(prefix: str = "", fuse: bool = False, **steps: Any) -> Callable[[int, int], Made]:
    def build(seed: int, size: int) -> Made:
        from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

        affixes = {"end_of_word_suffix": "</w>"} | ({"continuing_subword_prefix": prefix} if prefix else {})
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=fuse, **affixes))
        tokenizer.normalizer = normalizers.BertNormalizer(**steps)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
        _trained(tokenizer, size, seed, ["<unk>", "<s>"], limit_alphabet=150, **affixes)
        return tokenizer, [*INSERTED, "<s>", "<unk>"]

    return build


KINDS: dict[str, Callable[[int, int], Made]] = {
    "clip": clip,
    "openai-gpt": words(),
    "herbert": words(lowercase=False, strip_accents=False),
    "suffix and prefix": words("##", True),
}
