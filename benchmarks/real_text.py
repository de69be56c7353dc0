"""Compares operators with polars and pyarrow on the sources of the standard library: words, lines, words beyond ASCII.

    taskset -c 0 python -m benchmarks.real_text [--rounds 9] [ROW ...]

The libraries take turns, on one thread; each figure is the median of the processor time of a call. The results of the
rows are compared by the benchmarks of their operators (`make bench`).
"""

import argparse
import os
import random
import statistics
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ |= {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}

import polars
import pyarrow
import pyarrow.compute as pc
import torch

from torch_stringops import as_strings

COUNT = 200_000


def corpora() -> dict[str, list[str]]:
    """Equal numbers of strings; those of UTF-8 are words of lines with a character beyond ASCII."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))
    lines = [
        line
        for file in files
        if "site-packages" not in file.parts
        for line in file.read_text(encoding="utf-8", errors="ignore").splitlines()
    ]
    wide = [line for line in lines if not line.isascii()]
    words = [word for line in lines[: COUNT // 2] for word in line.split()]
    utf8 = [word for line in wide for word in line.split()]
    return {
        "words": words[:COUNT],
        "lines": lines[:COUNT],
        "UTF-8": random.Random(1).choices(
            utf8, k=COUNT
        ),  # drawn, as branch predictors learn texts that repeat
    }


Calls = dict[str, Callable[[], Any]]


def rows(texts: list[str]) -> dict[str, Calls]:
    s = as_strings(texts)
    other = as_strings(texts[1:] + texts[:1])
    p, q = polars.Series(texts), polars.Series(texts[1:] + texts[:1])
    a, b = pyarrow.array(texts), pyarrow.array(texts[1:] + texts[:1])
    order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(1))
    positions, indices = polars.Series(order.numpy()), pyarrow.array(order.numpy())
    return {
        "hash": {"ours": s.hash, "polars": p.hash},
        "==": {"ours": lambda: s == other, "polars": lambda: p == q, "pyarrow": lambda: pc.equal(a, b)},
        "<": {"ours": lambda: s < other, "polars": lambda: p < q, "pyarrow": lambda: pc.less(a, b)},
        "is_alpha": {"ours": s.is_alpha, "pyarrow": lambda: pc.utf8_is_alpha(a)},
        "strip": {
            "ours": s.strip,
            "polars": p.str.strip_chars,
            "pyarrow": lambda: pc.utf8_trim_whitespace(a),
        },
        "concat": {
            "ours": lambda: s + other,
            "polars": lambda: p + q,
            "pyarrow": lambda: pc.binary_join_element_wise(a, b, ""),
        },
        "x[perm]": {
            "ours": lambda: s[order],
            "polars": lambda: p.gather(positions),
            "pyarrow": lambda: a.take(indices),
        },
        "slice": {
            "ours": lambda: s.slice(1, 5),
            "polars": lambda: p.str.slice(1, 4),
            "pyarrow": lambda: pc.utf8_slice_codeunits(a, 1, 5),
        },
        "unique": {
            "ours": lambda: torch.unique(s),
            "polars": lambda: p.unique().sort(),
            "pyarrow": lambda: pc.sort_indices(pc.unique(a)),
        },
        "sort": {"ours": lambda: s.sort(), "polars": p.sort, "pyarrow": lambda: a.sort()},
    }


def medians(calls: Calls, rounds: int) -> dict[str, float]:
    """The processor time of each call, in seconds, of which the first round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            start = time.process_time()
            call()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(of_call[1:]) for name, of_call in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", nargs="*", help="default: all")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pyarrow.set_cpu_count(1)
    print(f"polars {polars.__version__}, pyarrow {pyarrow.__version__}, torch {torch.__version__}")
    for corpus, texts in corpora().items():
        for name, calls in rows(texts).items():
            if options.rows and name not in options.rows:
                continue
            found = medians(calls, options.rounds)
            ours = found.pop("ours")
            ratios = ", ".join(f"{peer} {seconds / ours:.2f}" for peer, seconds in found.items())
            print(f"{corpus:6} {name:9} {ours * 1e3:8.2f} ms   {ratios}", flush=True)


if __name__ == "__main__":
    main()
