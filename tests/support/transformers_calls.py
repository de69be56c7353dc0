"""Random calls of a tokenizer of `transformers`, made of two objects, whose results must be equal in everything."""

import random
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

# The attributes of a tokenizers.Encoding that are compared; `overflowing` is compared in turn.
FIELDS = [
    "ids", "type_ids", "tokens", "offsets", "word_ids", "sequence_ids", "special_tokens_mask", "attention_mask",
    "n_sequences",
]  # fmt: skip

# Options of a call, their values, and how often they are given.
OPTIONS: dict[str, tuple[Sequence[Any], float]] = {
    "padding": ([True, "longest", "max_length", "do_not_pad", False], 0.6),
    "truncation": ([True, "longest_first", "only_first", "only_second", "do_not_truncate", False], 0.5),
    "max_length": ([0, 1, 2, 3, 4, 5, 8, 8, 16, 40, 64], 0.5), "stride": ([0, 1, 2], 0.1),
    "pad_to_multiple_of": ([0, 1, 4, 7, 8], 0.15), "padding_side": (["left", "right"], 0.2),
    "add_special_tokens": ([False, True, 0], 0.3), "return_tensors": (["pt", "pt", "np"], 0.35),
    "return_token_type_ids": ([True, False], 0.3), "return_attention_mask": ([True, False], 0.2),
    "return_special_tokens_mask": ([True], 0.15), "return_length": ([True], 0.15),
    "return_offsets_mapping": ([True], 0.05), "return_overflowing_tokens": ([True], 0.05),
    "is_split_into_words": ([True], 0.05), "split_special_tokens": ([True, False], 0.05), "verbose": ([False], 0.2),
    "unknown_option": ([1], 0.02),
}  # fmt: skip


def draw_options(rng: random.Random) -> dict[str, Any]:
    scale = rng.choice([0.3, 1, 1, 2])  # many calls have one option or two
    options = {}
    for name, (values, share) in OPTIONS.items():
        if rng.random() < share * scale:
            options[name] = rng.choice(values)
    return options


def draw_inputs(rng: random.Random, texts: Sequence[str]) -> tuple[Any, Any]:
    """The arguments `text` and `text_pair`: mostly a list of texts."""

    def some() -> list[str]:
        return rng.choices(texts, k=rng.choice([1, 1, 2, 3, 8, 30]))

    kind = rng.random()
    if kind < 0.25:
        return rng.choice(texts), None
    if kind < 0.65:
        return rng.choice([list, list, list, tuple])(some()), None
    if kind < 0.72:
        return rng.choice(texts), rng.choice(["", rng.choice(texts)])
    if kind < 0.9:
        first = some()
        return first, rng.choices(texts, k=len(first))
    if kind < 0.93:
        return [(one, rng.choice(texts)) for one in some()], None
    if kind < 0.97:
        return [rng.choice(texts).split(" ") for _ in range(3)], None
    wrong: list[Any] = [
        [], "", [""], [None], [b"bytes"], 3, ["a", 1], ["\ud800"], [np.str_("a")], (["a"], ["b"]),
    ]  # fmt: skip
    return rng.choice(wrong), rng.choice([None, None, "b", ["b"], ["b", "c"]])


