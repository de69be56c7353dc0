"""Suites of plain operators: from strings to strings, from strings to values, from two strings to a value.

    class TestStringLower(MapTests):
        suite = MapSuite(op="string_lower", reference=str.lower, samples=["word", ["é", ""]])

The reference is a function of one string (`str`, or `bytes` with `text=False`) and of the operator's other arguments.
A sample is a Call, or only the string argument: a list of strings, or one string. The suite supplies the samples,
strategy, random calls and calls beyond the limits that every such operator needs.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from hypothesis import strategies as st

from support import draws, large, strategies
from support.harness import Call, OpSuite, OpTests, call
from support.strings import Nested, shape_of

# For no strings, one task, and several tasks.
WORDS = ["to be or not to be", "", "caf\xe9 \u65e5\u672c\u8a9e", "x" * 70, "\U0001f600a"]
SAMPLES: list[Nested] = [[], [[], []], WORDS, [WORDS[:2], WORDS[2:4]], WORDS * 1000]


def encoded(strings: Nested) -> Nested:
    if isinstance(strings, list):
        return [encoded(s) for s in strings]
    return strings.encode() if isinstance(strings, str) else strings


def broadcast(function: Callable[..., Any], *operands: Nested) -> Nested:
    """Calls the function on the elements of nested lists, which broadcast as in NumPy."""

    def array(nested: Nested) -> np.ndarray[Any, Any]:
        flat = np.empty(len(draws.flatten(nested)), dtype=object)
        flat[:] = draws.flatten(nested)
        return flat.reshape(shape_of(nested))

    arrays = np.broadcast_arrays(*map(array, operands))
    results: Nested = np.frompyfunc(function, len(operands), 1)(*arrays).tolist()
    return results


def as_call(sample: Any, operands: int) -> Call:
    """A Call made from a sample as declared in a suite, with strings as bytes."""
    if isinstance(sample, Call):
        strings, rest = sample.args[:operands], sample.args[operands:]
        return Call((*map(encoded, strings), *rest), sample.kwargs)
    return call(encoded(sample if isinstance(sample, list) else [sample]))


@dataclass
class StringsSuite(OpSuite):
    """The base of the suites of this file: an operator whose first arguments are `operands` string tensors."""

    # Whether the reference takes `str`, and the operator only valid UTF-8.
    text: bool = True
    operands: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.of_one = self.reference
        self.reference = self.of_all
        given = [as_call(sample, self.operands) for sample in self.samples]
        self.errors = [(as_call(bad, self.operands), text) for bad, text in self.errors]
        rest = given[0]
        self.samples = [*given, *(self.with_strings(rest, self.strings(nested)) for nested in SAMPLES)]
        if self.strategy is None:
            self.strategy = st.builds(self.with_strings, st.sampled_from(given), self.drawn_strings())

    def with_strings(self, sample: Call, strings: tuple[Nested, ...]) -> Call:
        return Call((*strings, *sample.args[self.operands :]), sample.kwargs)

    def strings(self, nested: Nested) -> tuple[Nested, ...]:
        """The string arguments of a call made of one nested list."""
        return (encoded(nested),) * self.operands

    def drawn_strings(self) -> st.SearchStrategy[tuple[Nested, ...]]:
        string = strategies.text if self.text else strategies.strings
        return st.tuples(strategies.tensors_of(string))

    def drawn(self, rng: draws.Random, n: int) -> Call:
        if self.draw:
            return self.draw(rng, n)
        return self.with_strings(rng.choice(self.samples), (draws.strings(rng, n, utf8=self.text),))

    def value(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the reference on single strings; takes and returns bytes."""
        strings = (s.decode() if self.text else s for s in args[: self.operands])
        return encoded(self.of_one(*strings, *args[self.operands :], **kwargs))

    def of_all(self, strings: Nested, *args: Any, **kwargs: Any) -> tuple[Nested]:
        def walk(level: Nested) -> Nested:
            return [walk(s) for s in level] if isinstance(level, list) else self.value(level, *args, **kwargs)

        return (walk(strings),)


@dataclass
class MapSuite(StringsSuite):
    """An operator from strings to strings of the same shape."""


@dataclass
class ReduceSuite(StringsSuite):
    """An operator from strings to a tensor of the same shape."""

    def too_large_calls(self) -> list[tuple[str, Call]]:
        # The result is not larger than the offsets, and too large arguments are tested for every operator.
        return list(self.too_large()) if self.too_large else []


@dataclass
class ZipSuite(StringsSuite):
    """An operator from two string tensors, which broadcast, to a tensor."""

    operands: ClassVar[int] = 2

    def drawn_strings(self) -> st.SearchStrategy[tuple[Nested, ...]]:
        string = strategies.text if self.text else strategies.strings
        pairs = st.lists(st.tuples(string, string), max_size=12)
        equally_many = pairs.map(lambda p: ([a for a, _ in p], [b for _, b in p]))
        return st.one_of(equally_many, st.tuples(st.lists(string, max_size=12), st.tuples(string).map(list)))

    def drawn(self, rng: draws.Random, n: int) -> Call:
        if self.draw:
            return self.draw(rng, n)
        return self.with_strings(rng.choice(self.samples), draws.alike(rng, n, utf8=self.text))

    def too_large_calls(self) -> list[tuple[str, Call]]:
        return list(self.too_large()) if self.too_large else self.too_many_pairs()

    @staticmethod
    def too_many_pairs(*arguments: Any) -> list[tuple[str, Call]]:
        """Strings that broadcast to 2**31 results, with further arguments."""
        text = r"expected shapes that broadcast to at most 2147483647 strings, got \[65536, 1\] and \[32768\] \(spl"
        many = large.same_rows(b"a", 2**16), (large.uint8(b"a"), torch.zeros(2**15 + 1, dtype=torch.int32))
        return [(text, call(*many, *arguments))]

    def of_all(self, left: Nested, right: Nested, *args: Any, **kwargs: Any) -> tuple[Nested]:
        return (broadcast(lambda a, b: self.value(a, b, *args, **kwargs), left, right),)


@dataclass
class RaggedSuite(StringsSuite):
    """An operator from strings to ragged pieces: strings, or tensors of any values. The reference returns a list."""

    def of_all(self, strings: Nested, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        rows = [self.value(s, *args, **kwargs) for s in draws.flatten(strings)]
        return [piece for row in rows for piece in row], [0, *itertools.accumulate(map(len, rows))]

    def too_large_calls(self) -> list[tuple[str, Call]]:
        # Values other than strings are limited by memory only.
        has_strings = self.overload._schema.returns[0].name == "data"
        return super().too_large_calls() if has_strings or self.too_large else []


class MapTests(OpTests):
    suite: ClassVar[MapSuite]

    def test_results_have_the_shape_of_the_strings(self) -> None:
        rest = self.suite.samples[0]
        for shape in ([0], [2, 0], [0, 3], [3, 0, 2]):
            pair = (torch.empty(0, dtype=torch.uint8), torch.zeros([*shape[:-1], shape[-1] + 1], dtype=torch.int32))
            args, kwargs = self.suite.tensors(self.suite.with_strings(rest, (pair,)))
            data, offsets = self.suite.overload(*args, **kwargs)
            assert (data.numel(), offsets.shape) == (0, pair[1].shape)


class ReduceTests(OpTests):
    suite: ClassVar[ReduceSuite]


class RaggedTests(OpTests):
    suite: ClassVar[RaggedSuite]


class ZipTests(OpTests):
    suite: ClassVar[ZipSuite]
