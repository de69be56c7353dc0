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
_BEGINS = torch.tensor([int(begin, 16) for begin, _ in _RANGES], dtype=torch.int32, device="cpu")
_NUMBERS = torch.tensor([int(number, 16) for _, number in _RANGES], device="cpu")
# Scripts below this number are Common, Inherited and Unknown.
_FIRST_SCRIPT = 3
# Positions of code points take as many bits of a key.
_BITS = 31


def commonest_scripts(s: S) -> Tensor:
    """The number in SCRIPTS of the commonest script of each string, int64 `[*S]`; 0 if it has no script."""
    values, row_splits = encoding._string_codepoints(s)
    scripts = _NUMBERS[torch.bucketize(values, _BEGINS, right=True) - 1]
    rows = torch.searchsorted(row_splits, torch.arange(values.shape[0], device="cpu"), right=True) - 1
    (places,) = (scripts >= _FIRST_SCRIPT).nonzero(as_tuple=True)
    rows, scripts = rows[places], scripts[places]
    pairs, of, counts = torch.unique(rows * len(SCRIPTS) + scripts, return_inverse=True, return_counts=True)
    # Of the scripts of a row, the one with the most code points, then the one that occurs first.
    last = 2**_BITS - 1
    firsts = torch.full_like(pairs, last).scatter_reduce(0, of, places, "amin")
    scores = (counts << _BITS) + (last - firsts)
    row_of = pairs // len(SCRIPTS)
    best = torch.zeros_like(row_splits[1:]).scatter_reduce(0, row_of, scores, "amax")
    found = torch.where(scores == best[row_of], pairs % len(SCRIPTS), 0)
    return torch.zeros_like(row_splits[1:]).scatter_reduce(0, row_of, found, "amax").reshape(shape(s))
