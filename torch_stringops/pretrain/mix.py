"""A stream of the items of several datasets in given proportions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from torch.utils.data import Dataset, IterableDataset, get_worker_info

from torch_stringops._checks import check_choice, check_int
from torch_stringops._names import named_class
from torch_stringops._types import MixStop
from torch_stringops.pretrain.mix_sources import Source

_OP = "Mix"
_VERSION = 3

Item = TypeVar("Item")


@named_class
class Mix(IterableDataset[Item]):
    """Mixes the items of several datasets in exact proportions, for loops and for DataLoader without workers.

    After any number of items, the number of items of each source differs from its share by less than one. The order
    of sources is the same in every run.

    A source is an iterable dataset, such as `Pack` and `StreamingDataset` (an item is then a batch), or a
    map-style dataset, such as `TokenDataset` (an item is a document or a window). Map-style datasets are read
    in an order that depends on `seed` and their epoch. Each source has epochs of its own, one after the
    other, also over passes of the Mix: the next pass begins where the last one has ended.

    All ranks have the same order of sources. Give iterable sources their `rank` and `world_size`; of map-style
    sources, each rank takes every `world_size`-th item.

    Args:
        sources: pairs of a dataset and its weight, a number >= 0; at least one is positive. The shares are the weights
            divided by their sum.
        seed: the seed of the order of map-style sources. None: they are read in the order of their positions.
        stop: "first", end when a source has no further item; "all", end when each source of a positive weight has
            been read to its end, and repeat those that end earlier; None, never end.
        rank, world_size: the rank of this process, and the number of ranks. Default: 0 and 1.

    Attributes:
        epochs: how often each source has been read to its end.
        items: the number of items that each source has given.

    Raises:
        TypeError, ValueError: an argument is not as above, a source has no items, or workers of DataLoader read.

    Example:
        >>> mix = Mix([(["a", "b", "c"], 3), ([1], 1)], seed=None, stop="all")
        >>> list(mix)
        ['a', 'b', 1, 'c']
        >>> mix.epochs
        [1, 1]
    """

    def __init__(
        self,
        sources: Iterable[tuple[Dataset[Item] | Iterable[Item], float]],
        *,
        seed: int | None = 0,
        stop: MixStop | None = "first",
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        pairs: list[Any] = [tuple(pair) for pair in sources]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"{_OP}: expected `sources` to be pairs of a dataset and its weight")
        check_choice(_OP, "stop", stop, ("first", "all", None))
        self.stop = stop
        self.seed = None if seed is None else check_int(_OP, "seed", seed, 0, 2**63 - 1)
        world_size = check_int(_OP, "world_size", world_size, 1)
        rank = check_int(_OP, "rank", rank, 0, world_size - 1)
        self._sources = [Source(dataset, i, self.seed, rank, world_size) for i, (dataset, _) in enumerate(pairs)]
        weights = [float(weight) for _, weight in pairs]
        if not all(0 <= weight < np.inf for weight in weights) or sum(weights) <= 0:
            raise ValueError(f"{_OP}: expected weights that are finite numbers >= 0, of which one is positive")
        self._weights = [weight / sum(weights) for weight in weights]  # shares, whose sum is 1
        self._begin()

    def _begin(self) -> None:
        self.items = [0] * len(self._sources)
        self._ended = False

    @property
    def epochs(self) -> list[int]:
        return [source.epoch for source in self._sources]

    def __iter__(self) -> Iterator[Item]:
        info = get_worker_info()
        if info is not None and info.num_workers > 1:
            raise ValueError(f"{_OP}: expected one process that reads, got {info.num_workers} workers of DataLoader")
        if self._ended:
            self._begin()
            for source in self._sources:
                source.epoch = 0
        at = self._next_source()
        while at is not None:
            item = self._sources[at].take()
            self.items[at] += 1
            at = self._next_source()
            # The pass ends with its last item, also if no further one is asked for.
            self._ended = at is None
            yield item

    def _next_source(self) -> int | None:
        """The source of the next item; None at the end.

        By Tijdeman's rule for the chairman assignment problem (1980): of the sources that may give an item, the one
        that must give it first. Each difference from a share is at most 1 - 1 / (2 * sources - 2).
        """
        count = sum(self.items) + 1
        pairs = list(zip(self._weights, self.items, strict=True))
        if self.stop == "all" and all(s.epoch or not w for s, w in zip(self._sources, self._weights, strict=True)):
            return None
        slack = 1 / max(2 * len(pairs) - 2, 2)
        may_give = [i for i, (w, n) in enumerate(pairs) if count * w - n >= slack - 1e-6]  # products are rounded
        at = min(may_give, key=lambda i: (pairs[i][1] + 1 - slack) / pairs[i][0])
        if self.stop == "first" and self._sources[at].epoch > 0 and not self._sources[at].has_next():
            return None
        return at

    def state_dict(self) -> dict[str, Any]:
        """Returns the positions of all sources, which fit JSON if those of the sources do."""
        return {
            "version": _VERSION,
            **self._settings(),
            "items": list(self.items),
            "ended": self._ended,
            "sources": [source.state() for source in self._sources],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes at the item after those that had been returned.

        Raises:
            TypeError, ValueError: the state is not one of a Mix of these sources and settings.
        """
        if not isinstance(state, dict):
            raise TypeError(f"{_OP}: expected `state` to be a dict of state_dict, got {type(state).__name__}")
        for name, value in {"version": _VERSION, **self._settings()}.items():
            if state.get(name) != value:
                raise ValueError(f"{_OP}: expected a state of `{name}` {value!r}, got {state.get(name)!r}")
        count = len(self._sources)
        for name in ("items", "sources"):
            if not isinstance(state.get(name), list) or len(state[name]) != count:
                raise TypeError(f"{_OP}: expected `state[{name!r}]` to be a list of {count}")
        items = [check_int(_OP, "state['items']", value, 0) for value in state["items"]]
        for source, given in zip(self._sources, state["sources"], strict=True):
            source.load(given)
        self.items = items
        self._ended = bool(state.get("ended"))

    def _settings(self) -> dict[str, Any]:
        return {"seed": self.seed, "stop": self.stop, "weights": self._weights}
