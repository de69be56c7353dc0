"""A row is one comparison; the files `bench_<operator>.py` declare them, and this file finds them."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field

import torch_stringops
from benchmarks.corpora import Corpus, corpus
from benchmarks.measure import Comparison

# A process keeps what it frees, instead of returning large blocks to the kernel.
KEEP_MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=4294967296"}
# Why a row misses a target that it reaches with memory kept.
FRESH_PAGES = (
    "Outputs above 32 MB are allocated from the kernel in each call, which clears their pages; smaller allocations, "
    "such as the strings of peers, reuse memory of the process. memcpy into new memory shows the same step. The "
    "row with `memory kept` in its name shows the time without it."
)


@dataclass(frozen=True)
class Context:
    """What a row may depend on."""

    scale: float = 1.0  # of the workloads' sizes; 1 is what the targets speak of
    cpus: tuple[int, ...] = (0,)  # that this process may use; the first is the one that rows are pinned to
    threads: int = 1
    tier: str = field(default_factory=torch_stringops.simd_tier)

    def corpus(self, name: str) -> Corpus:
        return corpus(name, self.scale)


@dataclass(frozen=True)
class Row:
    """`build` makes the inputs and times nothing.

    The process must be started with `environment`; with `all_threads`, for as many threads as there are cores.
    `reasons` says why a target is missed where it is, by our contender's name or by the peer's.
    """

    name: str
    build: Callable[[Context], Comparison]
    environment: dict[str, str] = field(default_factory=dict)
    all_threads: bool = False
    reasons: dict[str, str] = field(default_factory=dict)


def discover() -> dict[str, Row]:
    """All rows by name, in the order of the files' names."""
    import benchmarks

    rows: dict[str, Row] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__)):
        if module.startswith("bench_"):
            for row in importlib.import_module(f"benchmarks.{module}").ROWS:
                if row.name in rows:
                    raise ValueError(f"benchmarks: two rows are named {row.name}")
                rows[row.name] = row
    return rows
