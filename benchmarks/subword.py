"""Rows of subword tokenizers: ids of texts by trained and by published models, few strings, batches, tiers, threads."""

from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks import ours, within
from benchmarks.corpora import Corpus, from_strings
from benchmarks.measure import Comparison, Contender
from benchmarks.rows import Context, Operation, Row, Values
from benchmarks.trained import MODELS

JSON = "tokenizers gigatoken fastokens tokie kitoken"
BYTES = f"{JSON} tiktoken"
PUBLISHED = "five scripts; messages"
MODEL = "sentencepiece gigatoken kitoken"
# Model: its texts, and the libraries that read it, first the one that it was made for.
TABLE = {
    "gpt2": ("paragraphs; code; five scripts; messages; pages", BYTES),
    "llama3": ("paragraphs; code; five scripts; messages; pages", BYTES),
    "o200k": ("code; messages; log", BYTES),
    "wordpiece": ("paragraphs; messages; pages", "tokenizers tokie kitoken"),
    "unigram": ("paragraphs; messages", "tokenizers tokie kitoken"),
    "unigram model": ("paragraphs; messages", "sentencepiece kitoken"),
    "bpe model": ("short; messages", MODEL),
    **dict.fromkeys(("Llama-3", "DeepSeek-V4", "Claude 2", "T5", "Aranizer BPE"), (PUBLISHED, JSON)),
    **dict.fromkeys(("Llama-3 ranks", "Llama-4 ranks"), (PUBLISHED, "tiktoken")),
    **dict.fromkeys(("T5 model", "Mistral v3 model", "Kolors model", "Jurassic-2 model"), (PUBLISHED, MODEL)),
}


def with_model(name: str, found: Corpus, count: int | None = None) -> Values:
    if count is not None:
        found = from_strings(found.name, found.description, found.encoded[:count])
    return found, MODELS[name]


def rows_of(model: str, texts: str, peers: str) -> list[Row]:
    operation = Operation("subword_encode", peers, given=partial(with_model, model))
    return [Row(f"subword_encode/{model}, {text}", partial(operation.on, text)) for text in texts.split("; ")]


def few(count: int, context: Context) -> Comparison:
    """Calls on the same few strings, 50 of which are timed together."""
    operation = Operation("subword_encode", BYTES, given=partial(with_model, "gpt2", count=count))
    found = operation.on("short", context)
    contenders = [replace(c, calls=50) if isinstance(c, Contender) else c for c in found.contenders]
    return replace(found, title=f"{found.title}, {count} in each call", contenders=contenders)


def each_text(text: str, count: int) -> Row:
    operation = Operation(
        "encode_text", BYTES.replace("gigatoken ", ""), given=partial(with_model, "gpt2", count=count)
    )
    return Row(f"SubwordTokenizer.encode_text/{text}", partial(operation.on, text))


def batches(model: str, text: str) -> Row:
    operation = Operation("SubwordTokenizer", "transformers", given=partial(with_model, model))
    return Row(f"SubwordTokenizer/{model}, {text}", partial(operation.on, text))


def call_of(model: str, text: str, context: Context) -> tuple[Corpus, Any]:
    found = context.corpus(text)
    return found, partial(ours.operator("subword_encode"), *ours.tensors(found), MODELS[model].ours._table)


ROWS = [
    *(r for model, (texts, peers) in TABLE.items() for r in rows_of(model, texts, peers)),
    *(Row(f"subword_encode/{count} short strings", partial(few, count)) for count in (1, 32)),
    each_text("short", 1000),
    each_text("paragraphs", 100),
    each_text("messages", 1000),
    *(batches(model, text) for model, text in (("gpt2", "short"), ("wordpiece", "paragraphs"), ("gpt2", "messages"))),
    Row(
        "tiers/subword_encode, gpt2",
        within.tiers(partial(call_of, "gpt2", "paragraphs"), "subword_encode", "tokenizers", (MODELS["gpt2"],)),
    ),
    Row("threads/subword_encode, gpt2", within.threads(partial(call_of, "gpt2", "code")), all_threads=True),
]
