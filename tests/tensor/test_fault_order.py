"""Of two faults that tracing can see, eager and fake mode report the same one."""

from typing import Any

from support.cases import each
from support.harness import Call, OpSuite, malformed
from support.registry import all_suites
from support.strings import compact
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

# Faults of strings that are not in values.
SEEN = ("offsets int64", "data of rank 2")


def text_of(suite: OpSuite, args: list[Any], kwargs: dict[str, Any]) -> str:
    try:
        suite.overload(*args, **kwargs)
    except Exception as error:
        return str(error)
    return ""


def fake_text_of(suite: OpSuite, args: list[Any], kwargs: dict[str, Any]) -> str:
    with FakeTensorMode() as mode:

        def faked(value: Any) -> Any:
            if isinstance(value, list):
                return [faked(item) for item in value]
            return mode.from_tensor(value) if isinstance(value, Tensor) else value

        args, kwargs = [faked(a) for a in args], {name: faked(value) for name, value in kwargs.items()}
    with mode:
        return text_of(suite, args, kwargs)


@each("name", sorted(all_suites()))
def test_two_faults(name: str):
    suite = all_suites()[name]
    pairs = malformed(*compact([b"ab", b"c"]))
    for bad, _ in suite.errors:
        args, kwargs = suite.tensors(bad)
        if not fake_text_of(suite, args, kwargs).startswith(suite.name_in_errors or suite.op):
            continue  # a fault of values, or bytes that a fake cannot take
        for position, _ in suite.string_pairs():
            for what in SEEN:
                both = (*bad.args[:position], pairs[what], *bad.args[position + 1 :])
                args, kwargs = suite.tensors(Call(both, bad.kwargs))
                eager, fake = text_of(suite, args, kwargs), fake_text_of(suite, args, kwargs)
                assert fake == eager, f"{what}, {bad}"
