"""subword_encode: Unigram, and models of SentencePiece, trained here by `sentencepiece`."""

from functools import partial

import torch_stringops as so
from benchmarks import ours
from benchmarks.measure import Comparison, Skipped
from benchmarks.peers import subword as libraries
from benchmarks.rows import Context, Row
from benchmarks.subword import VOCABULARY, as_t5, comparison, text_of, trained_model

TITLES = {
    "unigram": "Unigram, as T5's tokenizer.json",
    "unigram model": "Unigram, a .model file",
    "bpe model": "BPE with byte fallback, a .model file",
}


def build(model: str, kind: str, targets: dict[str, float | None], context: Context) -> Comparison:
    text = text_of(context, kind)
    try:
        file = trained_model(model.split()[0])
        converted = as_t5()
    except ImportError as error:
        skipped = Skipped("sentencepiece", f"not installed ({error})")
        memcpy = ours.memcpy(ours.num_bytes(ours.tensors(text)))
        return Comparison(TITLES[model], [skipped, *memcpy], [], text.num_bytes)
    title = f"Ids by {TITLES[model]}, {VOCABULARY:,} tokens"
    if model == "unigram":
        tokenizer, json = so.SubwordTokenizer.from_file(converted), converted.to_str()
        reference = libraries.tokenizers_ids(converted, text)
        others = libraries.tokie_ids(json, text) + libraries.kitoken_ids(json, text)
    else:
        tokenizer = so.SubwordTokenizer.from_sentencepiece(file)
        reference = libraries.sentencepiece_ids(file, text)
        others = libraries.kitoken_ids(file, text)
        others += libraries.gigatoken_ids(file, text) if model == "bpe model" else []
    return comparison(title, text, tokenizer, reference, others, targets)


UNIGRAM: dict[str, float | None] = {"tokenizers": 40, "tokie": 2}
MODEL: dict[str, float | None] = {"sentencepiece": 6}
ROWS = [
    Row(f"subword_encode/{model}, {kind}", partial(build, model, kind, targets))
    for model, targets in (("unigram", UNIGRAM), ("unigram model", MODEL), ("bpe model", MODEL))
    for kind in ("short", "paragraphs")
]
