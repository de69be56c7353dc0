"""Malformed arguments of every operator: an error that names the operator or a valid result, never a crash.

    stress malformed_arguments [OPERATOR ...]     in child processes; prints the number of calls, and what went wrong

Operators, overloads and types of arguments come from torch's registry, valid arguments from the first sample of each
suite, malformed ones from malformed_values.py and, for string pairs, from tests/support/harness.py. Case i is the
same in every process: after a crash, a new child continues with the next case. An error must have a known type and,
if it is ours, begin with the operator's name; for the errors of the suite and for the faults of strings that are not in
values, tracing, which runs the fake kernel, must raise the same one. A result must have valid offsets and, for arguments
in another memory layout, equal that of a plain copy.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from stress import malformed_values
from support.harness import Call, OpSuite, is_pair, malformed
from support.programs import Children, report_position
from support.registry import all_suites
from support.strings import compact
from support.threads import divide_small_work
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map_only

# Errors of torch, for calls that do not reach the operator, and ours.
FOREIGN = (TypeError, RuntimeError, NotImplementedError, MemoryError, OverflowError, UnicodeEncodeError)
OURS = (ValueError, IndexError)
MAX_TEXT = 1000
MAX_SECONDS = 10.0
# An allocation whose size depends on an attribute must fail, not exhaust the memory of the machine.
ADDRESS_SPACE = 24 << 30
# Faults of a string pair that tracing must report: they are not in values.
TRACED = ("offsets int64", "offsets of rank 0", "offsets empty", "data int8", "data of rank 2")


@dataclass
class Case:
    suite: OpSuite
    name: str
    args: list[Any]
    kwargs: dict[str, Any]
    must_fail: bool = False
    traced: bool = False  # whether tracing must fail, too
    compared: bool = False  # whether tracing must raise the same error, or none
    # The same call with plain tensors, if the results must be equal.
    plain: list[Any] | None = None


def plain_copy(t: Tensor) -> Tensor:
    return t.detach().as_subclass(Tensor).resolve_neg().resolve_conj().clone(memory_format=torch.contiguous_format)


class Maker:
    """Makes a case of each malformed version of each valid argument, if it has such a version."""

    def __init__(self, suite: OpSuite) -> None:
        self.suite = suite
        self.arguments = suite.overload._schema.arguments
        self.positional = [a for a in self.arguments if not a.kwarg_only]
        sample = next((s for s in suite.samples if s.args[:1] != ([],)), suite.samples[0])
        args, kwargs = suite.tensors(sample)
        # All arguments as positional ones.
        self.args = [
            args[i] if i < len(args) else kwargs.get(a.name, a.default_value) for i, a in enumerate(self.positional)
        ]
        self.kwargs = {a.name: kwargs[a.name] for a in self.arguments if a.kwarg_only and a.name in kwargs}

    def case(self, name: str, changes: dict[int, Any], **rest: Any) -> Case:
        args = [changes.get(i, value) for i, value in enumerate(self.args)]
        return Case(self.suite, name, args, dict(self.kwargs), **rest)

    def cases(self) -> Iterator[Case | None]:
        for i, argument in enumerate(self.arguments):
            if is_pair(self.arguments, i):
                for what, (data, offsets) in malformed(*compact([b"ab", b"c"])).items():
                    rest = {"must_fail": True, "traced": what in TRACED}
                    yield self.case(f"{argument.name}: {what}", {i: data, i + 1: offsets}, **rest)
            if "Tensor" in str(argument.type):
                yield from self.of_tensor(i, argument)
            else:
                yield from self.of_attribute(i, argument)
        yield from self.declared()
        yield Case(self.suite, "no arguments", [], {}, must_fail=True)
        yield Case(self.suite, "one argument too many", [*self.args, 1], self.kwargs, must_fail=True)
        yield Case(self.suite, "an unknown argument", self.args, {**self.kwargs, "nonsense": 1}, must_fail=True)

    def declared(self) -> Iterator[Case]:
        """The errors of the suite; and of one that tracing reports and malformed strings, the same must be reported."""
        pairs = malformed(*compact([b"ab", b"c"]))
        for bad, _ in self.suite.errors:
            args, kwargs = self.suite.tensors(bad)
            yield Case(self.suite, str(bad), args, kwargs, must_fail=True, compared=True)
            if not text_of(fake_error(self.suite, args, kwargs)).startswith(names(self.suite)):
                continue
            for position, _ in self.suite.string_pairs():
                for what in ("offsets int64", "data of rank 2"):
                    both = (*bad.args[:position], pairs[what], *bad.args[position + 1 :])
                    args, kwargs = self.suite.tensors(Call(both, bad.kwargs))
                    yield Case(self.suite, f"{what} and {bad}", args, kwargs, must_fail=True, traced=True)

    def of_tensor(self, i: int, argument: Any) -> Iterator[Case | None]:
        valid = self.args[i]
        if not isinstance(valid, Tensor):
            valid = torch.tensor(0, dtype=torch.int64)  # for an optional argument that the sample omits
        for what, make in malformed_values.LAYOUTS.items():
            value = made(make, valid)
            copied = None if value is None else made(plain_copy, value)  # None for a negative view of bools
            if copied is not None:
                plain = [copied if j == i else a for j, a in enumerate(self.args)]
                yield self.case(f"{argument.name}: {what}", {i: value}, plain=plain)
            else:
                yield None
        for what, make in malformed_values.TENSORS.items():
            value = made(make, valid)
            if value is None and what != "None":
                yield None
                continue
            must_fail = "storage" in what
            yield self.case(f"{argument.name}: {what}", {i: value}, must_fail=must_fail)

    def of_attribute(self, i: int, argument: Any) -> Iterator[Case]:
        for what, value in malformed_values.values_for(str(argument.type)).items():
            if argument.kwarg_only:
                made_case = self.case(f"{argument.name}: {what}", {})
                made_case.kwargs[argument.name] = value
                # Of two arguments that exclude each other, only this one.
                if argument.name in self.suite.exclusive:
                    for other in set(self.suite.exclusive) - {argument.name}:
                        made_case.kwargs.pop(other, None)
                yield made_case
            else:
                yield self.case(f"{argument.name}: {what}", {i: value})


def made(make: Callable[[Tensor], Any], valid: Tensor) -> Any:
    try:
        return make(valid)
    except Exception:
        return None


def all_cases(chosen: list[str]) -> Iterator[Case]:
    for suite in all_suites().values():
        if not chosen or suite.op in chosen:
            yield from (case for case in Maker(suite).cases() if case is not None)


def run_case(case: Case) -> str:
    """A description of what is wrong with the outcome, or ""."""
    overload = case.suite.overload
    began = time.process_time()  # of this process, as others may use the machine
    try:
        results = overload(*case.args, **case.kwargs)
    except (*OURS, *FOREIGN) as error:
        return wrong_error(case, error) or wrong_when_traced(case, error)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    seconds = time.process_time() - began
    if seconds > MAX_SECONDS:
        return f"took {seconds:.1f} s"
    if case.must_fail:
        return "no error"
    results = [results] if isinstance(results, Tensor) else list(results)
    wrong = wrong_results(case, results)
    if wrong or case.plain is None:
        return wrong
    wanted = overload(*case.plain, **case.kwargs)
    wanted = [wanted] if isinstance(wanted, Tensor) else list(wanted)
    same = len(results) == len(wanted) and all(
        r.shape == w.shape and r.dtype == w.dtype and torch.equal(bits(r), bits(w))
        for r, w in zip(results, wanted, strict=True)
    )
    return "" if same else "a different result than with a plain copy"


def bits(t: Tensor) -> Tensor:
    return plain_copy(t).reshape(-1).view(torch.uint8)


def text_of(error: BaseException | None) -> str:
    return "" if error is None else str(error)


def names(suite: OpSuite) -> tuple[str, ...]:
    return suite.op, suite.name_in_errors or suite.op


def fake_error(suite: OpSuite, args: list[Any], kwargs: dict[str, Any]) -> Exception | None:
    """What the call raises when it is traced."""
    with FakeTensorMode() as mode:
        args, kwargs = tree_map_only(Tensor, mode.from_tensor, (args, kwargs))
    try:
        with mode:
            suite.overload(*args, **kwargs)
    except Exception as error:
        return error
    return None


def wrong_when_traced(case: Case, error: BaseException) -> str:
    if not (case.traced or case.compared):
        return ""
    try:
        fake = fake_error(case.suite, case.args, case.kwargs)
    except Exception:
        return ""  # tensors that torch does not trace
    if fake is None:
        return f"no error when traced, but {str(error)[:200]!r}" if case.traced else ""
    # torch's names of some dtypes differ in C++ and in Python.
    text = str(error).replace("ComplexHalf", "complex32").replace("Float8", "float8")
    ours = text_of(fake).startswith(names(case.suite))
    if text_of(fake) == text or not (ours or case.traced):
        return ""
    return f"{str(error)[:200]!r}, but when traced {text_of(fake)[:200]!r}"


def wrong_error(case: Case, error: BaseException) -> str:
    text = str(error)
    said = f"{type(error).__name__}: {text[:200]!r}"
    if len(text) > MAX_TEXT and not isinstance(error, FOREIGN):
        return f"a text of {len(text)} characters: {said}"
    if isinstance(error, UnicodeDecodeError):  # at 0, from torch, which passes bytes to a Python function
        return "" if error.start == 0 else f"an error whose text is not UTF-8: {said}"
    if "Exceeds the limit (4300 digits)" in text:  # from Python, of which torch asks for the text of an int
        return ""
    if isinstance(error, OURS) and not isinstance(error, UnicodeEncodeError):
        allowed = names(case.suite)
        if case.suite.op in ("_split_sizes", "_string_cat"):  # use the name that they are given
            allowed += tuple(a for a in case.args if isinstance(a, str))
        if not text.startswith(allowed):
            return f"a text that does not begin with the operator's name: {said}"
    return said if "INTERNAL ASSERT" in text else ""


def wrong_results(case: Case, results: list[Any]) -> str:
    names = [r.name for r in case.suite.overload._schema.returns]
    if len(names) != len(results):  # a list of tensors, or of pairs
        names = ["data", "offsets"] * (len(results) // 2) if case.suite.overload_name.startswith("strings") else []
    for name, data, offsets in zip(names, results, results[1:], strict=False):
        if name == "data" and data.device.type == "cpu":
            raw = offsets.reshape(-1, offsets.shape[-1]) if offsets.numel() else offsets.reshape(0, 1)
            if raw.numel() and (bool((raw.diff(dim=-1) < 0).any()) or raw.min() < 0 or raw.max() > data.numel()):
                return "results whose offsets are malformed"
    return ""


def child(first: int, chosen: list[str], progress: int) -> None:
    if os.environ.get("STRINGOPS_STRESS_LIMIT", "1") == "1":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    torch.set_num_threads(2)
    divide_small_work()
    counts: dict[str, int] = {}
    for i, case in enumerate(all_cases(chosen)):
        name = f"{case.suite.op}.{case.suite.overload_name}"
        counts[name] = counts.get(name, 0) + 1
        if i < first:
            continue
        report_position(progress, f"{i} {name} {case.name}")
        began = time.monotonic()
        wrong = run_case(case)
        if wrong:
            print(f"  {name}, {case.name}: {wrong}", flush=True)
        if (seconds := time.monotonic() - began) > 0.3 and os.environ.get("STRINGOPS_STRESS_SLOW"):
            print(f"{seconds:.2f} s: {name}, {case.name}", flush=True)
    print(f"SUMMARY {len(counts)} {sum(counts.values())} {min(counts.values())}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--first", type=int, default=0, help="index of the first case")
    parser.add_argument("--progress", type=int, help="run in this process, and report to this file descriptor")
    options = parser.parse_args()
    if options.progress is not None:
        child(options.first, options.operators, options.progress)
        return 0

    began = time.monotonic()
    children = Children("malformed_arguments", *options.operators)
    children.run(
        resume=lambda position: ["--first", str(int(position.split()[0]) + 1)],
        describe=lambda position: position.partition(" ")[2],
    )
    wrong = [line for line in children.lines if line.startswith("  ")]
    print("".join(f"{line}\n" for line in wrong), end="")
    if children.summary:
        operators, calls, min_values = children.summary
        print(
            f"{operators} operators x {min_values} values or more: {calls} calls, {children.crashes} crashes, "
            f"{len(wrong)} defects, in {time.monotonic() - began:.0f} s"
        )
    return 1 if wrong else 0
