"""Tests of many cases that are one item each of pytest, as an item takes milliseconds and a case microseconds."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

Test = Callable[..., None]


@contextmanager
def named(**values: Any) -> Iterator[None]:
    """Adds the values to the text of a failure."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "add_note"):  # since Python 3.11
            text = ", ".join(f"{name}={value!r}" for name, value in values.items())
            error.add_note(f"in the case {text if len(text) < 1000 else text[:1000] + '...'}")
        raise


def each(names: str | Sequence[str], cases: Iterable[Any] | Callable[[], Iterable[Any]]) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but the test runs the cases in turn, up to the first that fails.

    The cases share the test's fixtures. A case that is skipped does not skip those after it. Cases that take time to
    make are those of a function, which the test calls.
    """
    arguments = [names] if isinstance(names, str) else names

    @functools.cache
    def values() -> list[dict[str, Any]]:
        made = cases() if callable(cases) else cases
        return [dict(zip(arguments, [case] if isinstance(names, str) else case, strict=True)) for case in made]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(*args: Any, **fixtures: Any) -> None:
            reasons = []
            for case in values():
                try:
                    with named(**case):
                        test(*args, **fixtures, **case)
                except pytest.skip.Exception as skipped:
                    reasons.append(str(skipped))
            if len(reasons) == len(values()):
                pytest.skip(reasons[0])

        run.split = lambda: [  # type: ignore[attr-defined]
            functools.partial(call, **case) for case in values() for call in cases_of(test)
        ]
        signature = inspect.signature(test)
        rest = [p for name, p in signature.parameters.items() if name not in arguments]
        run.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return run

    return decorate


def cases_of(test: Test) -> list[Callable[..., None]]:
    """The calls of a test, one for each case of its tables."""
    split: Callable[[], list[Callable[..., None]]] = getattr(test, "split", lambda: [test])
    return split()
