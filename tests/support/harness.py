"""The suite of an operator: one declaration, which its tests, the long checks and its overhead benchmark use.

A test file declares an `OpSuite` and subclasses `OpTests` (support/families.py has shorter ones for families):

    class TestStringTensorPack(OpTests):
        suite = OpSuite(op="string_tensor_pack", reference=string_tensor_pack_ref, samples=[...], strategy=...)

Arguments follow the operator's schema, except that two consecutive tensors named `<prefix>data` and `<prefix>offsets`
are one argument: nested lists of bytes. A list of tensors is a list of such arguments. Results are decoded the same way before they are compared with the oracle's.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from support import draws, large
from support.errors import BAD_ARGUMENT
from support.strings import LAYOUTS, compact, decode, is_compact
from support.threads import on_threads


@dataclass
class Call:
    """The arguments of a call: positional ones as in the schema (a string pair is one argument), and keywords."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return ", ".join([*map(repr, self.args), *(f"{k}={v!r}" for k, v in self.kwargs.items())])


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


# Calls that must fail, each with a pattern of the error text after the operator's name.
Rejected = Callable[[], Iterable[tuple[str, Call]]]


@dataclass
class OpSuite:
    op: str
    # Takes the arguments of a Call; returns a tuple of results: nested bytes for string pairs, else as Tensor.tolist.
    reference: Callable[..., tuple[Any, ...]]
    samples: Sequence[Call]
    # Draws Calls for the comparison with the oracle; None only if the samples are exhaustive.
    strategy: st.SearchStrategy[Call] | None = None
    # (call, exact text of the error). A text without a name at its beginning gets that of the operator's errors.
    errors: Sequence[tuple[Call, str]] = ()
    # Whether string results must be compact. Operators that only change offsets return the data itself.
    compact_results: bool = True
    # The operator's overload: `strings` for an operator on both strings and tensors.
    overload_name: str = "default"
    # The name that errors begin with, if it is not `op`: private operators use that of the public one.
    name_in_errors: str = ""
    # A call of about n random strings, for comparisons of millions of strings. By default the other arguments are those
    # of a sample.
    draw: Callable[[draws.Random, int], Call] | None = None
    # The shortest call on two strings or rows. By default, with only the required arguments.
    small: Call | None = None
    # Calls whose arguments or results exceed the limits of int32, created on demand; and those that tracing rejects
    # too. The default is for operators from strings to strings: 2**31 bytes.
    too_large: Rejected | None = None
    too_large_when_traced: Rejected | None = None
    # Whether the largest sample runs on several threads.
    parallel: bool = True
    # Attributes that differ in each call, to test caches: description -> attributes of call i.
    fresh: Mapping[str, Callable[[int], dict[str, Any]]] = field(default_factory=dict)
    # Attributes that exclude each other.
    exclusive: Sequence[str] = ()

    def __post_init__(self) -> None:
        name = self.name_in_errors or self.op
        self.errors = [(bad, text if re.match(r"\w+: ", text) else f"{name}: {text}") for bad, text in self.errors]

    @property
    def name(self) -> str:
        """The name in torch's registry: `op` or `op.overload`."""
        return self.op if self.overload_name == "default" else f"{self.op}.{self.overload_name}"

    @cached_property
    def wanted(self) -> list[tuple[Any, ...]]:
        """What the oracle returns for the samples. Kept for all tiers, as oracles in Python take most of the time."""
        return [self.reference(*sample.args, **sample.kwargs) for sample in self.samples]

    @property
    def overload(self) -> Any:
        return getattr(getattr(torch.ops.stringops, self.op), self.overload_name)

    def string_pairs(self) -> list[tuple[int, int]]:
        """(index in the call, index in the schema) of each string argument."""
        pairs, position, index = [], 0, 0
        arguments = self.overload._schema.arguments
        while index < len(arguments):
            if arguments[index].kwarg_only:
                break
            if is_pair(arguments, index):
                pairs.append((position, index))
                index += 1
            position, index = position + 1, index + 1
        return pairs

    def string_lists(self) -> list[int]:
        """The index in the call of each list of tensors: data and offsets of string tensors in turn."""
        pairs = [index for _, index in self.string_pairs()]
        types = [str(a.type) for i, a in enumerate(self.overload._schema.arguments) if i - 1 not in pairs]
        return [position for position, kind in enumerate(types) if kind == "List[Tensor]"]

    def small_call(self) -> Call:
        if self.small:
            return self.small
        strings = [b"ab c", b"d"]
        args: list[Any] = []
        arguments = self.overload._schema.arguments
        for i, argument in enumerate(arguments):
            if is_pair(arguments, i):
                args.append(strings)
            elif argument.name == "table":
                args.append(torch.ops.stringops.vocab_build(*compact(strings)))
            elif not argument.has_default_value() and not (i and is_pair(arguments, i - 1)):
                raise LookupError(f"the suite of {self.name} declares no `small`: {argument.name} is required")
        return Call(tuple(args))

    def can_draw(self) -> bool:
        return self.draw is not None or bool(self.string_pairs())

    def drawn(self, rng: draws.Random, n: int) -> Call:
        if self.draw:
            return self.draw(rng, n)
        pairs = {position for position, _ in self.string_pairs()}
        sample = rng.choice(self.samples)
        args = (draws.strings(rng, n) if i in pairs else a for i, a in enumerate(sample.args))
        return Call(tuple(args), sample.kwargs)

    def too_large_calls(self) -> list[tuple[str, Call]]:
        if self.too_large is not None:
            return list(self.too_large())
        returns = self.overload._schema.returns
        pairs = {position for position, _ in self.string_pairs()}
        if not pairs or not any(is_pair(returns, i) for i in range(len(returns))):
            raise LookupError(f"the suite of {self.name} declares no `too_large`")
        small = self.small_call()
        rows = large.same_rows(large.MEBIBYTE, 2048)
        args = tuple(rows if i in pairs else a for i, a in enumerate(small.args))
        return [(large.STRINGS, Call(args, small.kwargs))]

    def tensors(self, call: Call, layout: str = "compact") -> tuple[list[Any], dict[str, Any]]:
        """The arguments of the call as tensors, for the operator."""

        def pair(strings: Any) -> tuple[Tensor, Tensor]:
            return LAYOUTS[layout](strings) if isinstance(strings, list) else strings

        pairs = {position for position, _ in self.string_pairs()}
        args: list[Any] = []
        for position, value in enumerate(call.args):
            if position in self.string_lists():
                args.append([t for strings in value for t in pair(strings)])
            elif position in pairs:
                args.extend(pair(value))
            else:
                args.append(value)
        return args, call.kwargs

    def run(self, call: Call, layout: str = "compact") -> tuple[Any, ...]:
        """Calls the operator; decodes its results."""
        args, kwargs = self.tensors(call, layout)
        before = [a.clone() if isinstance(a, Tensor) else a for a in args]
        results = self.overload(*args, **kwargs)
        for was, now in zip(before, args, strict=True):
            assert not isinstance(was, Tensor) or torch.equal(was, now), "the operator changed an argument"
        return self.decode(results)

    def decode(self, results: Any) -> tuple[Any, ...]:
        if isinstance(results, Tensor):
            results = (results,)
        returns = self.overload._schema.returns
        decoded: list[Any] = []
        if self.op.startswith("split_strings"):
            # data and offsets of each pair, alternating
            returns = [arg for _ in results[::2] for arg in self.overload._schema.arguments[:2]]
        index = 0
        while index < len(results):
            if is_pair(returns, index):
                assert not self.compact_results or is_compact(results[index], results[index + 1])
                decoded.append(decode(results[index], results[index + 1]))
                index += 1
            else:
                decoded.append(results[index].tolist())
            index += 1
        return tuple(decoded)


