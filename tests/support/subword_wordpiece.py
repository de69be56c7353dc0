"""WordPiece tokenizers that `tokenizers` trains in a second."""

import random
from typing import Any

from support import subword as make

UNKNOWN = "[UNK]"
SPECIAL = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"]


def trained(size: int, seed: int, max_characters: int = 100, **steps: Any) -> Any:
    """A tokenizer of BERT. `steps` are arguments of BertNormalizer."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN, max_input_chars_per_word=max_characters))
    tokenizer.normalizer = normalizers.BertNormalizer(**steps)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=bool(seed % 2))
    trainer = trainers.WordPieceTrainer(vocab_size=size, show_progress=False, special_tokens=SPECIAL)
    rng = random.Random(seed)
    tokenizer.train_from_iterator([*make.code(rng, 300), *make.SENTENCES * 3], trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def with_added(tokenizer: Any) -> Any:
    """Added tokens that the normalizer changes, and some that stand where words do."""
    from tokenizers import AddedToken

    for content, flags in {
        "NEW": {},
        "Été": {"single_word": True},
        "Foo Bar": {"lstrip": True},
        "##ing": {"rstrip": True},
        "中文": {"normalized": False},
    }.items():
        tokenizer.add_tokens([AddedToken(content, **flags)])
    return tokenizer
