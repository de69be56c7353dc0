"""Splitting on each CPU tier. AVX2 has its own targets; scalar is for CPUs without AVX2 and AVX-512."""

from functools import partial

from benchmarks import ours, peers
from benchmarks.measure import Comparison, Target
from benchmarks.rows import Context, Row

TIERS = ("avx512", "avx2", "scalar")


def build(workload: str, delimiter: str, peer: str, target: float, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    split = partial(ours.operator("string_split_ragged"), data, offsets, delimiter)
    contenders: peers.Contenders = [
        ours.tier_contender(tier, f"ours, {tier}", split, ours.ragged) for tier in TIERS
    ]
    contenders += peers.pyarrow_split(corpus, delimiter, "" if delimiter else "ascii")
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *split()]))
    wanted = {"ours, avx512": None, "ours, avx2": target, "ours, scalar": None}
    title = f"Ragged split by CPU tier. {workload}: {len(corpus):,} {corpus.description}"
    return Comparison(
        title, contenders, [Target(tier, peer, r) for tier, r in wanted.items()], corpus.num_bytes
    )


REASONS = {
    "ours, scalar": "This tier is the reference implementation, written for readability, and the fallback for old CPUs."
}
ROWS = [
    Row("tiers/W1", partial(build, "W1", "", "pyarrow ascii", 3.3), reasons=REASONS),
    Row("tiers/W2", partial(build, "W2", "", "pyarrow ascii", 4), reasons=REASONS),
    Row("tiers/W4", partial(build, "W4", ",", "pyarrow", 6), reasons=REASONS),
]
