"""Small slices of a large column, like the batches of a training loop.

The same calls on compact copies show the overhead of slices. The rows use all cores, since a call might start threads
depending on the size of the whole column.
"""

from functools import partial
from typing import Any

from torch import Tensor

import torch_stringops
from benchmarks import canonical, ours, peers
from benchmarks.measure import Comparison, Target
from benchmarks.rows import Context, Row

BATCH = 64  # strings per call
SLICES = "ours, slices"
COPIES = "ours, compact copies"
PUBLIC = "ours, slice and public function"


def slices(data: Tensor, offsets: Tensor) -> list[tuple[Tensor, Tensor]]:
    return [(data, offsets[at : at + BATCH + 1]) for at in range(0, len(offsets) - 1, BATCH)]


def compact(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    return data[offsets[0] : offsets[-1]].clone(), offsets - offsets[0]


def joined(out: list[Any]) -> canonical.Ragged:
    return canonical.joined(map(ours.ragged, out))


def joined_public(out: list[Any]) -> canonical.Ragged:
    return joined([(pieces.data, pieces.offsets, row_splits) for pieces, row_splits in out])


def build(workload: str, delimiter: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    strings = ours.string_tensor(corpus)
    batches = slices(strings.data, strings.offsets)
    split = ours.operator("string_split_ragged")

    def each(batches: list[tuple[Tensor, Tensor]]) -> list[Any]:
        return [split(data, offsets, delimiter) for data, offsets in batches]

    def public() -> list[Any]:
        chunks = (strings[at : at + BATCH] for at in range(0, len(corpus), BATCH))
        return [torch_stringops.string_split_ragged(chunk, delimiter) for chunk in chunks]

    contenders: peers.Contenders = [
        ours.contender(SLICES, partial(each, batches), joined),
        ours.contender(COPIES, partial(each, [compact(*batch) for batch in batches]), joined),
        ours.contender(PUBLIC, public, joined_public),
        *peers.pyarrow_split_slices(corpus, delimiter, BATCH),
    ]
    traffic = ours.num_bytes([strings.data, strings.offsets]) + ours.num_bytes(ours.tensors_of(each(batches)))
    targets = [Target(SLICES, COPIES, at_most=1.2), Target(PUBLIC, "pyarrow")]
    title = (
        f"{BATCH} strings a call, split at `{delimiter}`. {workload}: {len(corpus):,} {corpus.description}"
    )
    return Comparison(
        f"{title}; wall clock",
        contenders + ours.memcpy(traffic),
        targets,
        corpus.num_bytes,
        cpus=len(context.cpus),
    )


ROWS = [
    Row(f"slices/{workload}", partial(build, workload, delimiter), all_threads=True)
    for workload, delimiter in {"W1": " ", "W4": ","}.items()
]
