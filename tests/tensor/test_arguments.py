"""Each argument of each public function and method with a value of the wrong type or far out of range: an error of a
known type that names the function and has less than 1 KB, or a valid result.

tests/stress/malformed_arguments.py does this for operators, in child processes.
"""

import math
from typing import Any

import numpy as np
import pytest
import torch
from stress.malformed_values import OTHERS
from support.arguments import CLASSES, NEVER, SUBJECTS, Subject
from support.cases import each
from support.registry import OVERLOADS

import torch_stringops as so
from torch_stringops import StringTensor, data, nn, pretrain

LIMIT = 1024
ALLOWED = (LookupError, TypeError, ValueError, IndexError, RuntimeError, OverflowError)
# Other errors that Python raises, or torch (about devices and batches).
ALSO: dict[str, type[Exception]] = {
    "Vocabulary.__getitem__:key": KeyError,
    "StringTensor.cuda:device": AssertionError,
    "collate_strings:batch": KeyError,
}
# Arguments for which Python raises errors that name the file.
PATHS = {"path", "paths", "source", "folder", "vocabulary", "name_or_path"}
# Options that are compared with their choices: `array == "left"` is an array.
CHOICES = {"side", "padding_value", "compat", "mincharnum", "pad_value", "tier", "num_outputs", "opset"}
LONG = "\ud800" + "x" * 10**5
WRONG: dict[str, Any] = {
    **{str(number): number for number in (1, 1.5, math.nan, 2**62, 2**64, -(2**64))},
    "10**5000": 10**5000,
    "long bytes": LONG[1:].encode(),
    "long str": LONG[1:],
    "long str with a lone surrogate": LONG,
    "list of ints": list(range(10**4)),  # each may be a split position
    "list of long strs": [LONG, LONG[1:]],
    "Tensor": torch.zeros(2, dtype=torch.complex64),
    "array": np.array(["a", "b"]),
    **OTHERS,
}


def outcome(s: Subject, position: int | str, wrong: Any) -> Exception | None:
    args, kwargs = list(s.args), dict(s.kwargs)
    if isinstance(position, int):
        args[position] = wrong
    else:
        kwargs[position] = wrong
    try:
        result = s.function(*args, **kwargs)
    except Exception as error:
        return error
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, StringTensor):
            part.validate()
    return None


def complaint(s: Subject, position: int | str, error: Exception) -> str:
    """A description of what is wrong with an error, or ""."""
    if isinstance(error, ALSO.get(f"{s.name}:{s.tried[position]}", ())):
        return ""
    if not PATHS.isdisjoint(s.tried.values()) and isinstance(error, (OSError, UnicodeEncodeError)):
        return ""
    text = str(error)
    if not isinstance(error, ALLOWED) or isinstance(error, UnicodeError):
        return f"{type(error).__name__}: {text[:200]}"
    if "CUDA error" in text:
        return ""  # of torch, on a machine with a GPU
    if len(text) >= LIMIT:
        return f"{len(text)} characters: {text[:200]}"
    if "ambiguous" in text and s.tried[position] in CHOICES:
        return f"the truth of an array: {text[:200]}"
    named = text.removeprefix("'").startswith((f"{s.errors_name}: ", f"{s.errors_name}()"))
    named = named and "torch.ops" not in text and "csrc/" not in text
    return "" if named else f"another name: {text[:200]}"


def test_all_public_classes_are_checked():
    public = {v for module in (so, nn, data, pretrain) for v in vars(module).values() if isinstance(v, type)}
    assert {kind for kind in public if kind.__module__.startswith("torch_stringops.")} == CLASSES.keys()


def test_arguments_of_the_wrong_type():
    complaints = []
    for s in SUBJECTS.values():
        for position, parameter in s.tried.items() if not s.name.startswith("stringops::") else ():
            for kind, wrong in WRONG.items():
                error = outcome(s, position, wrong)
                if error is None:
                    continue
                if text := complaint(s, position, error):
                    complaints.append(f"{s.name}, {parameter}, {kind}: {text}")
    assert not complaints, "\n".join(complaints).encode("ascii", "backslashreplace").decode()


def test_numbers_of_numpy_are_taken_where_those_of_python_are():
    tried, refused = 0, []
    for name in sorted(SUBJECTS.keys() - NEVER):
        s = SUBJECTS[name]
        for position, parameter in s.tried.items():
            if parameter == "color":  # a flag, for which an int is taken
                continue
            value = s.args[position] if isinstance(position, int) else s.kwargs.get(position)
            for number in (value,) if value is not None else (3, 1, 0.5):
                kind = {int: np.int16, float: np.float32}.get(type(number))
                if kind is None or abs(number) >= 2**15 or outcome(s, position, number) is not None:
                    continue
                error = outcome(s, position, kind(number))
                refused += [] if error is None else [f"{name}, {parameter}, {kind.__name__}: {error}"]
                tried += 1
    assert tried > 350
    assert not refused, "\n".join(refused)


@each("name", sorted(SUBJECTS.keys() - NEVER))
def test_default_arguments_of_the_test_are_valid(name: str):
    SUBJECTS[name].function(*SUBJECTS[name].args, **SUBJECTS[name].kwargs)


TEXT_ARGUMENTS = [
    (op, argument.name, "List" in str(argument.type))
    for op in OVERLOADS
    if op in so.__all__
    for argument in getattr(torch.ops.stringops, op).default._schema.arguments
    if "str" in str(argument.type)
]


@each(("op", "name", "listed"), TEXT_ARGUMENTS)
def test_text_that_utf8_cannot_hold_is_rejected_by_name(op: str, name: str, listed: bool):
    s = SUBJECTS[op]
    position = next(position for position, tried in s.tried.items() if tried == name)
    error = outcome(s, position, ["a", "ab" + LONG] if listed else "ab" + LONG)
    assert type(error) is ValueError
    assert str(error) == (
        f"{op}: expected `{name}{'[1]' if listed else ''}` to be text that UTF-8 can hold, got a lone surrogate at "
        "codepoint 2 (encode it yourself, and pass bytes)"
    )


@pytest.mark.parametrize("name", ["string_split", "StringTensor.strip", "Vocabulary"])
def test_a_fault_of_an_error_is_reported(name: str):
    """The matrix notices another name, another type, and a long text."""
    s = SUBJECTS[name]
    position = next(iter(s.tried))
    assert complaint(s, position, ValueError("wrong"))
    assert complaint(s, position, KeyError(f"{s.errors_name}: wrong")) == ""
    assert complaint(s, position, AssertionError(f"{s.errors_name}: wrong"))
    assert complaint(s, position, ValueError(f"{s.errors_name}: " + "x" * LIMIT))
