"""A stream of the items of several datasets in given proportions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from torch import Tensor
from torch.utils.data import Dataset, IterableDataset, get_worker_info

from torch_stringops._checks import check_choice, check_int
from torch_stringops._names import named_class
from torch_stringops._types import MixBy, MixStop
from torch_stringops.data.streams.stepped_dataset import SteppedDataset
from torch_stringops.pretrain.mix_sources import Source

_OP = "Mix"
_VERSION = 2
_RANKS = 'Mix: expected one rank with by="tokens", since items of other sizes give each rank another order, got {}'

Item = TypeVar("Item")


@named_class
class Mix(IterableDataset[Item]):
    """Mixes the items of several datasets in exact proportions, for loops and for DataLoader without workers.

    After any number of items, the number of items of each source differs from its share by less than one, also if
    weights change; with `by="tokens"`, the number of its tokens by less than about the tokens of the longest item.
    A source whose weight falls to 0 may give one more item, if its share is not reached. The order of sources is
    the same in every run.

    A source is an iterable dataset, such as `Pack` and `StreamingDataset` (an item is then a batch), or a
    map-style dataset, such as `TokenDataset` (an item is a document or a window). Map-style datasets are read
    in an order that depends on `seed` and their epoch. Each source has epochs of its own, one after the
    other, also over passes of the Mix: the next pass begins where the last one has ended.

    All ranks have the same order of sources, which `by="tokens"` would not give them. Give iterable sources their
    `rank` and `world_size`; of map-style sources, each rank takes every `world_size`-th item.

    Args:
        sources: pairs of a dataset and its weight, a number >= 0; at least one is positive. The shares are the weights
            divided by their sum.
        seed: the seed of the order of map-style sources. None: they are read in the order of their positions.
        by: "rows", shares of items; "tokens", shares of tokens: the elements of an item that is a tensor, of
            `input_ids` of a dict, or of the first tensor of a tuple; on one rank only.
        stop: "first", end when a source has no further item; "all", end when each source whose weight is or becomes
            positive has been read to its end, and repeat those that end earlier; None, never end.
        schedule: a dict from numbers of items to weights, which hold from that number of items on.
        rank, world_size: the rank of this process, and the number of ranks. Default: 0 and 1.

    Attributes:
        epochs: how often each source has been read to its end.
        items: the number of items that each source has given.
        tokens: with `by="tokens"`, the number of their tokens.

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
        by: MixBy = "rows",
        stop: MixStop | None = "first",
        schedule: Mapping[int, Sequence[float]] | None = None,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        pairs: list[Any] = [tuple(pair) for pair in sources]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"{_OP}: expected `sources` to be pairs of a dataset and its weight")
        check_choice(_OP, "by", by, ("rows", "tokens"))
        check_choice(_OP, "stop", stop, ("first", "all", None))
        self.by, self.stop = by, stop
        self.seed = None if seed is None else check_int(_OP, "seed", seed, 0, 2**63 - 1)
        world_size = check_int(_OP, "world_size", world_size, 1)
        rank = check_int(_OP, "rank", rank, 0, world_size - 1)
        if by == "tokens" and world_size > 1:
            raise ValueError(_RANKS.format(world_size))
        self._sources = [Source(dataset, i, self.seed, rank, world_size) for i, (dataset, _) in enumerate(pairs)]
        weights = _weights(len(pairs), [weight for _, weight in pairs], "the weights of `sources`")
        # The weights from each number of items on, the first one 0.
        self._schedule = {0: weights}
        if schedule is not None and not isinstance(schedule, Mapping):
            raise TypeError(f"{_OP}: expected `schedule` to be a dict, got {type(schedule).__name__}")
        for step, changed in (schedule or {}).items():
            if type(step) is not int or step < 0:
                raise ValueError(f"{_OP}: expected the keys of `schedule` to be ints >= 0")
            self._schedule[step] = _weights(len(pairs), changed, f"`schedule[{step}]`")
        self._schedule = dict(sorted(self._schedule.items()))
        self._steps = list(self._schedule)
        # The share of each source, in items, before each step.
        lengths = np.diff(self._steps)[:, None] * np.array(list(self._schedule.values()))[:-1]
        self._before = np.vstack([np.zeros(len(pairs)), lengths.cumsum(axis=0)]).T.tolist()
        self._begin()

    def _begin(self) -> None:
        self.items = [0] * len(self._sources)
        self.tokens = [0] * len(self._sources)
        # The share that each source has not given yet, and the largest item, in items or tokens.
        self._owed = [0.0] * len(self._sources)
        self._largest = 1
        self._ended = False

    @property
    def epochs(self) -> list[int]:
        return [source.epoch for source in self._sources]

    def __iter__(self) -> Iterator[Item]:
        info = get_worker_info()
        if info is not None and info.num_workers > 1:
            raise ValueError(f"{_OP}: expected one process that reads, got {info.num_workers} workers of DataLoader")
        for source in self._sources:
            dataset = source.dataset
            if self.by == "tokens" and isinstance(dataset, SteppedDataset) and dataset._rank()[1] > 1:
                raise ValueError(_RANKS.format(dataset._rank()[1]))
        if self._ended:
            self._begin()
            for source in self._sources:
                source.epoch = 0
        at = self._next_source()
        while at is not None:
            item = self._sources[at].take()
            size = _tokens(item) if self.by == "tokens" else 1
            self._owed = [owed + size * weight for owed, weight in zip(self._owed, self._weights(), strict=True)]
            self._owed[at] -= size
            self._largest = max(self._largest, size)
            self.items[at] += 1
            self.tokens[at] += size if self.by == "tokens" else 0
            at = self._next_source()
            # The pass ends with its last item, also if no further one is asked for.
            self._ended = at is None
            yield item

    def _step(self) -> int:
        """The position in the schedule of the next item."""
        return bisect_right(self._steps, sum(self.items)) - 1

    def _weights(self) -> list[float]:
        return self._schedule[self._steps[self._step()]]

    def _next_source(self) -> int | None:
        """The source of the next item; None at the end.

        By Tijdeman's rule for the chairman assignment problem (1980): of the sources that may give an item, the one
        that must give it first. Each difference from a share is at most 1 - 1 / (2 * sources - 2).
        """
        count, step = sum(self.items), self._step()
        if self.stop == "all" and not any(
            source.epoch == 0 and any(self._schedule[later][i] for later in self._steps[step:])
            for i, source in enumerate(self._sources)
        ):
            return None
        slack = 1 / max(2 * len(self._sources) - 2, 2)
        weights = self._schedule[self._steps[step]]
        owed = [part / self._largest + weight for part, weight in zip(self._owed, weights, strict=True)]
        may_give = [i for i, part in enumerate(owed) if part >= slack - 1e-9]  # sums of weights are rounded
        at = min(may_give, key=lambda i: self._due(i, 1 - slack - owed[i], count + 1, step))
        if self.stop == "first" and self._sources[at].epoch > 0 and not self._sources[at].has_next():
            return None
        return at

    def _due(self, at: int, missing: float, count: int, step: int) -> float:
        """The number of items after which the share of a source has grown by `missing` since there were `count`."""
        if missing <= 0:
            return count
        shares = self._before[at]
        target = shares[step] + self._schedule[self._steps[step]][at] * (count - self._steps[step]) + missing
        step = max(step, bisect_left(shares, target) - 1)
        weight = self._schedule[self._steps[step]][at]
        return self._steps[step] + (target - shares[step]) / weight if weight else np.inf

    def state_dict(self) -> dict[str, Any]:
        """Returns the positions of all sources, which fit JSON if those of the sources do."""
        return {
            "version": _VERSION,
            **self._settings(),
            "items": list(self.items),
            "tokens": list(self.tokens),
            "owed": list(self._owed),
            "largest": self._largest,
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
        for name in ("items", "tokens", "owed", "sources"):
            if not isinstance(state.get(name), list) or len(state[name]) != count:
                raise TypeError(f"{_OP}: expected `state[{name!r}]` to be a list of {count}")
        numbers = {
            name: [check_int(_OP, f"state[{name!r}]", value, 0) for value in state[name]]
            for name in ("items", "tokens")
        }
        owed = state["owed"]
        if not all(type(value) in (int, float) and abs(value) < np.inf for value in owed) or abs(sum(owed)) > 0.5:
            raise ValueError(f"{_OP}: expected `state['owed']` to be numbers whose sum is 0")
        largest = check_int(_OP, "state['largest']", state.get("largest"), 1)
        for source, given in zip(self._sources, state["sources"], strict=True):
            source.load(given)
        self.items, self.tokens, self._owed = numbers["items"], numbers["tokens"], list(map(float, owed))
        self._largest = largest
        self._ended = bool(state.get("ended"))

    def _settings(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "by": self.by,
            "stop": self.stop,
            # Keys of JSON are strings.
            "schedule": {str(step): weights for step, weights in self._schedule.items()},
        }


def _weights(count: int, weights: Sequence[float], what: str) -> list[float]:
    """Shares, whose sum is 1."""
    found = [float(weight) for weight in weights]
    if len(found) != count or not all(0 <= weight < np.inf for weight in found) or sum(found) <= 0:
        raise ValueError(f"{_OP}: expected {what} to be {count} finite numbers >= 0, of which one is positive")
    return [weight / sum(found) for weight in found]


def _tokens(item: Any) -> int:
    if isinstance(item, Mapping):
        item = item.get("input_ids")
    elif isinstance(item, tuple):
        item = next((part for part in item if isinstance(part, Tensor)), None)
    if not isinstance(item, Tensor):
        raise TypeError(
            f'{_OP}: expected items that are tensors of tokens, or dicts with `input_ids`, with by="tokens"'
        )
    return item.numel()
