"""The peers: other libraries that do the work of a row, each limited to `THREADS` threads.

There is a module for each library. `strings` converts a Corpus to its own form, `numbers` a NumPy array. By the names
of operators, its tables have

    CALLS    functions of converted inputs, which are timed
    MADE     functions of unconverted inputs that return what is timed, for sessions, tables and other preparations
    READS    functions that convert an output to a form that `canonical.of` knows, after the clock has stopped
    DIFFERS  why a few rows may differ
    SLOW     operators that are measured in three rounds

A library that has several ways has a dict of them by name, of which the fastest one that gives equal results counts.
"""

import importlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.corpora import Corpus
from benchmarks.measure import Contender, Skipped, as_it_is

# Operators with a model, which libraries other than its own read as well as they can.
OF_MODELS = ("subword_encode", "encode_text")
Contenders = list[Contender | Skipped]

# Threads of every peer, set by `__main__`. The variable is that of polars, which reads it once.
THREADS = int(os.environ.get("POLARS_MAX_THREADS", "1"))
os.environ["TOKENIZERS_PARALLELISM"] = "true" if THREADS > 1 else "false"
os.environ["RAYON_NUM_THREADS"] = str(THREADS)


class Fresh:
    """An input that is made anew before each call, since a library may keep something between calls."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def converted(module: Any, value: Any) -> Any:
    if isinstance(value, Corpus):
        return module.strings(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return module.numbers(value)
    return value


def contenders(peer: str, op: str, values: Sequence[Any], options: dict[str, Any], first: bool = True) -> Contenders:
    """The contenders of a library, or the reason why it is skipped. A model was made for the first one of a row."""
    optional = op in OF_MODELS and not first
    try:
        module = importlib.import_module(f"benchmarks.peers.{peer}")
        made = op in getattr(module, "MADE", {})
        ways = module.MADE[op](*values, **options) if made else module.CALLS[op]
        ways = ways if isinstance(ways, dict) else {"": ways}
        calls: dict[str, Callable[..., Any]] = {}
        prepare = values[0].make if values and isinstance(values[0], Fresh) else None
        for way, call in ways.items():
            if made:
                calls[way] = call
            elif prepare:
                calls[way] = partial(call, **options)
            else:
                calls[way] = partial(call, *(converted(module, v) for v in values), **options)
    except ImportError as error:
        return [Skipped(peer, f"not installed ({error})")]
    except Exception as error:
        if not optional:
            raise
        return [Skipped(peer, f"does not load the model ({' '.join(str(error).split())[:90]})")]
    name, read = getattr(module, "NAME", peer), getattr(module, "READS", {}).get(op, as_it_is)
    differs = "other ids than the library of the file" if optional else getattr(module, "DIFFERS", {}).get(op, "")
    how = {"group": name, "optional": optional, "ours": name.startswith("ours")}
    how["max_rounds"] = 3 if op in getattr(module, "SLOW", ()) else 0
    found: Contenders = []
    for way, call in calls.items():
        call, reads = call if isinstance(call, tuple) else (call, read)
        found.append(Contender(f"{name} {way}" if way else name, call, reads, prepare, differs, **how))
    return found