def outcome(call: Callable[[], Any]) -> tuple[Any, Any, list[str]]:
    """The result of a call, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found, error = call(), None
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # panics of Rust are no Exceptions
            found, error = None, (type(raised), str(raised))
    return found, error, [str(warning.message) for warning in caught]


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, with their types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride() and torch.equal(a, b)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and same(list(a.flat), list(b.flat))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def fields(encoding: Any) -> list[Any]:
    found = [getattr(encoding, name) for name in FIELDS]
    return [*found, [fields(one) for one in encoding.overflowing]]


def batch_difference(expected: Any, got: Any, *, encodings: bool) -> str | None:
    """The first difference between two BatchEncodings."""
    if type(expected) is not type(got):
        return f"type {type(got)}"
    if not hasattr(expected, "encodings"):
        return None if same(expected, got) else f"{got!r} instead of {expected!r}"
    if list(expected) != list(got):
        return f"keys {list(got)} instead of {list(expected)}"
    for name, value in expected.items():
        if not same(value, got[name]):
            return f"{name}: {got[name]!r} instead of {value!r}"
    if expected.n_sequences != got.n_sequences or expected.is_fast != got.is_fast:
        return f"n_sequences {got.n_sequences} instead of {expected.n_sequences}"
    if encodings and expected.is_fast:
        if len(expected.encodings) != len(got.encodings):
            return "number of encodings"
        for one, other in zip(expected.encodings, got.encodings, strict=True):
            if fields(one) != fields(other):
                return f"encoding: {fields(other)} instead of {fields(one)}"
    return None


def settings(tokenizer: Any) -> tuple[Any, ...]:
    backend = tokenizer.backend_tokenizer
    return (backend.truncation, backend.padding, backend.encode_special_tokens, dict(tokenizer.deprecation_warnings))


def call_difference(rng: random.Random, original: Any, ours: Any, texts: Sequence[str]) -> str | None:
    """Makes a random call of both, and returns the difference of the results."""
    if rng.random() < 0.15:
        return decode_difference(rng, original, ours, texts)
    options = draw_options(rng)
    text, pair = draw_inputs(rng, texts)
    if rng.random() < 0.05:
        options["text_target"] = rng.choice([text, "target"])
    method = rng.choices(["__call__", "encode", "tokenize"], [20, 2, 1])[0]
    if method == "tokenize":
        options = {}
    elif rng.random() < 0.1:
        options = {name: value for name, value in options.items() if name == "add_special_tokens"}
    shown = f"{method}({text!r}, {pair!r}, {options})"
    expected, error, warned = outcome(lambda: getattr(original, method)(text, pair, **options))
    got, other_error, other_warned = outcome(lambda: getattr(ours, method)(text, pair, **options))
    if error != other_error or warned != other_warned:
        return f"{shown}: {other_error}, {other_warned} instead of {error}, {warned}"
    if settings(original) != settings(ours):
        return f"{shown}: settings {settings(ours)} instead of {settings(original)}"
    if error is None and (found := batch_difference(expected, got, encodings=rng.random() < 0.1)):
        return f"{shown}: {found}"
    return None


def decode_difference(rng: random.Random, original: Any, ours: Any, texts: Sequence[str]) -> str | None:
    """Decodes random ids, or those of texts."""
    size = len(original)
    rows: Any = [[rng.randrange(size) for _ in range(rng.choice([0, 1, 3, 9]))] for _ in range(rng.choice([1, 2, 5]))]
    if rng.random() < 0.5:
        chosen = rng.choices(texts, k=3)
        rows, _ = [tokenizer(chosen)["input_ids"] for tokenizer in (original, ours)]
    kind = rng.random()
    if kind < 0.2:
        rows = np.array([row[:2] + [0] * (2 - len(row)) for row in rows])
    elif kind < 0.4:
        rows = torch.tensor([row[:2] + [0] * (2 - len(row)) for row in rows])
    elif kind < 0.5:
        rows[0] = [*rows[0], rng.choice([-1, size, size + 5, 2**40, 1.5, True, "a"])]
    elif kind < 0.6:
        rows = rng.choice([[], [[]], rows[0], 3, (tuple(rows[0]), rows[0])])
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        options["skip_special_tokens"] = rng.choice([True, False])
    if rng.random() < 0.3:
        options["clean_up_tokenization_spaces"] = rng.choice([True, False, None])
    method = rng.choice(["decode", "batch_decode"])
    expected = outcome(lambda: getattr(original, method)(rows, **options))
    got = outcome(lambda: getattr(ours, method)(rows, **options))
    if expected != got:
        return f"{method}({rows!r}, {options}): {got} instead of {expected}"
    return None
