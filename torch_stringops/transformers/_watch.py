"""Watch: finds the table that belongs to the present state of a `tokenizers.Tokenizer`, which anybody may change."""

from __future__ import annotations

import hashlib
import sys
import weakref
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from types import GetSetDescriptorType
from typing import Any

from torch_stringops.transformers._table import Table

# The methods of a Tokenizer that change its tokens. Other changes are noticed by comparing.
_CHANGING = ("add_tokens", "add_special_tokens", "train", "train_from_iterator")

# The number of states of one tokenizer whose tables are kept, such as those of the languages of a translator.
_MAX_TABLES = 4

# A normalizer whose state is longer, in bytes, has a charsmap, and is compared by what it does with `_PROBE`.
_MAX_STATE = 4096
_PROBE = "\u2460\uff21\ufb01\u3000\u0130e\u0301\u200b"

_PARTS = attrgetter("model", "normalizer", "pre_tokenizer", "post_processor", "decoder")


class Watch:
    """The tables of a tokenizer by its states.

    The methods that change tokens are replaced in the `Tokenizer`'s `__dict__`, so that they count; the rest of the
    state is compared in each call, which takes 2 to 4 microseconds. `Watch` does not keep its `Tokenizer` alive longer
    than itself, and the `Tokenizer` holds no reference to itself: it is not known to Python's garbage collector.
    """

    def __init__(self) -> None:
        self._tables: list[Table] = []
        self._backend: Any = None
        self._changes = 0
        self._known: Any = None  # the fingerprint of the state to which `_table` belongs
        self._table: Table | None = None
        self._large = False  # whether the normalizer is compared by what it does

    def table(self, backend: Any) -> Table | None:
        """Returns the table for the present state of a `Tokenizer`, or None if the state is not supported."""
        if backend is not self._backend:
            self._follow(backend)
        if self._fingerprint(backend) != self._known:
            self._update(backend)
        return self._table

    def table_or_error(self, backend: Any) -> tuple[Table | None, str]:
        """Same as `table`, and why there is none."""
        table = self.table(backend)
        return table, self._tables[0].error or ""

    def is_current(self, backend: Any, table: Table) -> bool:
        """Whether a `Tokenizer` is still in the state to which a table belongs."""
        return self.table(backend) is table

    def _fingerprint(self, backend: Any) -> Any:
        return self._changes, fingerprint(backend, self._large)

    def _update(self, backend: Any) -> None:
        normalizer = backend.normalizer
        self._large = normalizer is not None and len(normalizer.__getstate__()) > _MAX_STATE
        known = self._fingerprint(backend)
        text = text_of(backend)
        digest = hashlib.sha256(text).digest()
        found = [table for table in self._tables if table.digest == digest]
        table = found[0] if found else Table.of(text, digest)
        table.text = text
        self._tables = [table, *(other for other in self._tables if other is not table)][:_MAX_TABLES]
        self._table = table if table.supported else None
        self._known = known

    def _follow(self, backend: Any) -> None:
        self._release()
        methods = backend.__dict__
        hook = methods.get(_CHANGING[0])
        watches = hook.watches if isinstance(hook, _Counted) else weakref.WeakSet()
        watches.add(self)
        for name in _CHANGING:
            methods[name] = _Counted(name, watches)
        self._backend, self._known = backend, None

    def _release(self) -> None:
        if self._backend is None:
            return
        methods = self._backend.__dict__
        hook = methods.get(_CHANGING[0])
        if isinstance(hook, _Counted):
            hook.watches.discard(self)
            if not hook.watches:
                for name in _CHANGING:
                    methods.pop(name, None)
        self._backend = None

    # At the exit of the interpreter, the names of this module are gone before the object is.
    def __del__(self, _is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _is_finalizing():
            self._release()

    # A copy follows the Tokenizer of the copied tokenizer, which is another object in the same state.
    def __getstate__(self) -> dict[str, Any]:
        return {"tables": self._tables}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        Watch.__init__(self)
        self._tables = state["tables"]

    def __deepcopy__(self, memo: dict[int, Any]) -> Watch:
        found = Watch()
        found._tables = list(self._tables)
        return found


class _Counted:
    """A method of one `Tokenizer`, whose calls count as changes for those that watch it."""

    def __init__(self, name: str, watches: weakref.WeakSet[Watch]) -> None:
        self.name, self.watches = name, watches

    def __call__(self, *args: Any, **options: Any) -> Any:
        watches = list(self.watches)
        backend = watches[0]._backend
        try:
            return getattr(type(backend), self.name)(backend, *args, **options)
        finally:
            for watch in watches:
                watch._changes += 1


def text_of(backend: Any) -> bytes:
    """The tokenizer.json of a `Tokenizer` from its added tokens on: without truncation and padding."""
    text: str = backend.to_str()
    return ("{" + text[text.index('"added_tokens":') :]).encode()


def fingerprint(backend: Any, large: bool) -> tuple[Any, ...]:
    """Values that differ between two states of a `Tokenizer` whose tokens are the same.

    Its parts can be replaced and changed in place. Models are compared by their settings, size and a token.
    """
    model, normalizer, pre_tokenizer, post_processor, decoder = _PARTS(backend)
    kind: Any = type(model)
    size = backend.get_vocab_size(False)
    return (
        kind,
        _settings_of(kind)(model),
        size,
        model.id_to_token(size // 2),
        None if normalizer is None else _effect(normalizer) if large else normalizer.__getstate__(),
        None if pre_tokenizer is None else pre_tokenizer.__getstate__(),
        None if post_processor is None else post_processor.__getstate__(),
        None if decoder is None else decoder.__getstate__(),
    )


def _effect(normalizer: Any) -> tuple[Any, ...]:
    """Compares a normalizer with a charsmap: the kinds of its steps, the states of the small ones, what it does."""
    steps = list(normalizer) if hasattr(normalizer, "__getitem__") else [normalizer]
    return (
        [type(step) if type(step).__name__ == "Precompiled" else step.__getstate__() for step in steps],
        normalizer.normalize_str(_PROBE),
    )


@cache
def _settings_of(kind: Any) -> Callable[[Any], Any]:
    """Returns a function that reads all attributes of a model, such as `dropout`."""
    names = [
        name
        for parent in kind.__mro__
        for name, value in vars(parent).items()
        if isinstance(value, GetSetDescriptorType) and not name.startswith("_")
    ]
    return attrgetter(*sorted(names)) if names else type
