"""Batches of text from the two workers of a DataLoader, in shuffled order, compared with other datasets.

A worker and the process that reads take turns, so the rows use all cores and measure wall-clock time.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from torch.utils.data import DataLoader, Dataset

from benchmarks import canonical, ours, peers
from benchmarks.bench_lists import from_tensor
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops.data import ColumnDataset

WORKERS = 2
MAX_BATCHES = 200
DATASET = "ours, ColumnDataset"
LIST = "list[str]"


class ListDataset(Dataset[str]):
    def __init__(self, strings: list[str]) -> None:
        self.strings = strings

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, index: int) -> str:
        return self.strings[index]


def epoch(dataset: Any, batch_size: int, order: Sequence[int]) -> Any:
    """A call that reads all batches. The workers live on between calls."""
    loader = DataLoader(
        dataset, batch_size, sampler=order, num_workers=WORKERS, persistent_workers=True, prefetch_factor=4
    )
    return partial(list, loader)


def of_tensors(batches: list[Any]) -> canonical.Ragged:
    return canonical.joined(from_tensor(text) for (text,) in batches)


def of_lists(batches: list[Any]) -> canonical.Ragged:
    return canonical.joined(map(canonical.from_strings, batches))


@peers.needs("datasets")
def hugging_face(strings: list[str], batch_size: int, order: Sequence[int]) -> peers.Contenders:
    dataset = peers.load("datasets").Dataset.from_dict({"text": strings})
    call = epoch(dataset, batch_size, order)
    return [Contender("datasets", call, lambda batches: of_lists([batch["text"] for batch in batches]))]


def build(batch_size: int, context: Context) -> Comparison:
    title = f"Batches of {batch_size:,} strings from {WORKERS} workers of a DataLoader"
    if len(context.cpus) < 2:
        return Comparison(f"{title} (this process has one core)")
    corpus = context.corpus("W1")
    order = np.random.default_rng(0).permutation(len(corpus)).tolist()[: MAX_BATCHES * batch_size]
    contenders: peers.Contenders = [
        ours.contender(
            DATASET, epoch(ColumnDataset(ours.string_tensor(corpus)), batch_size, order), of_tensors
        ),
        Contender(LIST, epoch(ListDataset(corpus.strings), batch_size, order), of_lists),
        *hugging_face(corpus.strings, batch_size, order),
    ]
    contenders += ours.memcpy(2 * corpus.num_bytes * len(order) // len(corpus))
    return Comparison(
        f"{title}. W1: {len(order):,} of {len(corpus):,} {corpus.description}; wall clock",
        contenders,
        [Target(DATASET, LIST, 1), Target(DATASET, "datasets", 1)],
        cpus=len(context.cpus),
    )


LISTS = (
    "A list of few strings is passed on as it is. Strings of a tensor are copied to a message, validated, and made "
    "tensors: calls of torch in processes that have just been woken, whose caches are cold."
)
ROWS = [
    Row(f"dataloader/batch {size}", partial(build, size), all_threads=True, reasons={LIST: LISTS})
    for size in (32, 256, 2048)
]