def is_pair(arguments: Any, index: int) -> bool:
    if index + 1 >= len(arguments) or not arguments[index].name.endswith("data"):
        return False
    return bool(arguments[index + 1].name == arguments[index].name.removesuffix("data") + "offsets")


def malformed(data: Tensor, offsets: Tensor) -> dict[str, tuple[Any, Any]]:
    """Invalid pairs, which every operator must reject, by description. `data` must have at least two bytes."""
    last = torch.zeros_like(offsets)
    last[..., -1] = data.numel()

    def ending(value: int, dtype: torch.dtype = torch.int32) -> Tensor:
        changed = last.to(dtype)
        changed[..., -1] = value
        return changed

    first = last.clone()
    first[..., 0] = -1
    n = data.numel()
    return {
        "offsets past the end": (data, ending(n + 1)),
        "offsets far past the end": (data, ending(2**31 - 1)),
        "offsets negative": (data, first),
        "offsets most negative": (data, ending(-(2**31))),
        "offsets decreasing": (data, torch.tensor([1, 0], dtype=torch.int32)),
        "offsets decreasing in the middle": (data, torch.tensor([0, 2, 1, 2], dtype=torch.int32)),
        "offsets decreasing in a later row": (data, torch.tensor([[0, 1], [2, 1]], dtype=torch.int32)),
        "offsets past the end of no bytes": (data[:0], torch.tensor([0, 1], dtype=torch.int32)),
        "offsets int64": (data, last.to(torch.int64)),
        "offsets int64 of 2^32": (data, ending(2**32, torch.int64)),
        "offsets int16": (data, last.to(torch.int16)),
        "offsets float": (data, last.to(torch.float32)),
        "offsets bool": (data, last.to(torch.bool)),
        "offsets of rank 0": (data, torch.tensor(0, dtype=torch.int32)),
        "offsets empty": (data, torch.empty(0, dtype=torch.int32)),
        "offsets empty in the last dimension": (data, torch.empty([3, 0], dtype=torch.int32)),
        "offsets on meta": (data, last.to("meta")),
        "offsets sparse": (data, last.to_sparse()),
        "offsets not a tensor": (data, last.tolist()),
        "offsets missing": (data, None),
        "data int8": (data.to(torch.int8), last),
        "data int64": (data.to(torch.int64), last),
        "data float": (data.to(torch.float32), last),
        "data of rank 0": (data[0], torch.zeros_like(offsets)),
        "data of rank 2": (data.reshape(1, -1), last),
        "data strided": (torch.cat([data, data])[::2], last),
        "data on meta": (data.to("meta"), last),
        "data not a tensor": (bytes(data.numpy()), last),
    }


