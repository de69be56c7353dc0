"""subword_encode: byte-level BPE and WordPiece, with vocabularies that `tokenizers` trains here."""

from functools import partial

import torch_stringops as so
from benchmarks import ours
from benchmarks.measure import Comparison, Skipped
from benchmarks.peers import subword as libraries
from benchmarks.rows import Context, Row
from benchmarks.subword import PATTERNS, VOCABULARY, comparison, ranks_of, text_of, trained

TITLES = {
    "gpt2": "Byte-level BPE, pattern of GPT-2",
    "llama3": "Byte-level BPE, pattern of Llama-3",
    "o200k": "Byte-level BPE, pattern of o200k",
    "wordpiece": "WordPiece, uncased",
    "byte fallback": "BPE over characters with byte fallback, as Llama-2",
}


def build(model: str, kind: str, targets: dict[str, float | None], context: Context) -> Comparison:
    text = text_of(context, kind)
    try:
        tokenizer = trained(model)
    except ImportError as error:
        skipped = Skipped("tokenizers", f"not installed ({error})")
        memcpy = ours.memcpy(ours.num_bytes(ours.tensors(text)))
        return Comparison(TITLES[model], [skipped, *memcpy], [], text.num_bytes)
    file = tokenizer.to_str()
    others = [*libraries.tokie_ids(file, text), *libraries.kitoken_ids(file, text)]
    if model != "wordpiece":
        others = [*libraries.gigatoken_ids(file, text), *others]
    if model in PATTERNS:
        others += libraries.tiktoken_ids(ranks_of(tokenizer), PATTERNS[model], text)
        others += libraries.fastokens_ids(file, text)
    if model == "llama3":
        others += libraries.quicktok_ids(file, text)
    title = f"Ids by {TITLES[model]}, {VOCABULARY:,} tokens"
    reference = libraries.tokenizers_ids(tokenizer, text)
    return comparison(title, text, so.SubwordTokenizer.from_file(tokenizer), reference, others, targets)


BYTE_LEVEL: dict[str, dict[str, float | None]] = {
    "short": {"tokenizers": 70, "tiktoken": 12, "gigatoken": 1, "fastokens": 1},
    "paragraphs": {"tokenizers": 50, "tiktoken": 11, "gigatoken": None, "gigatoken, first call": None},
    "code": {"tiktoken": 6, "gigatoken": None, "gigatoken, first call": None},
    "five scripts": {"tiktoken": 3, "gigatoken": None},
}
WORD_PIECE: dict[str, float | None] = {"tokenizers": 20, "tokie": 3}
CHARACTERS: dict[str, float | None] = {"tokenizers": 20, "gigatoken": 2}
MERGES = (
    "A word that is no token is merged once in each call; no word stays known between calls, as it does in the caches "
    "of peers."
)
REASONS = {
    "wordpiece": {},
    "byte fallback": dict.fromkeys(CHARACTERS, MERGES),
}
ROWS = [
    Row(
        f"subword_encode/{model}, {kind}",
        partial(build, model, kind, targets),
        reasons=REASONS.get(model, dict.fromkeys(targets, MERGES)),
    )
    for model, kinds in (
        ("gpt2", BYTE_LEVEL),
        ("llama3", BYTE_LEVEL),
        ("o200k", {kind: BYTE_LEVEL[kind] for kind in ("short", "code")}),
        ("wordpiece", dict.fromkeys(("short", "paragraphs"), WORD_PIECE)),
        ("byte fallback", dict.fromkeys(("short", "paragraphs", "code"), CHARACTERS)),
    )
    for kind, targets in kinds.items()
]
