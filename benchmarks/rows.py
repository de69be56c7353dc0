"""Rows, each of which compares one operation on one input with peers; table.py lists them."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch_stringops
from benchmarks import ours, peers
from benchmarks.corpora import Corpus, corpus
from benchmarks.measure import Comparison, Contender, Target, as_it_is

# Modules that declare rows as ROWS.
MODULES = ("table", "regexes", "subword", "loading", "within", "overhead")


@dataclass(frozen=True)
class Context:
    """The options that a row may depend on."""

    scale: float = 1.0  # of the sizes of inputs
    cpus: tuple[int, ...] = (0,)  # available to this process; rows are pinned to the first
    threads: int = 1
    tier: str = field(default_factory=torch_stringops.simd_tier)

    def corpus(self, name: str) -> Corpus:
        return corpus(name, self.scale)


@dataclass(frozen=True)
class Row:
    """A comparison. `build` creates the inputs and contenders, but does not time them.

    The process must be started with `environment`, and with `all_threads`, with as many threads as cores.
    """

    name: str
    build: Callable[[Context], Comparison]
    environment: dict[str, str] = field(default_factory=dict)
    all_threads: bool = False


Values = tuple[Any, ...]
Given = Callable[[Corpus], Values]


@dataclass(frozen=True)
class Operation:
    """An operator of ours, by its name there and in the tables of peers, and how its results are compared.

    `given` makes the inputs of a corpus; `arguments` follow them. `check` gets a result and the inputs, and returns
    what is compared, if that is not the result itself.
    """

    op: str
    peers: str
    arguments: Values = ()
    options: dict[str, Any] = field(default_factory=dict)
    given: Given = lambda corpus: (corpus,)
    check: Callable[[Any, Values], Any] | None = None

    def comparison(self, title: str, inputs: Values, num_bytes: int) -> Comparison:
        values = (*inputs, *self.arguments)
        name = f"ours, {self.op}"
        fresh = values[0].make if isinstance(values[0], peers.Fresh) else None
        call: Callable[..., Any] = (
            partial(ours.CALLS[self.op], **self.options) if fresh else ours.made(self.op, values, **self.options)
        )
        call, read = call if isinstance(call, tuple) else (call, ours.READS.get(self.op, as_it_is))
        mine = Contender(name, call, read, prepare=fresh, ours=True)
        theirs: peers.Contenders = []
        for peer in self.peers.split():
            theirs += peers.contenders(peer, self.op, values, self.options, first=not theirs)
        out = call(fresh()) if fresh else call()
        traffic = num_bytes + ours.num_bytes(ours.tensors_of(out))
        found = [self.checked(c, values) if isinstance(c, Contender) else c for c in (mine, *theirs)]
        targets = [Target(name, c.group) for c in found if isinstance(c, Contender) and c.group]
        settled = [ours.with_clean_heap(contender) for contender in found]
        return Comparison(title, [*settled, *ours.memcpy(traffic)], list(dict.fromkeys(targets)), num_bytes)

    def checked(self, contender: Contender, values: Values) -> Contender:
        if self.check is not None and contender.read is not None:
            read, check = contender.read, self.check
            contender.read = lambda out: check(read(out), values)
        return contender

    def on(self, name: str, context: Context) -> Comparison:
        """The operation on a corpus."""
        found = context.corpus(name)
        shown = [repr(a) for a in self.arguments] + [f"{k}={v!r}" for k, v in self.options.items()]
        title = f"{self.op}({', '.join(shown)}): {len(found):,} {found.description}"
        return self.comparison(title, self.given(found), found.num_bytes)

    def of(self, title: str, make: Callable[[Context], Values], context: Context) -> Comparison:
        """The operation on other inputs."""
        inputs = make(context)
        sizes = (value.nbytes if hasattr(value, "nbytes") else getattr(value, "num_bytes", 0) for value in inputs)
        return self.comparison(title, inputs, sum(sizes))


def rows(
    op: str,
    inputs: str,
    peers: str,
    *arguments: Any,
    label: str = "",
    name: str = "",
    given: Given = lambda corpus: (corpus,),
    check: Callable[[Any, Values], Any] | None = None,
    **options: Any,
) -> list[Row]:
    """A row for each of `inputs`, names of corpora that `; ` divides; `name` is that of the rows, {} the input."""
    operation = Operation(op, peers, arguments, options, given, check)
    return [Row((name or f"{op}/{label}{{}}").format(x), partial(operation.on, x)) for x in inputs.split("; ")]


def row(
    name: str,
    op: str,
    make: Callable[[Context], Values],
    peers: str,
    *arguments: Any,
    check: Callable[[Any, Values], Any] | None = None,
    **options: Any,
) -> list[Row]:
    """A row on the inputs that `make` returns."""
    operation = Operation(op, peers, arguments, options, check=check)
    return [Row(name, partial(operation.of, f"{op}, {name.partition('/')[2] or 'all'}", make))]


def discover() -> dict[str, Row]:
    """All rows by name."""
    found: dict[str, Row] = {}
    for module in MODULES:
        for declared in importlib.import_module(f"benchmarks.{module}").ROWS:
            if declared.name in found:
                raise ValueError(f"benchmarks: two rows are named {declared.name}")
            found[declared.name] = declared
    return found
