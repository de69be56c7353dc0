"""The definition of a subword tokenizer: pieces, numbers and a canonical text, read from any kind of file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from torch_stringops.functions.joining import cat
from torch_stringops.string_tensor import StringTensor

# More ids than any tokenizer in use has; a file with a larger one would allocate memory for the ids below it.
MAX_IDS = 2**21 - 1

# Flags of the directive `added`.
SPECIAL: int = 1
SINGLE_WORD: int = 2
LSTRIP: int = 4
RSTRIP: int = 8
NORMALIZED: int = 16

# Characters of an unsupported step that an error shows.
_MAX_SHOWN = 300


@dataclass
class Definition:
    """A tokenizer, as `subword_build` takes it, and what a module adds.

    Attributes:
        pieces: the bytes of each id, strings `[N]`. An empty one: the model does not use the id.
        numbers: int32 `[M, 3]` on the CPU: rows of left id, right id, result id, in order of priority; or of an id and
            the halves of its score, as `_unigram.score_rows` makes them.
        lines: the directives of `spec`, but for `text`.
        texts: what ids decode to, if that is not their piece.
        settings: as in `_state.Settings`, by name; those that are missing have their defaults.
        pad_token: the token that pads rows, if files name one that `settings` does not.
        not_defaults: what a file has as a default of calls, and this library only as an argument, or not at all.
    """

    pieces: StringTensor = field(default_factory=lambda: StringTensor.from_list([]))
    numbers: Tensor = field(default_factory=lambda: torch.empty(0, 3, dtype=torch.int32, device="cpu"))
    lines: list[str] = field(default_factory=list)
    texts: dict[int, bytes] = field(default_factory=dict)
    settings: dict[str, int] = field(default_factory=dict)
    pad_token: str | None = None
    not_defaults: list[str] = field(default_factory=list)

    def reserve(self, op: str, id: int) -> None:
        """Adds empty pieces, so that there is one of this id."""
        check_id(op, id)
        if id >= len(self.pieces):
            self.pieces = cat([self.pieces, [b""] * (id + 1 - len(self.pieces))])

    @property
    def spec(self) -> str:
        texts = [f"text {id} {hexed(text)}" for id, text in sorted(self.texts.items())]
        return "\n".join(["subword 1", *self.lines, *texts]) + "\n"


class Unsupported:
    """Collects the parts of a tokenizer that are not supported, so that one error names all of them."""

    def __init__(self, op: str) -> None:
        self.op = op
        self.found: list[str] = []

    def add(self, what: str, value: Any = None) -> None:
        shown = "" if value is None else " " + json.dumps(value, ensure_ascii=True)
        self.found.append(what + (shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN] + "..."))

    def add_fields(self, what: str, step: dict[str, Any], known: Iterable[str]) -> None:
        """Adds the fields of a step that are neither known nor without effect (null, false, empty)."""
        known = {"type", *known}
        for name, value in step.items():
            if name not in known and value not in (None, False, "", [], {}):
                self.add(f"{what}: field {name!r}", value)

    def check(self) -> None:
        """Raises ValueError if anything was found."""
        if self.found:
            raise ValueError(
                f"{self.op}: {len(self.found)} part(s) of this tokenizer are not supported:\n  "
                + "\n  ".join(self.found)
            )


def hexed(text: bytes) -> str:
    """A string in `spec`."""
    return text.hex() or "-"


def check_id(op: str, id: int) -> None:
    if not 0 <= id < MAX_IDS:
        raise ValueError(f"{op}: expected ids below 2**21 - 1, got {id}")
