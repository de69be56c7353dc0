"""Modules whose state is several tensors that belong together.

The state is not in parameters or buffers, since torch may move, cast, empty, broadcast, shard, average or swap (in
functional_call) these independently, after which a table would not match what it was built from. In state_dict, the
state is tensors, which are loaded together or not at all.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def fixed_tensor(name: str, op: str) -> property:
    """A tensor of the state as an attribute, to which only an equal tensor can be assigned.

    torch.func.functional_call assigns to attributes that have the names of state_dict.
    """

    def get(self: Any) -> Tensor:
        t: Tensor = self._state()[name]
        return t

    def set(self: Any, value: Any) -> None:
        mine = get(self)
        like = isinstance(value, Tensor) and value.device == mine.device and value.dtype == mine.dtype
        if not (like and torch.equal(value, mine)):
            raise AttributeError(
                f"{op}: `{name}` cannot be replaced (use load_state_dict, or build another {op})"
            )

    return property(get, set)


def _check_not_expanded(op: str, state: dict[str, Any]) -> None:
    """Rejects expanded tensors: in a file of a few bytes they have any size, and are copied."""
    for name, t in state.items():
        if isinstance(t, Tensor) and t.nbytes > t.untyped_storage().nbytes():
            raise ValueError(
                f"{op}: expected `{name.lstrip('_')}` of {t.nbytes} bytes, "
                f"got an expanded tensor of {t.untyped_storage().nbytes()} (use .contiguous())"
            )


class ModuleState(nn.Module):
    """Saves the state to state_dict and loads it. Subclasses define its parts."""

    _names: tuple[str, ...]  # of the tensors
    _kind: str  # of the module, for errors

    def _state(self) -> dict[str, Tensor]:
        """The tensors by name."""
        raise NotImplementedError

    def _load(self, tensors: dict[str, Any]) -> None:
        """Replaces the state by an untrusted one, which is checked first."""
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None:
        _check_not_expanded(type(self).__name__, state)
        super().__setstate__(state)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination.update({prefix + name: t for name, t in self._state().items()})

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        missing = [prefix + name for name in self._names if prefix + name not in state_dict]
        if missing:
            missing_keys += missing
        else:
            try:
                tensors = {name: state_dict[prefix + name] for name in self._names}
                _check_not_expanded(type(self).__name__, tensors)
                self._load(tensors)
            except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: torch 2.15, for ValueError
                error_msgs.append(f'While loading the {self._kind} "{prefix[:-1]}": {error}')
        rest = {
            key: value for key, value in state_dict.items() if key.removeprefix(prefix) not in self._names
        }
        super()._load_from_state_dict(
            rest, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )
