"""The script in which each string is written, from the scripts of its code points."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops.ops import encoding
from torch_stringops.ops._script_ranges import NAMES, RANGES
from torch_stringops.tensor.strings import S, shape

# The names of scripts, by number.
SCRIPTS = NAMES.split()
_RANGES = [part.split(":") for part in RANGES.split()]
_BEGINS = torch.tensor([*(int(begin, 16) for begin, _ in _RANGES), 0x110000], device="cpu")
_NUMBERS = torch.tensor([int(number, 16) for _, number in _RANGES], dtype=torch.uint8, device="cpu")
_OF_CODEPOINT = _NUMBERS.repeat_interleave(_BEGINS.diff())
# Scripts below this number are Common, Inherited and Unknown.
_FIRST_SCRIPT = 3
# Positions of code points take as many bits of a key.
_BITS = 31


def commonest_scripts(s: S) -> Tensor:
    """The number in SCRIPTS of the commonest script of each string, int64 `[*S]`; 0 if it has no script."""
    values, row_splits = encoding._string_codepoints(s)
    scripts = _OF_CODEPOINT.index_select(0, values)
    # Runs of code points of one script and row. Most rows have one script, so that few keys are left to be sorted.
    rows = torch.zeros(values.shape[0] + 1, dtype=torch.int32, device="cpu")  # that begin at each code point
    rows.index_add_(0, row_splits[:-1], torch.ones_like(row_splits[1:], dtype=torch.int32))
    begins = rows[:-1] != 0
    begins[1:] |= scripts[1:] != scripts[:-1]
    (places,) = begins.nonzero(as_tuple=True)
    sizes = torch.cat([places[1:], row_splits[-1:]]) - places
    scripts = scripts.index_select(0, places)
    keys = (rows.index_select(0, places).cumsum(0) - 1) * len(SCRIPTS) + scripts
    (named,) = (scripts >= _FIRST_SCRIPT).nonzero(as_tuple=True)
    keys, run_of = keys[named].unique_consecutive(return_inverse=True)
    pairs, of = keys.unique(return_inverse=True)
    counts = torch.zeros_like(pairs).index_add_(0, of[run_of], sizes[named])
    # Of the scripts of a row, the one with the most code points, then the one that occurs first.
    last = 2**_BITS - 1
    firsts = torch.full_like(pairs, last).scatter_reduce(0, of, torch.arange(keys.shape[0], device="cpu"), "amin")
    scores = (counts << _BITS) + (last - firsts)
    row_of = pairs // len(SCRIPTS)
    best = torch.zeros_like(row_splits[1:]).scatter_reduce(0, row_of, scores, "amax")
    found = torch.where(scores == best[row_of], pairs % len(SCRIPTS), 0)
    return torch.zeros_like(row_splits[1:]).scatter_reduce(0, row_of, found, "amax").reshape(shape(s))
