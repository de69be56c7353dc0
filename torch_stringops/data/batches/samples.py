"""The samples of a batch: a list whose samples are created when it is read, unless default_collate takes whole rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from torch.utils.data._utils.collate import collate, default_collate_fn_map


class FirstSample(tuple[Any, ...]):
    """A sample that default_collate recognizes by its type. Copies of it are tuples."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return tuple, (list(self),)


class NamedFirstSample(dict[Any, Any]):
    """A sample that is a dict, which default_collate recognizes by its type."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (list(self.items()),)


class Samples(list[Any]):
    """The samples of a dataset at positions, a list like that of any map-style dataset.

    The samples are created when the list is read or changed; until then it holds None. `samples[0]`, which
    default_collate reads to choose a function for the batch, creates only that sample, of a type that is registered
    here.
    """

    __slots__ = ("_dataset", "_indices")

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        super().__init__([None] * len(indices))
        self._dataset = dataset
        self._indices = indices

    def __getitem__(self, index: Any) -> Any:
        if self._dataset is not None:
            if type(index) is int and index == 0:
                first = self._first()
                if type(first) in (FirstSample, NamedFirstSample):
                    return first
            self._fill()
        return super().__getitem__(index)

    def __radd__(self, other: list[Any]) -> list[Any]:
        return [*other, *self]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return list, ([*self],)

    def _first(self) -> Any:
        """The first sample, which is kept. A subclass of the dataset may return any type, which stays as it is."""
        first = super().__getitem__(0)
        if first is None:
            sample = self._dataset[self._indices[0]]
            first = sample
            if type(sample) is dict:
                first = NamedFirstSample(sample)
            elif type(sample) is tuple:
                first = FirstSample(sample)
            list.__setitem__(self, 0, first)
        return first

    def _fill(self) -> None:
        if self._dataset is not None:
            dataset, indices = self._dataset, self._indices
            samples = [self._first(), *(dataset[i] for i in indices[1:])] if len(indices) else []
            list.__setitem__(self, slice(None), samples)
            self._dataset = None


def _filling(name: str) -> Callable[..., Any]:
    """The method `name` of list, which fills the list before."""
    method = getattr(list, name)

    @functools.wraps(method)
    def call(self: Samples, *args: Any, **kwargs: Any) -> Any:
        self._fill()
        return method(self, *args, **kwargs)

    return call


for _name in (
    *("append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"),
    *("__add__", "__iadd__", "__mul__", "__rmul__", "__imul__", "__contains__", "__iter__", "__reversed__"),
    *("__setitem__", "__delitem__", "__repr__"),
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
):
    setattr(Samples, _name, _filling(_name))


def _collate_samples(batch: Any, *, collate_fn_map: Any = None) -> Any:
    if isinstance(batch, Samples) and batch._dataset is not None:
        return batch._dataset._rows(batch._indices)
    samples = [dict(sample) if isinstance(sample, dict) else tuple(sample) for sample in batch]
    return collate(samples, collate_fn_map=collate_fn_map)


default_collate_fn_map.update({FirstSample: _collate_samples, NamedFirstSample: _collate_samples})
