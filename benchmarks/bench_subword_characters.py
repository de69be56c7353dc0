"""subword_encode: BPE over characters with byte fallback, as in Llama-2, with vocabularies trained here."""

import json
import os
from functools import lru_cache, partial
from typing import Any

import torch_stringops as so
from benchmarks import canonical, ours, peers
from benchmarks.bench_subword import OURS, VOCABULARY, from_encodings, lines, paragraphs
from benchmarks.corpora import corpus
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row

BLANK = "\u2581"


@lru_cache(maxsize=1)
def trained() -> Any:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    tk = peers.load("tokenizers")
    tokenizer = tk.Tokenizer(tk.models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Metaspace()  # as SentencePiece, which does not cross spaces
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = tk.trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(paragraphs(corpus("W6", 0.5)).strings, trainer)
    found = json.loads(tokenizer.to_str())
    found["added_tokens"] = found["added_tokens"][:3]
    found["pre_tokenizer"] = None
    prepend = {"type": "Prepend", "prepend": BLANK}
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": BLANK}
    found["normalizer"] = {"type": "Sequence", "normalizers": [prepend, replace]}
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


def build(cut: Any, ratio: float, context: Context) -> Comparison:
    text = cut(context.corpus("W6"))
    title = f"Ids of {len(text):,} strings ({text.name}), BPE with byte fallback, {VOCABULARY:,} tokens"
    try:
        tokenizer = trained()
    except ImportError as error:
        skipped = Skipped("tokenizers", f"not installed ({error})")
        return Comparison(
            title, [skipped, *ours.memcpy(ours.num_bytes(ours.tensors(text)))], [], text.num_bytes
        )
    table = so.SubwordTokenizer.from_file(tokenizer)._table
    encode = partial(ours.operator("subword_encode"), *ours.tensors(text), table)
    batch = partial(tokenizer.encode_batch_fast, text.strings, add_special_tokens=False)
    contenders: peers.Contenders = [
        ours.contender(OURS, encode, lambda out: canonical.from_ids(*(t.numpy() for t in out))),
        Contender("tokenizers encode_batch_fast", batch, from_encodings, group="tokenizers"),
    ]
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(text), *encode()]))
    return Comparison(title, contenders, [Target(OURS, "tokenizers", ratio)], text.num_bytes)


CODE = (
    "Tokens may cross signs, so that words of code are long, and few are in the vocabulary: they are merged."
)
ROWS = [
    Row(f"subword_encode/byte fallback, {kind}", partial(build, cut, 20), reasons={"tokenizers": CODE})
    for kind, cut in (("lines", lines), ("paragraphs", paragraphs))
]
