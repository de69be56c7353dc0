"""Oracles of the operators that take strings from other strings: indexing, masks and concatenation of lists."""

from typing import Any

from reference.nested import flat


def _each(function: Any, *nested: Any) -> Any:
    if isinstance(nested[0], list):
        return [_each(function, *parts) for parts in zip(*nested, strict=True)]
    return function(*nested)


def string_gather_ref(tensors: list[Any], positions: Any) -> tuple[Any]:
    every = flat(tensors)
    return (_each(lambda position: every[position], positions.tolist()),)


def string_where_ref(condition: Any, strings: Any, other: Any) -> tuple[Any]:
    shape = condition.tolist()

    def like(strings: Any) -> Any:
        every = flat(strings)
        return _each(lambda _: every[0], shape) if len(every) == 1 else strings

    return (_each(lambda c, a, b: a if c else b, shape, like(strings), like(other)),)


def string_masked_select_ref(strings: Any, mask: Any) -> tuple[list[bytes]]:
    return ([s for s, keep in zip(flat(strings), mask.flatten().tolist(), strict=True) if keep],)


def string_cat_ref(tensors: list[Any], shape: list[int], op: str = "cat", joined: int | None = None) -> tuple[Any]:
    strings = flat(tensors)
    every = iter(strings)
    if shape == [-1]:
        return (strings,)

    def build(sizes: list[int]) -> Any:
        return [build(sizes[1:]) for _ in range(sizes[0])] if sizes else next(every)

    return (build(shape),)
