"""Subword tokenizers in small calls, in whole batches for a model, on CPU tiers and on two threads."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import torch_stringops as so
from benchmarks import ours, peers
from benchmarks.bench_threads import on
from benchmarks.corpora import Corpus, from_strings
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.peers import subword as libraries
from benchmarks.rows import Context, Row
from benchmarks.subword import GPT2, comparison, excused, own, ranks_of, text_of, trained

CALLS = 50
PAD = "[PAD]"


def missing(error: ImportError) -> Comparison:
    return Comparison("Ids", [Skipped("tokenizers", f"not installed ({error})"), *ours.memcpy(1024)])


def build_small(count: int, context: Context) -> Comparison:
    """Calls on the same few strings."""
    source = text_of(context, "short")
    text = from_strings("batch", f"short strings a call, {CALLS} calls", source.encoded[:count])
    try:
        tokenizer = trained("gpt2")
    except ImportError as error:
        return missing(error)
    file = tokenizer.to_str()
    others = [
        *libraries.gigatoken_ids(file, text, CALLS, first=False),
        *libraries.fastokens_ids(file, text, CALLS),
        *libraries.tokie_ids(file, text, CALLS),
        *libraries.kitoken_ids(file, text, CALLS),
        *libraries.tiktoken_ids(ranks_of(tokenizer), GPT2, text, CALLS),
    ]
    wanted: dict[str, float | None] = dict.fromkeys(
        ("tokenizers", "gigatoken", "fastokens", "tokie", "kitoken", "tiktoken"), 1
    )
    return comparison(
        "Byte-level BPE, pattern of GPT-2",
        text,
        so.SubwordTokenizer.from_file(tokenizer),
        libraries.tokenizers_ids(tokenizer, text, CALLS),
        others,
        wanted,
        CALLS,
    )


def one_by_one(encode: Callable[[str], Any], text: Corpus) -> Callable[[], list[list[int]]]:
    """Calls with one Python string each, whose result is a list of ids."""
    strings = text.strings
    return lambda: [encode(string) for string in strings]


def build_texts(kind: str, count: int, context: Context) -> Comparison:
    source = text_of(context, kind)
    text = from_strings("texts", f"{source.description}, a call each", source.encoded[:count])
    try:
        tokenizer = trained("gpt2")
    except ImportError as error:
        return missing(error)
    file = tokenizer.to_str()
    mine = so.SubwordTokenizer.from_file(tokenizer)
    makers: dict[str, Callable[[], Callable[[str], Any]]] = {
        "tokenizers": lambda: lambda s: tokenizer.encode(s, add_special_tokens=False).ids,
        "tiktoken": lambda: (
            peers.load("tiktoken")
            .Encoding("own", pat_str=GPT2, mergeable_ranks=ranks_of(tokenizer), special_tokens={})
            .encode_ordinary
        ),
        "fastokens": lambda: libraries.fastokens_encode(file),
        "tokie": lambda: libraries.tokie_encode(file),
        "kitoken": lambda: peers.load("kitoken").Kitoken.from_tokenizers(file.encode()).encode,
    }
    wanted = ours.contender("ours, encode_text", one_by_one(mine.encode_text, text), libraries.from_lists)
    assert wanted.canonical is not None
    ids = wanted.canonical(wanted.call())
    contenders: peers.Contenders = [wanted]
    for name, make in makers.items():
        try:
            contenders.append(excused(Contender(name, one_by_one(make(), text), libraries.from_lists), ids))
        except ImportError as error:
            contenders.append(Skipped(name, f"not installed ({error})"))
    contenders += ours.memcpy(text.num_bytes)
    targets = [Target("ours, encode_text", name, 1) for name in makers]
    return Comparison(f"One text at a time: {text.description}", contenders, targets, text.num_bytes)


def padded(out: Any) -> Any:
    """Ids and mask, one after the other."""
    return np.concatenate([out["input_ids"].numpy().ravel(), out["attention_mask"].numpy().ravel()])


def build_batch(model: str, kind: str, context: Context) -> Comparison:
    """Lists of Python's strings to padded tensors."""
    text = text_of(context, kind)
    title = f"Padded batches of 64 strings, {model}: {len(text):,} {text.description}"
    try:
        tokenizer = trained(model)
        library = peers.load("transformers")
    except ImportError as error:
        return missing(error)
    fast = library.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_input_names=["input_ids", "attention_mask"]
    )
    fast.add_special_tokens({"pad_token": PAD})
    mine = so.SubwordTokenizer.from_file(fast)
    batches = [text.strings[at : at + 64] for at in range(0, len(text), 64)]
    given = [so.as_strings(batch) for batch in batches]

    def all_batches(call: Any, batches: list[Any], **options: Any) -> list[Any]:
        return [call(batch, **options) for batch in batches]

    def canonical(out: list[Any]) -> Any:
        return np.concatenate([padded(batch) for batch in out])

    name, of_tensors = "ours, SubwordTokenizer of lists", "ours, SubwordTokenizer of StringTensors"
    contenders: peers.Contenders = [
        ours.contender(name, partial(all_batches, mine, batches), canonical),
        ours.contender(of_tensors, partial(all_batches, mine, given), canonical),
        Contender(
            "transformers",
            partial(all_batches, fast, batches, padding="longest", return_tensors="pt"),
            canonical,
        ),
        *ours.memcpy(2 * text.num_bytes),
    ]
    targets = [Target(name, "transformers", 30), Target(of_tensors, "transformers")]
    return Comparison(title, contenders, targets, text.num_bytes)


