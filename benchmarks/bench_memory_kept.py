"""Rows with large padded outputs, in a process that does not return freed memory to the kernel.

By default, the C library gets allocations above 32 MB from the kernel and returns them, so that pages are cleared in
each call; peers allocate in arenas. These rows show the time without this cost. They have no targets, since targets are
defined for the default settings.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchmarks import bench_string_split, bench_tokenizer
from benchmarks.measure import Comparison
from benchmarks.rows import KEEP_MEMORY, Context, Row

AGAIN: dict[str, Callable[[Context], Comparison]] = {
    "string_split, memory kept/W1p": partial(bench_string_split.build, "W1p"),
    "tokenizer, memory kept/characters/W1": partial(bench_tokenizer.build, "characters/W1"),
    "tokenizer, memory kept/characters/W3": partial(bench_tokenizer.build, "characters/W3"),
}


def build(default: Callable[[Context], Comparison], context: Context) -> Comparison:
    comparison = default(context)
    shown = [replace(target, at_least=None) for target in comparison.targets if target.at_most is None]
    return replace(comparison, title=f"{comparison.title}; memory kept", targets=shown)


ROWS = [Row(name, partial(build, default), KEEP_MEMORY) for name, default in AGAIN.items()]
