"""Measures what a server sees of a tokenizer: the latency of small calls, and the time of `datasets.Dataset.map`.

    python examples/serving.py tokenizer.json [--rounds 20]

It compares `tokenizers` with `torch_stringops` on one thread each. The libraries take turns of several hundred calls,
so that few calls pay for memory that the other library freed, and the machine's load is the same for all. Texts are
English, from Python's own documentation.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pydoc_data.topics import topics
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import tokenizers
import torch

import torch_stringops
from torch_stringops.transformers import Tokenizer

CALLS = 300  # of one library in a turn
WARM = 20  # calls at the beginning of a turn, which are not counted
ROWS = 50_000  # of the dataset that is mapped
MAPS = 5  # of each library, in turns
TEXT_LENGTH = 100


def texts_of(count: int) -> list[str]:
    """Texts of about 100 characters; they repeat after about 3,800."""
    words = " ".join(topics.values()).split()
    found, text = [], ""
    for word in words:
        text = f"{text} {word}" if text else word
        if len(text) >= TEXT_LENGTH:
            found.append(text)
            text = ""
    return [found[i % len(found)] for i in range(count)]


def percentiles(nanoseconds: list[int]) -> str:
    cuts = statistics.quantiles(nanoseconds, n=100)
    return f"p50 {cuts[49] / 1e3:8.1f} us, p99 {cuts[98] / 1e3:8.1f} us"


def latency(calls: dict[str, Callable[[list[str]], Any]], texts: list[str], size: int, rounds: int) -> None:
    """Prints the latency of calls on `size` texts; those of a call differ from those of the call before."""
    times: dict[str, list[int]] = {name: [] for name in calls}
    batches = [texts[i : i + size] for i in range(0, size * (CALLS + WARM), size)]
    for _ in range(rounds):
        for name, call in calls.items():
            found = []
            for batch in batches:
                began = time.perf_counter_ns()
                call(batch)
                found.append(time.perf_counter_ns() - began)
            times[name] += found[WARM:]
    for name, found in times.items():
        print(f"{size:3} texts  {name:40} {percentiles(found)}")


def map_seconds(tokenizer: Any, texts: list[str]) -> Callable[[], float]:
    """Returns a function that maps a dataset and returns the seconds."""
    import datasets

    datasets.disable_progress_bars()
    dataset = datasets.Dataset.from_dict({"text": texts})

    def encode(batch: dict[str, list[str]]) -> dict[str, list[list[int]]]:
        return {"input_ids": [encoding.ids for encoding in tokenizer.encode_batch(batch["text"])]}

    def run() -> float:
        began = time.perf_counter()
        dataset.map(encode, batched=True, keep_in_memory=True, load_from_cache_file=False)
        return time.perf_counter() - began

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", help="a tokenizer.json")
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    torch.set_num_threads(1)
    plain = tokenizers.Tokenizer.from_file(args.file)
    plain.no_padding()
    plain.no_truncation()
    ours = Tokenizer(plain)
    subword = torch_stringops.SubwordTokenizer.from_file(args.file)
    texts = texts_of(ROWS)
    assert [one.ids for one in ours.encode_batch(texts[:5000])] == [one.ids for one in plain.encode_batch(texts[:5000])]
    calls: dict[str, Callable[[list[str]], Any]] = {
        "tokenizers: encode_batch, ids": lambda batch: [one.ids for one in plain.encode_batch(batch)],
        "Tokenizer: encode_batch, ids": lambda batch: [one.ids for one in ours.encode_batch(batch)],
        "SubwordTokenizer: encode, tensors": lambda batch: subword.encode(batch),
    }
    one: dict[str, Callable[[list[str]], Any]] = {
        "tokenizers: encode, ids": lambda batch: plain.encode(batch[0]).ids,
        "Tokenizer: encode, ids": lambda batch: ours.encode(batch[0]).ids,
        "SubwordTokenizer: encode_text": lambda batch: subword.encode_text(batch[0]),
    }
    latency(one, texts, 1, args.rounds)
    latency(calls, texts, 32, args.rounds)
    runs = {"tokenizers": map_seconds(plain, texts), "Tokenizer": map_seconds(ours, texts)}
    seconds = [{name: run() for name, run in runs.items()} for _ in range(MAPS)]
    for name in runs:
        median = statistics.median(each[name] for each in seconds)
        print(f"Dataset.map of {ROWS:,} texts  {name:12} {median:6.2f} s")


if __name__ == "__main__":
    main()
