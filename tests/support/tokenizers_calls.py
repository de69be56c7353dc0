"""Random calls of a `tokenizers.Tokenizer` and of ours, whose results must be equal in everything."""

import random
from collections.abc import Sequence
from typing import Any

from support.transformers_calls import FIELDS, fields, outcome, same

METHODS = ["encode", "encode_batch", "encode_batch_fast", "decode", "decode_batch"]
OTHERS = ["token_to_id", "id_to_token", "get_vocab_size", "num_special_tokens_to_add"]


def changed(rng: random.Random, pair: tuple[Any, Any]) -> None:
    """Changes the settings of truncation and padding of both; some of these changes raise an error."""
    left, multiple = rng.choice(["left", "right"]), rng.choice([None, 4, 7])
    kind = rng.choice(["truncation", "padding", "no truncation", "no padding", "special"])
    if kind == "special":
        value = rng.random() < 0.3
    length = rng.choice([0, 1, 2, 3, 5, 8, 30])
    stride = rng.choice([0, 0, 1]) if length >= 8 else 0  # `tokenizers` panics if the stride is not less
    strategy = rng.choice(["longest_first", "longest_first", "only_first", "only_second"])
    fixed, pad_id = rng.choice([None, None, 5, 20]), rng.choice([0, 3, 10**6])

    def change(tokenizer: Any) -> None:
        if kind == "truncation":
            tokenizer.enable_truncation(length, stride=stride, strategy=strategy, direction=left)
        elif kind == "padding":
            options = {"direction": left, "pad_id": pad_id, "pad_type_id": 1, "pad_token": "<pad>"}
            tokenizer.enable_padding(length=fixed, pad_to_multiple_of=multiple, **options)
        elif kind == "no truncation":
            tokenizer.no_truncation()
        elif kind == "no padding":
            tokenizer.no_padding()
        else:
            tokenizer.encode_special_tokens = value

    _, error, _ = outcome(lambda: change(pair[0]))
    _, other, _ = outcome(lambda: change(pair[1]))
    assert error == other


def draw_call(rng: random.Random, texts: Sequence[str], size: int) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """The name, arguments and options of a call."""

    def some() -> list[str]:
        return rng.choices(texts, k=rng.choice([1, 1, 2, 3, 8, 30]))

    def ids() -> list[Any]:
        row: list[Any] = [rng.randrange(size) for _ in range(rng.choice([0, 1, 3, 9]))]
        return [*row, rng.choice([-1, size + 5, 2**40, 1.5, True, "a"])] if rng.random() < 0.1 else row

    method = rng.choices([*METHODS, rng.choice(OTHERS)], [4, 6, 4, 2, 2, 1])[0]
    options: dict[str, Any] = {}
    if method.startswith("encode"):
        if rng.random() < 0.3:
            options["add_special_tokens"] = rng.choice([False, True, 0])
        if rng.random() < 0.05:
            options["is_pretokenized"] = True
        words = rng.random() < 0.05
        if method == "encode":
            first: Any = rng.choice(texts).split(" ") if words else rng.choice([*some(), "\ud800", 3, None])
            pair = rng.choice([None, None, "", rng.choice(texts)])
            return method, (first, pair) if rng.random() < 0.7 else (first,), options
        kind = rng.random()
        batch: Any = some()
        if kind < 0.3:
            batch = [(one, rng.choice(texts)) for one in batch]
        elif kind < 0.4:
            wrong = [
                [], (), "", [""], [None], ["a", ("b", "c")], [["a", "b"]], [("a",)], [("a", 1)], (["a"], ["b"]),
            ]  # fmt: skip
            batch = rng.choice([*wrong, ["a", "\ud800"], ("a", "b"), [("a", "\ud800")]])
        return method, ([row.split(" ") for row in some()] if words else batch,), options
    if method.startswith("decode"):
        if rng.random() < 0.5:
            options["skip_special_tokens"] = rng.choice([True, False, False, 1])
        if method == "decode":
            return method, (rng.choice([ids(), ids(), tuple(ids()), 3]),), options
        return method, (rng.choice([[ids() for _ in range(3)], [ids(), tuple(ids())], [], [[]], 3]),), options
    argument = {"token_to_id": rng.choice(texts)[:2], "id_to_token": rng.randrange(size + 3)}
    return method, (argument.get(method, rng.random() < 0.5),), options


def values(found: Any, names: Sequence[str] | None) -> Any:
    """The fields of encodings; those of `names` only, or all."""
    if isinstance(found, list) and found and hasattr(found[0], "ids"):
        return [values(one, names) for one in found]
    if hasattr(found, "ids"):
        return [len(found), *([getattr(found, name) for name in names] if names else fields(found))]
    return found


def call_difference(rng: random.Random, original: Any, ours: Any, texts: Sequence[str]) -> str | None:
    """Makes a random call of both, and returns the difference of the results."""
    method, arguments, options = draw_call(rng, texts, original.get_vocab_size())
    shown = f"{method}{arguments!r}, {options}"
    expected, error, _ = outcome(lambda: getattr(original, method)(*arguments, **options))
    got, other_error, _ = outcome(lambda: getattr(ours, method)(*arguments, **options))
    if error != other_error:
        return f"{shown}: {other_error} instead of {error}"
    # Served fields are read before those of `tokenizers`, after which all fields are its own.
    served = ["ids", "type_ids", "attention_mask", "special_tokens_mask"]
    for names in (rng.sample(served, rng.randint(1, 4)), None if rng.random() < 0.2 else rng.sample(FIELDS, 2)):
        if not same(values(expected, names), values(got, names)):
            return f"{shown}: {names}: {values(got, names)!r} instead of {values(expected, names)!r}"
    return None