def build_tiers(model: str, context: Context) -> Comparison:
    text = text_of(context, "paragraphs")
    try:
        tokenizer = trained(model)
    except ImportError as error:
        return missing(error)
    mine = own(so.SubwordTokenizer.from_file(tokenizer), text)
    assert mine.canonical is not None
    contenders: peers.Contenders = [
        ours.tier_contender(tier, f"ours, {tier}", mine.call, mine.canonical)
        for tier in ("avx512", "avx2", "scalar")
    ]
    contenders += libraries.tokenizers_ids(tokenizer, text)
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(text), *mine.call()]))
    targets = [Target(f"ours, {tier}", "tokenizers") for tier in ("avx512", "avx2", "scalar")]
    title = f"Ids by CPU tier, {model}: {len(text):,} {text.description}"
    return Comparison(title, contenders, targets, text.num_bytes)


def build_threads(model: str, context: Context) -> Comparison:
    text = text_of(context, "code")
    title = f"Ids on threads, {model}: {len(text):,} {text.description}; wall clock"
    if len(context.cpus) < 2:
        return Comparison(title, [Skipped("ours, 2 threads", "this process has one core")])
    try:
        tokenizer = trained(model)
    except ImportError as error:
        return missing(error)
    mine = own(so.SubwordTokenizer.from_file(tokenizer), text)
    assert mine.canonical is not None
    names = {1: "ours, 1 thread", 2: "ours, 2 threads"}
    contenders: peers.Contenders = [
        on(count, ours.contender(name, mine.call, mine.canonical)) for count, name in names.items()
    ]
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(text), *mine.call()]))
    return Comparison(title, contenders, [Target(names[2], names[1], 1.7)], text.num_bytes, cpus=2)


CALL = (
    "Most of a call on one string is that of torch, whose addition of two numbers takes half as long; the rest opens "
    "the table, whose values come from strangers, and allocates."
)
LISTS = (
    "Most of the time is that of copying Python's strings to tensors; the row has StringTensors beside it."
)
KEPT = (
    "fastokens keeps the ids of pieces of text between calls, which are of the same texts here; ours looks each word "
    "up in the tokenizer's table, which is larger than the cache of a core."
)
ROWS = [
    *(
        Row(
            f"SubwordTokenizer.encode_text/{kind}",
            partial(build_texts, kind, count),
            reasons={"fastokens": KEPT},
        )
        for kind, count in (("short", 1000), ("paragraphs", 100))
    ),
    *(
        Row(
            f"subword_encode/{count} short strings",
            partial(build_small, count),
            reasons=dict.fromkeys(("fastokens", "tokie", "kitoken", "tiktoken"), CALL),
        )
        for count in (1, 32)
    ),
    *(
        Row(
            f"SubwordTokenizer/{model}, {kind}",
            partial(build_batch, model, kind),
            reasons={"transformers": LISTS},
        )
        for model in ("gpt2", "wordpiece")
        for kind in ("short", "paragraphs")
    ),
    *(Row(f"tiers/subword_encode, {model}", partial(build_tiers, model)) for model in ("gpt2", "wordpiece")),
    *(
        Row(f"threads/subword_encode, {model}", partial(build_threads, model), all_threads=True)
        for model in ("gpt2", "wordpiece")
    ),
]
