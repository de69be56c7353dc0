"""Functions for all peers: loading them with `THREADS` threads, skipping missing ones, and excused rows."""

import functools
import importlib
import os
from collections.abc import Callable
from typing import Any

from benchmarks.corpora import Corpus
from benchmarks.measure import Contender, Excuse, Skipped

Contenders = list[Contender | Skipped]

# Threads of every peer, set by `__main__`. The variable is that of polars, which reads it once.
THREADS = int(os.environ.get("POLARS_MAX_THREADS", "1"))

# Libraries that take their threads from an environment variable.
RAYON = ("tokenizers", "fastokens", "tokie", "kitoken", "gigatoken", "transformers")

# Whitespace other than the space character, for which peers differ.
ASCII_CONTROLS = "\t\n\v\f\r"
SEPARATOR_CONTROLS = "\x1c\x1d\x1e\x1f"
UNICODE_SPACES = (
    "\u0085\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)


def needs(*modules: str) -> Callable[[Callable[..., Contenders]], Callable[..., Contenders]]:
    """Skips a peer if one of `modules` is not installed."""

    def decorate(make: Callable[..., Contenders]) -> Callable[..., Contenders]:
        @functools.wraps(make)
        def wrapped(*args: Any, **kwargs: Any) -> Contenders:
            for module in modules:
                try:
                    load(module)
                except ImportError as error:
                    return [Skipped(modules[0], f"not installed ({error})")]
            return make(*args, **kwargs)

        return wrapped

    return decorate


@functools.cache
def load(name: str) -> Any:
    """Imports a module, and limits it to `THREADS` threads."""
    if name in RAYON:
        os.environ["TOKENIZERS_PARALLELISM"] = "true" if THREADS > 1 else "false"
        os.environ["RAYON_NUM_THREADS"] = str(THREADS)
    module = importlib.import_module(name)
    if name == "pyarrow":
        module.set_cpu_count(THREADS)
        module.set_io_thread_count(THREADS)
    elif name == "tensorflow":
        module.config.threading.set_intra_op_parallelism_threads(THREADS)
        module.config.threading.set_inter_op_parallelism_threads(THREADS)
    elif name == "polars" and module.thread_pool_size() != THREADS:
        raise ImportError(
            "polars has another number of threads: set POLARS_MAX_THREADS before it is imported"
        )
    return module


def shortened(delimiter: str) -> str:
    return delimiter if len(delimiter) <= 20 else f"{delimiter[:17]}..."


def excuse(corpus: Corpus, characters: str, reason: str) -> Excuse:
    """An excuse for the rows that contain any of `characters`."""
    return Excuse(corpus.rows_with(characters), reason)
