"""Modules whose state is several tensors that belong together.

The state is not in parameters or buffers, since torch may move, cast, empty, broadcast, shard, average or swap (in
functional_call) these independently, after which a table would not match what it was built from. In state_dict, it is
one tensor of bytes, the extra state of the module, which torch's functions on state_dicts of several ranks know.

DistributedDataParallel and FSDP1 broadcast buffers only. A buffer has a digest of the state, so that a rank whose state
is another one finds that of rank 0 there.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops._packed_state import EXTRA_STATE, digest, packed, saved_tensors, unpacked
from torch_stringops._tracing import can_read

_DIGEST = "_digest"


def fixed_tensor(name: str, op: str) -> property:
    """A tensor of the state as an attribute, to which only an equal tensor can be assigned.

    torch.func.functional_call assigns to attributes that have the names of state_dict.
    """

    def get(self: Any) -> Tensor:
        t: Tensor = self.get_extra_state() if name == EXTRA_STATE else self._state()[name]
        return t

    def set(self: Any, value: Any) -> None:
        mine = get(self)
        like = isinstance(value, Tensor) and value.device == mine.device and value.dtype == mine.dtype
        if not (like and torch.equal(value, mine)):
            raise AttributeError(f"{op}: `{name}` cannot be replaced (use load_state_dict, or build another {op})")

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

    def _mark(self) -> None:
        """Notes the digest of a new state. Subclasses call it whenever they have replaced the state."""
        self._marked = digest(self._state())
        self._put_digest(torch.device("cpu"))

    def _put_digest(self, device: torch.device) -> None:
        # Tensors of inference mode do not count their versions. Bytes are exact in all floating-point types, in which
        # averages of equal values are equal, too.
        with torch.inference_mode(False):
            value = torch.tensor(self._marked, dtype=torch.float32, device=device)
        self.register_buffer(_DIGEST, value, persistent=False)
        self._seen = value._version

    def _check_broadcast(self) -> None:
        """Raises RuntimeError if the digest is that of another rank's state. torch.compile checks while it compiles."""
        if torch.compiler.is_compiling():
            if not torch.compiler.is_exporting():
                _compare_at_compile_time(self)
        elif (value := self._buffers[_DIGEST]) is not None and value._version != self._seen and can_read(value):
            self._compare(value)
            self._seen = value._version

    def _compare(self, value: Tensor) -> None:
        if value.tolist() != self._marked:
            raise RuntimeError(
                f"{type(self).__name__}: expected the same {self._kind} on all ranks, got another one than that of the "
                "rank that broadcasts buffers (build it on one rank, and load its state_dict on the others)"
            )

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """Moves the digest, which `to_empty` leaves without a value."""
        self._check_broadcast()
        super()._apply(fn, recurse)
        value = self._buffers[_DIGEST]
        if value is not None and not value.is_meta:
            self._put_digest(value.device)
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        _check_not_expanded(type(self).__name__, state)
        # copy.copy gives the dict of the other module.
        super().__setstate__({**state, "_buffers": dict(state["_buffers"])})
        if _DIGEST not in self._buffers:  # a pickle of an earlier version
            self._mark()

    def get_extra_state(self) -> Tensor:
        return packed(self._state())

    def set_extra_state(self, state: object) -> None:
        """Loads what `get_extra_state` returned. `load_state_dict` has loaded it before, and passes None."""
        if state is not None:
            _check_not_expanded(type(self).__name__, {EXTRA_STATE: state})
            self._load(unpacked(type(self).__name__, state, self._names))

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
        op, state = type(self).__name__, state_dict
        tensors = None
        try:
            tensors = saved_tensors(op, state, prefix, self._names)
            if tensors is not None:
                _check_not_expanded(op, {key.removeprefix(prefix): t for key, t in state.items()})
                self._load(tensors)
        except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: torch 2.15, for ValueError
            error_msgs.append(f'While loading the {self._kind} "{prefix[:-1]}": {error}')
        if tensors is not None or prefix + EXTRA_STATE in state:  # set_extra_state has nothing left to load
            names = {prefix + name for name in self._names}
            state_dict = {k: v for k, v in state.items() if k not in names} | {prefix + EXTRA_STATE: None}
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def _compare_at_compile_time(module: ModuleState) -> None:
    value = module._buffers[_DIGEST]
    if value is not None and type(value) is Tensor and not value.is_meta:
        module._compare(value)


# torch.compiler.assume_constant_result sets this mark, but imports torch._dynamo.
_compare_at_compile_time._dynamo_marked_constant = True  # type: ignore[attr-defined]
