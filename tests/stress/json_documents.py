"""Values of a million JSON documents compared with Python's json; a third of the documents are damaged.

    stress json_documents [--documents N] [--seed S]

Ends with code 1 at the first difference. Python's json accepts NaN, Infinity and more depth, which is left out here.
"""

import json
import random
from typing import Any

import torch
from support.programs import options

import torch_stringops as so

BATCH = 5000
KEYS = ["a", "b", "c", "id", "a b", "", "\u00e9", 'quote"', "back\\slash", "\U0001f600"]
TEXTS = [
    "", "plain", "two words", 'a "quote"', "back\\slash", "line\nbreak", "\x00\x1f", "caf\u00e9", "\U0001f600",
    "\ud800",
]  # fmt: skip
PATHS = {
    "$": [], "$.a": ["a"], "$.a.b": ["a", "b"], "$[0]": [0], "$.b[1].a": ["b", 1, "a"], '$["a b"][""]': ["a b", ""],
}  # fmt: skip
DAMAGE = [
    "", ",", ":", '"', "\\", "[", "]", "{", "}", "0", "-", ".", "e", " ", "\n", "\x00", "\ud800", "nul", "'",
]  # fmt: skip


def drawn(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(10) if depth < 4 else rng.randrange(6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randrange(-(10 ** rng.randrange(1, 25)), 10 ** rng.randrange(1, 25))
    if kind == 2:
        return rng.gauss(0, 1) * 10.0 ** rng.randrange(-30, 30)
    if kind < 6:
        return "".join(rng.choice(TEXTS) for _ in range(rng.randrange(5)))
    if kind < 8:
        return [drawn(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(KEYS): drawn(rng, depth + 1) for _ in range(rng.randrange(5))}


def document(rng: random.Random) -> bytes:
    text = json.dumps(
        drawn(rng),
        ensure_ascii=rng.random() < 0.5,
        indent=rng.choice([None, None, 0, 2]),
        separators=rng.choice([None, (",", ":"), (" , ", "\t:\r\n")]),
    )
    if rng.random() < 0.3:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(DAMAGE) + text[at + rng.randrange(2) :]
    return text.encode(errors="surrogatepass")


def no_constant(name: str) -> Any:
    raise ValueError(name)


def of_python(raw: bytes) -> Any:
    return json.loads(raw.decode(), parse_constant=no_constant)


def at_path(value: Any, steps: list[Any]) -> Any:
    for step in steps:
        if not isinstance(value, list if isinstance(step, int) else dict):
            raise KeyError
        value = value[step]
    return value


def repaired(text: str) -> str:
    """The text with U+FFFD for halves of surrogate pairs."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_same(got: dict[str, Any], value: Any) -> bool:
    text = got["text"]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return bool(
        (text == repaired(value) if isinstance(value, str) else of_python(text.encode()) == value)
        and got["int"] == (value if fits else None)
        and got["float"] == (float(value) if is_number else None)
        and got["bool"] == (value if isinstance(value, bool) else None)
    )


def difference(documents: list[bytes]) -> str:
    dtypes = {"text": None, "int": torch.int64, "float": torch.float64, "bool": torch.bool}
    fields = {f"{path} {name}": (path, dtype) for path in PATHS for name, dtype in dtypes.items()}
    found = so.json_fields(documents, fields, errors="missing")
    lists = {name: (values.tolist(), present.tolist()) for name, (values, present) in found.items()}
    for i, raw in enumerate(documents):
        try:
            whole, is_json = of_python(raw), True
        except ValueError:  # also of bytes that are not UTF-8
            whole, is_json = None, False
        for path, steps in PATHS.items():
            columns = {name: lists[f"{path} {name}"] for name in dtypes}
            got = {name: values[i] if present[i] else None for name, (values, present) in columns.items()}
            try:
                if not is_json:
                    raise KeyError
                same = is_same(got, at_path(whole, steps))
            except LookupError:
                same = got == dict.fromkeys(got)
            if not same:
                return f"json_documents: {path} of {raw!r} is {got}"
    return ""


def main() -> int:
    args = options(__doc__, documents=1_000_000, seed=0)
    rng = random.Random(args.seed)
    done = 0
    while done < args.documents:
        documents = [document(rng) for _ in range(min(BATCH, args.documents - done))]
        if found := difference(documents):
            print(found)
            return 1
        done += len(documents)
    print(f"json_documents: {done} documents, no difference")
    return 0