def check_malformed_lists(suite: OpSuite, *rest: Any) -> None:
    """An operator of a list of strings rejects malformed ones after others, and a list of another length than it needs."""
    words = compact([b"to", b"be", b""])
    for what, pair in malformed(*compact([b"ab", b"c"])).items():
        with pytest.raises((ValueError, RuntimeError, TypeError, NotImplementedError)) as error:
            suite.overload([*words, *pair], *rest)
        if error.type is ValueError:
            assert str(error.value).startswith(f"{suite.name_in_errors or suite.op}: expected"), what
    with pytest.raises(BAD_ARGUMENT, match="of at least one tensor, got 3 tensors"):
        suite.overload([*words, words[0]], *rest)


def form_of(value: Any) -> Any:
    """The value with what torch's tracing of dynamic shapes distinguishes in place of tensors: not sizes above 1."""
    if isinstance(value, Tensor):
        dense = value.layout == torch.strided and value.is_contiguous()
        return value.dtype, value.layout, dense, value.requires_grad, [min(n, 2) for n in value.shape]
    if isinstance(value, dict):
        return {name: form_of(item) for name, item in value.items()}
    return [form_of(item) for item in value] if isinstance(value, list | tuple) else value


class OpTests:
    """The tests of an operator. Subclass it in tests/ops/test_<family>.py, and set `suite`."""

    suite: ClassVar[OpSuite]

    def test_samples_match_the_oracle(self, tier: str) -> None:
        for sample, want in zip(self.suite.samples, self.suite.wanted, strict=True):
            for layout in LAYOUTS:
                assert self.suite.run(sample, layout) == want, f"{layout}: {sample}"

    @given(data=st.data())
    def test_drawn_calls_match_the_oracle(self, data: st.DataObject) -> None:
        """On the best tier of the machine: the fuzz targets compare the tiers with each other."""
        if self.suite.strategy is None:
            return
        drawn = data.draw(self.suite.strategy)
        layout = data.draw(st.sampled_from(list(LAYOUTS)))
        assert self.suite.run(drawn, layout) == self.suite.reference(*drawn.args, **drawn.kwargs)

    def test_opcheck(self) -> None:
        """Schema, derivatives and fake kernel of every sample; what torch traces, of two samples of unlike arguments."""
        checks = ["test_schema", "test_autograd_registration", "test_faketensor"]
        traced: set[str] = set()
        for sample in self.suite.samples:
            args, kwargs = self.suite.tensors(sample)
            # Takes two thirds of the time, and sees of tensors only what `form_of` keeps.
            form = repr((form_of(args), form_of(kwargs)))
            is_new = len(traced) < 2 and form not in traced
            traced.add(form)
            more = ["test_aot_dispatch_dynamic"] if is_new else []
            torch.library.opcheck(self.suite.overload, tuple(args), kwargs, test_utils=[*checks, *more])

    def test_any_number_of_threads_gives_equal_results(self) -> None:
        results = []
        for count in (1, 2, 4, 16):
            with on_threads(count):
                results.append([self.suite.run(sample) for sample in self.suite.samples])
        assert all(result == results[0] for result in results)

    def test_errors(self) -> None:
        for bad, text in self.suite.errors:
            args, kwargs = self.suite.tensors(bad)
            with pytest.raises(BAD_ARGUMENT) as error:
                self.suite.overload(*args, **kwargs)
            assert str(error.value) == text
