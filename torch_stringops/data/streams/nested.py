"""Batches of any structure: copies on a device, and errors that tell where a batch came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def add_note(error: Exception, note: str) -> None:
    """Adds a note, before Python 3.11 to the message."""
    if hasattr(error, "add_note"):
        error.add_note(note)
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]}\n{note}", *error.args[1:])


def copied(batch: Any, device: torch.device) -> Any:
    """The batch on a device, without waiting for the copy if that is possible."""
    return each_tensor(batch, lambda tensor: tensor.to(device, non_blocking=True))


def each_tensor(batch: Any, function: Callable[[Any], Any]) -> Any:
    """A batch with the results of a function of its tensors, in dicts, lists and tuples."""
    if isinstance(batch, dict):
        return {key: each_tensor(value, function) for key, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        made = [each_tensor(value, function) for value in batch]
        return type(batch)(*made) if hasattr(batch, "_fields") else type(batch)(made)
    return function(batch) if hasattr(batch, "to") else batch
