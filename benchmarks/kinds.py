"""Corpora of one kind, drawn from a fixed seed: logs, fields, numbers, times, JSON, distinct strings."""

import json
import random
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

import torch_stringops
from benchmarks.corpora import MAKERS, SEED, Corpus, from_strings, words_of

Maker = Callable[[random.Random], bytes]


def server_line(rng: random.Random) -> bytes:
    address = ".".join(str(rng.randrange(256)) for _ in range(4))
    time = f"22/Nov/2026:10:{rng.randrange(60):02}:{rng.randrange(60):02}"
    page = f"GET /page{rng.randrange(1000)}.html HTTP/1.1"
    return f'{address} user{rng.randrange(100)} [{time}] "{page}" 200 {rng.randrange(10000)}'.encode()


def each(name: str, description: str, make: Maker, count: int) -> Corpus:
    rng = random.Random(SEED)
    return from_strings(name, description, [make(rng) for _ in range(count)])


def contacts(count: int) -> Corpus:
    """Texts of W1, half of them with an address, the others with a date."""
    rng, texts = random.Random(SEED), MAKERS["W1"][0](count + 1).encoded

    def text(i: int) -> bytes:
        address = b"name%d@host%d.example.org" % (rng.randrange(1000), rng.randrange(100))
        middle = address if rng.random() < 0.5 else b"2026-11-%02d" % rng.randrange(1, 31)
        return b" ".join([texts[i], middle, texts[i + 1]])

    return from_strings("contacts", "texts with addresses and dates", [text(i) for i in range(count)])


def numbers(kind: str, count: int) -> Corpus:
    rng = np.random.default_rng([SEED, 11])
    texts = {
        "integers": lambda: [b"%d" % v for v in rng.integers(0, 10 ** rng.integers(1, 10, count)).tolist()],
        "prices": lambda: [b"%.2f" % v for v in rng.normal(0, 3000, count).tolist()],
        "floats": lambda: [repr(v).encode() for v in rng.normal(0, 1, count).tolist()],
    }
    return from_strings(kind, kind, texts[kind]())


ISO, WEB = "%Y-%m-%dT%H:%M:%S", "%d/%b/%Y:%H:%M:%S"


def times(count: int) -> Corpus:
    values = np.random.default_rng([SEED, 33]).integers(0, 2**32, count)
    strings = torch_stringops.string_from_datetime(torch.from_numpy(values), WEB, unit="s")
    return from_strings("times", "times", strings.tolist(as_bytes=True))


def documents(count: int) -> Corpus:
    """JSON of about 200 bytes."""
    rng = random.Random(SEED)
    drawn = words_of(MAKERS["W1"][0](MAKERS["W1"][1])).strings

    def text(most: int) -> str:
        return " ".join(rng.choices(drawn, k=rng.randrange(1, most)))

    def document() -> bytes:
        user = {"name": text(4), "tags": rng.choices(drawn, k=3), "score": round(rng.gauss(0, 100), 3)}
        value = {
            "id": rng.randrange(10**9),
            "user": user,
            "text": text(30),
            "ok": rng.random() < 0.5,
            "none": None,
        }
        return json.dumps(value, ensure_ascii=rng.random() < 0.1).encode()

    return from_strings("users", "JSON documents", [document() for _ in range(count)])


def distinct(string_of: Callable[[int], bytes], count: int) -> Corpus:
    """Of `string_of` each number from 0, in random order."""
    order = np.random.default_rng([SEED, 15]).permutation(count)
    return from_strings("distinct", "distinct strings", [string_of(i) for i in order.tolist()])


def uuid(i: int) -> bytes:
    return b"%08x-%04x-4000-8000-%012x" % (i * 2654435761 % 2**32, i % 2**16, i)


def lines_of_w5(count: int) -> Corpus:
    text = MAKERS["W5"][0](640 * count).encoded[0]
    return from_strings("lines of W5", "lines of log text", text.splitlines()[:count])


MAKERS.update(
    {
        "server log": (partial(each, "server log", "lines of the log of a server", server_line), 100_000),
        "contacts": (contacts, 99_999),
        **{kind: (partial(numbers, kind), 500_000) for kind in ("integers", "prices", "floats")},
        "web times": (times, 500_000),
        "users": (documents, 50_000),
        "hexadecimal numbers": (partial(distinct, lambda i: b"%x" % i), 500_000),
        "3M hexadecimal numbers": (partial(distinct, lambda i: b"%x" % i), 3_000_000),
        "UUIDs": (partial(distinct, uuid), 500_000),
        "long strings": (
            lambda size: from_strings("long strings", "strings of 1 MB", [b"x" * size] * 20),
            2**20,
        ),
        "lines of W5": (lines_of_w5, 100_000),
    }
)
