"""LazyEncodings: the `encodings` of a BatchEncoding, which most callers never read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class LazyEncodings(list):  # type: ignore[type-arg]
    """A list of `tokenizers.Encoding` that is computed when it is used for the first time.

    A pickle, or a copy, of it is a list.
    """

    __slots__ = ("_compute", "_size")

    def __init__(self, size: int, compute: Callable[[], list[Any]]) -> None:
        super().__init__()
        self._size = size
        self._compute: Callable[[], list[Any]] | None = compute

    def _fill(self) -> None:
        if self._compute is not None:
            found = self._compute()
            if self._compute is not None:  # no other thread was faster
                self._compute = None
                super().extend(found)

    def __len__(self) -> int:
        return self._size if self._compute is not None else super().__len__()

    def __bool__(self) -> bool:
        return len(self) > 0

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        self._fill()
        return list, (list(self),)

    def __radd__(self, other: list[Any]) -> list[Any]:
        return [*other, *self]

    __hash__ = None


def _filled(name: str) -> Callable[..., Any]:
    method = getattr(list, name)

    def call(self: LazyEncodings, *args: Any, **options: Any) -> Any:
        for one in (self, *args):
            if isinstance(one, LazyEncodings):
                one._fill()
        return method(self, *args, **options)

    call.__name__ = name
    return call


_METHODS = """
    __add__ __contains__ __delitem__ __eq__ __ge__ __getitem__ __gt__ __iadd__ __imul__ __iter__ __le__ __lt__ __mul__
    __ne__ __repr__ __reversed__ __rmul__ __setitem__
    append clear copy count extend index insert pop remove reverse sort
""".split()  # noqa: SIM905

for _name in _METHODS:
    setattr(LazyEncodings, _name, _filled(_name))
