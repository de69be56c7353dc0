"""Rows, each of which is a comparison. The modules `bench_<operator>.py` declare them."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field

import torch_stringops
from benchmarks.corpora import Corpus, corpus
from benchmarks.measure import Comparison

# The allocator keeps freed memory instead of returning large blocks to the kernel.
KEEP_MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=4294967296"}
# The reason of rows that meet a target only with memory kept.
FRESH_PAGES = (
    "Outputs above 32 MB are allocated from the kernel in each call, which clears their pages; smaller allocations, "
    "such as the strings of peers, reuse memory of the process. memcpy into new memory shows the same step. The "
    "row with `memory kept` in its name shows the time without it."
)


@dataclass(frozen=True)
class Context:
    """The options that a row may depend on."""

    scale: float = 1.0  # of the sizes of workloads; targets are defined for 1
    cpus: tuple[int, ...] = (0,)  # available to this process; rows are pinned to the first
    threads: int = 1
    tier: str = field(default_factory=torch_stringops.simd_tier)

    def corpus(self, name: str) -> Corpus:
        return corpus(name, self.scale)


@dataclass(frozen=True)
class Row:
    """A comparison. `build` creates the inputs and contenders, but does not time them.

    The process must be started with `environment`, and with `all_threads`, with as many threads as cores. `reasons` are
    the reasons of missed targets, by the name of our contender or of the peer.
    """

    name: str
    build: Callable[[Context], Comparison]
    environment: dict[str, str] = field(default_factory=dict)
    all_threads: bool = False
    reasons: dict[str, str] = field(default_factory=dict)


def discover() -> dict[str, Row]:
    """All rows by name, in the order of the names of their modules."""
    import benchmarks

    rows: dict[str, Row] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__)):
        if module.startswith("bench_"):
            for row in importlib.import_module(f"benchmarks.{module}").ROWS:
                if row.name in rows:
                    raise ValueError(f"benchmarks: two rows are named {row.name}")
                rows[row.name] = row
    return rows
