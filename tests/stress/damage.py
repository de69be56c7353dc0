"""Damaged and malformed input for every entry point that reads external data: pickles, files of torch.save,
state_dicts, files of words, of tokenizers and of tables, Arrow structures.

A function of ENTRY_POINTS makes an input from a random generator, reads it, and uses the resulting object. It raises
Finding if the object is invalid; an exception of another type means that the input was rejected.
"""

from __future__ import annotations

import contextlib
import gc
import io
import pickle
import random
import tempfile
import zipfile
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from support.arrow import Producer, Streaming, i32, i64, view
from support.modules import earlier_state
from support.subword_small import LINES, tokenizer
from torch import Tensor

from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary
from torch_stringops.string_tensor import rebuild
from torch_stringops.subword._saved import saved_form

WORDS = ["to", "be", "or", "not", "", "caf\xe9", "internationalisation", "\u65e5\u672c"]


class Finding(BaseException):
    """An entry point accepted an invalid object, or did not release an input."""


def require(condition: bool, text: str) -> None:
    if not condition:
        raise Finding(text)


def flip(rng: random.Random, raw: bytes) -> bytes:
    """`raw` with a few bytes changed, removed, repeated or moved."""
    damaged = bytearray(raw)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(damaged) + 1)
        match rng.randrange(6):
            case 0 | 1 if damaged:
                damaged[at % len(damaged)] ^= 1 << rng.randrange(8)
            case 2 if damaged:
                damaged[at % len(damaged)] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            case 3:
                del damaged[at : at + rng.randrange(1, 9)]
            case 4:
                damaged[at:at] = damaged[at : at + rng.randrange(1, 33)]
            case _:
                del damaged[at : None if rng.random() < 0.2 else at + 1]
    return bytes(damaged)


def use(object: Any) -> None:
    """Raises Finding if an object that was accepted is not valid; otherwise uses it."""
    if isinstance(object, StringTensor) and not object.data.is_meta:
        try:
            object.validate()
        except (ValueError, RuntimeError) as error:
            raise Finding(f"accepted, but not valid: {error}") from error
        object.tolist(as_bytes=True)
        object.split(",") if object.dim() else None
        require(bool((object == object).all()), "strings are not equal to themselves")
    if isinstance(object, Vocabulary):
        use(object.tokens)
        with contextlib.suppress(ValueError, RuntimeError):  # a table that vocab_encode rejects
            object.encode(["to", "nowhere", ""])
        len(object), repr(object)


def narrow(raw: bytes, allowed: set[tuple[str, str]]) -> Any:
    """pickle.loads, restricted to the names that the undamaged pickle uses."""

    class Narrow(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if (module, name) not in allowed:
                raise pickle.UnpicklingError(name)
            return super().find_class(module, name)

    return Narrow(io.BytesIO(raw)).load()


def names_in(raw: bytes) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()

    class Listing(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            found.add((module, name))
            return super().find_class(module, name)

    Listing(io.BytesIO(raw)).load()
    return found


STRINGS = [
    StringTensor.from_list(WORDS),
    StringTensor.from_list([WORDS[:4], WORDS[4:]]),
    StringTensor.from_list("alone"),
    StringTensor.from_list(["x" * 300, ""] * 9),
]
VOCABULARY = Vocabulary([w for w in WORDS if w], unknown_token="be")


def forged_offsets(rng: random.Random, like: Tensor) -> Any:
    changed = like.clone()
    if changed.numel():
        for _ in range(rng.randrange(1, 4)):
            value = rng.choice([0, -1, 1, 2**31 - 1, -(2**31), rng.randrange(-9, 99)])
            changed.view(-1)[rng.randrange(changed.numel())] = value
    made: list[Callable[[], Any]] = [
        lambda: changed,
        lambda: changed.to(rng.choice([torch.int64, torch.int16, torch.float32, torch.bool])),
        lambda: changed[..., : rng.randrange(changed.shape[-1] + 1)],
        lambda: changed.reshape(-1)[:: rng.randrange(1, 4)],
        lambda: changed[None],
        lambda: changed.reshape(-1)[:1].reshape(()),
        lambda: torch.empty(rng.choice([(0,), (3, 0), (0, 3), (2**20, 0)]), dtype=torch.int32),
        lambda: changed.to("meta"),
        lambda: changed.to_sparse(),
        lambda: changed.expand(3, *changed.shape),
        lambda: rng.choice([None, 3, [0, 1], b"", like.numpy()]),
    ]
    return rng.choice([made[0], rng.choice(made)])()


def forged_data(rng: random.Random, like: Tensor) -> Any:
    made: list[Callable[[], Any]] = [
        lambda: like,
        lambda: like[: rng.randrange(like.numel() + 1)],
        lambda: like[::2],
        lambda: like.to(rng.choice([torch.int8, torch.int64, torch.float32, torch.bool])),
        lambda: like[None],
        lambda: like.to("meta"),
        lambda: torch.as_strided(like, (like.numel(),), (0,)),
        lambda: rng.choice([None, b"abc", 7]),
    ]
    return rng.choice([made[0], rng.choice(made)])()


def forged_pair(rng: random.Random) -> tuple[Any, Any]:
    s = rng.choice(STRINGS)
    data, offsets = forged_data(rng, s.data), forged_offsets(rng, s.offsets)
    return (offsets, data) if rng.random() < 0.1 else (data, offsets)


class Forged:
    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.arguments = arguments

    def __reduce__(self) -> Any:
        return rebuild, self.arguments


PICKLES = [pickle.dumps(s, protocol) for s in STRINGS for protocol in (2, 4, 5)]
PICKLES += [bytes(ForkingPickler.dumps(s, protocol)) for s in STRINGS for protocol in (4, 5)]
ALLOWED = {name for raw in PICKLES for name in names_in(raw)}


def damaged_pickle(rng: random.Random) -> None:
    use(narrow(flip(rng, rng.choice(PICKLES)), ALLOWED))


def forged_pickle(rng: random.Random) -> None:
    data, offsets = forged_pair(rng)
    scalar = rng.choice([False, False, True, None, 1, "x"])
    use(pickle.loads(pickle.dumps(Forged((data, offsets, scalar)))))


def saved(object: Any) -> bytes:
    file = io.BytesIO()
    torch.save(object, file)
    return file.getvalue()


FILES = [saved(s) for s in STRINGS] + [saved({"a": STRINGS[0], "b": [STRINGS[1]]})]
STATES = [saved(VOCABULARY.state_dict()), saved(earlier_state(VOCABULARY))]


def leaves(object: Any) -> list[Any]:
    if isinstance(object, dict):
        return [leaf for value in object.values() for leaf in leaves(value)]
    return [leaf for value in object for leaf in leaves(value)] if isinstance(object, list) else [object]


def within_zip(rng: random.Random, raw: bytes) -> bytes:
    """A zip archive with one damaged member and a valid checksum."""
    source, made = zipfile.ZipFile(io.BytesIO(raw)), io.BytesIO()
    victim = rng.choice([n for n in source.namelist() if "pkl" in n or "/data/" in n])
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            held = source.read(name)
            target.writestr(name, flip(rng, held) if name == victim else held)
    return made.getvalue()


def damaged(rng: random.Random, raw: bytes) -> io.BytesIO:
    return io.BytesIO((flip if rng.random() < 0.3 else within_zip)(rng, raw))


def damaged_file(rng: random.Random) -> None:
    for leaf in leaves(torch.load(damaged(rng, rng.choice(FILES)), weights_only=True)):
        use(leaf)


def forged_file(rng: random.Random) -> None:
    data, offsets = forged_pair(rng)
    use(torch.load(io.BytesIO(saved(Forged((data, offsets, False)))), weights_only=True))


def load_state(state: Any, rng: random.Random) -> None:
    loading = Vocabulary(["b", "a"])
    try:
        loading.load_state_dict(state, strict=rng.random() < 0.5, assign=rng.random() < 0.5)
    finally:  # the vocabulary has either the old tokens or the new ones
        use(loading)
        ids = loading.encode(loading.tokens).tolist()
        require(ids == list(range(len(loading))), "tokens do not have their ids")


def damaged_state(rng: random.Random) -> None:
    load_state(torch.load(damaged(rng, rng.choice(STATES)), weights_only=True), rng)


def forged_state(rng: random.Random) -> None:
    state = earlier_state(VOCABULARY)
    data, offsets = forged_pair(rng)
    settings = torch.tensor([rng.choice([-2, -1, 0, 1, 7, 2**40, -(2**63)]) for _ in range(3)])
    changes = {
        "data": data,
        "offsets": offsets,
        "settings": rng.choice([settings, settings[:2], settings.int(), None]),
        "table": torch.zeros(9, dtype=torch.uint8),
    }
    for name in rng.sample(sorted(changes), rng.randrange(1, 4)):
        state[name] = changes[name]
    if rng.random() < 0.1:
        del state[rng.choice(sorted(state))]
    load_state(state, rng)


RAW_VOCABULARY = pickle.dumps(VOCABULARY)
ALLOWED_IN_VOCABULARY = names_in(RAW_VOCABULARY) | ALLOWED


def damaged_vocabulary(rng: random.Random) -> None:
    use(narrow(flip(rng, RAW_VOCABULARY), ALLOWED_IN_VOCABULARY))


def forged_vocabulary(rng: random.Random) -> None:
    forging = pickle.loads(RAW_VOCABULARY)
    data, offsets = forged_pair(rng)
    table = forging._table.clone()
    for _ in range(rng.randrange(1, 20)):
        at = rng.choice([rng.randrange(64), rng.randrange(table.numel())])
        table[at] = rng.choice([0, 255, rng.randrange(256)])
    changes = {"data": data, "offsets": offsets, "table": rng.choice([table, forged_data(rng, table)])}
    for name in rng.sample(sorted(changes), rng.randrange(1, 4)):
        setattr(forging, f"_{name}", changes[name])
    if rng.random() < 0.2:
        forging._settings = forging._settings._replace(unknown=rng.choice([-1, 7, 2**40]))
    use(pickle.loads(pickle.dumps(forging)))


def words_file(rng: random.Random) -> None:
    raw = flip(rng, "\r\n".join(WORDS).encode() * rng.randrange(1, 3))
    with tempfile.NamedTemporaryFile() as file:
        file.write(raw)
        file.flush()
        use(Vocabulary.from_file(file.name, pad_token=None, unknown_token=None))


TOKENIZERS = [tokenizer(name) for name in ("llama3", "gpt2")]


def load_tokenizer(rng: random.Random, raw: bytes) -> None:
    """Loads a file of `SubwordTokenizer.save`, and uses the tokenizer, whose ids may be wrong."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(raw)
        file.flush()
        loaded = SubwordTokenizer.load(file.name, mmap=rng.random() < 0.8)
    methods: list[Callable[[], Any]] = [
        lambda: loaded(LINES, padding=False)["input_ids"],
        lambda: loaded.encode_spans(LINES),
        lambda: loaded.encode_pairs(LINES, LINES),
        lambda: loaded.encode_text(LINES[2]),
        lambda: loaded.decode(torch.arange(len(loaded))[:, None]),
        lambda: loaded.decode_ids(list(range(min(len(loaded), 400)))),
        lambda: loaded.count_tokens(LINES),
        lambda: use(loaded.vocabulary),
        lambda: loaded.special_ids,
        lambda: repr(loaded),
        lambda: loaded.warm(LINES),
        lambda: pickle.loads(pickle.dumps(loaded)),
    ]
    for method in rng.sample(methods, 3):
        with contextlib.suppress(Exception):  # a state that does not match the table
            method()


def damaged_tokenizer(rng: random.Random) -> None:
    file = io.BytesIO()
    chosen = rng.choice(TOKENIZERS)
    torch.save(saved_form(chosen._state(), chosen._table), file)
    load_tokenizer(rng, damaged(rng, file.getvalue()).getvalue())


def forged_tokenizer(rng: random.Random) -> None:
    """A file of which the hashes match: a table that was not built from the state, or other tensors."""
    chosen, table = rng.choice(TOKENIZERS), rng.choice(TOKENIZERS)._table.clone()
    header = 64 + 16 * 40  # positions and sizes of sections
    for _ in range(rng.choice([0, 1, 3, 200])):
        at = rng.choice([rng.randrange(header), rng.randrange(table.numel())])
        table[at] = rng.choice([0, 255, rng.randrange(256)])
    if rng.random() < 0.2:
        table = table[: rng.randrange(table.numel() + 1)].clone()
    state = chosen._state()
    if rng.random() < 0.3:
        state["spec"] = torch.frombuffer(bytearray(flip(rng, bytes(state["spec"].tolist()))), dtype=torch.uint8)
    form = saved_form(state, table)
    if rng.random() < 0.3:
        data, offsets = forged_pair(rng)
        name = rng.choice(sorted(form))
        form[name] = rng.choice([data, offsets, torch.zeros(7, dtype=torch.int64), "0.0.1"])
    load_tokenizer(rng, saved(form))


CAPACITY = 64  # elements that every buffer can hold; Arrow does not say how long buffers are


def arrow(rng: random.Random) -> None:
    text = bytes(rng.choices(b"ab \xc3\xa9\x00", k=200))
    kind = rng.choice(["u", "z", "U", "Z", "vu", "vz"] * 3 + ["", "i", "+s", "uu"]).encode()
    ends = sorted(rng.randrange(len(text)) for _ in range(CAPACITY + 1))
    for _ in range(rng.randrange(3) if rng.random() < 0.5 else 0):
        # Detectably invalid, or valid: a consumer cannot detect offsets past the end of the text.
        ends[rng.randrange(len(ends))] = rng.choice([-1, -(2**31), 0, rng.randrange(len(text))])
    valid = rng.choice([None, None, bytes(rng.choices(range(256), k=9)), b"\xff" * 9])
    buffers: list[Any] = [valid, (i64 if kind in (b"U", b"Z") else i32)(*ends), text]
    if kind.startswith(b"v"):
        views = []
        for _ in range(CAPACITY):
            size = rng.choice([rng.randrange(13), rng.randrange(40), rng.randrange(40)])
            at, buffer = rng.randrange(120), 0
            if rng.random() < 0.03:
                at, buffer = rng.choice([(-1, 0), (2**31 - 1, 0), (0, 1), (0, -1), (0, 2**31 - 1)])
            if rng.random() < 0.01:
                size = rng.choice([-1, -(2**31), 2**31 - 1])
            views.append(view(text[:size] if 0 <= size <= 12 else text, buffer, at, size))
        buffers = [valid, b"".join(views), text, i64(len(text))]
    if rng.random() < 0.15:
        buffers[rng.randrange(len(buffers))] = None
    if rng.random() < 0.1:
        buffers = rng.choice([buffers[:2], [*buffers, None], buffers[:1], []])
    offset = rng.randrange(CAPACITY)
    length = rng.randrange(CAPACITY - offset + 1)
    fields: dict[str, Any] = {"offset": offset, "null_count": rng.choice([0, 0, -1, 1, 5])}
    if rng.random() < 0.15:
        name = rng.choice(["length", "offset", "n_children", "n_buffers", "null_count", "dictionary"])
        malformed = rng.choice([-1, -(2**63), 2**63 - 1, 2**60])
        fields[name] = {"n_buffers": rng.choice([-1, 0, 1, 2]), "dictionary": 64}.get(name, malformed)
    length = fields.pop("length", length)
    make = rng.choice([Producer, Streaming])
    extra: dict[str, Any] = {"chunks": rng.randrange(4)} if make is Streaming else {}
    producer = make(kind, buffers, length, **extra, **fields)
    if make is Streaming and rng.random() < 0.1:
        producer.fields_fails_after = rng.randrange(3)
    missing = rng.choice([None, None, "gone", b""])
    try:
        use(StringTensor.from_arrow(producer, missing=missing))
        gc.collect(0)
        require(producer.released.count("array") == producer.made, "an array was not released")
    finally:
        released = producer.released
        require(released.count("array") <= producer.made, "an array was released twice")
        require(released.count("schema") <= 1, "a schema was released twice")
        require(released.count("stream") == (make is Streaming), "a stream was not released once")
        Producer.alive.clear()
        PRODUCERS.append(producer)  # an error may still hold its structures
        del PRODUCERS[:-64]


PRODUCERS: list[Any] = []
ENTRY_POINTS: dict[str, Callable[[random.Random], None]] = {
    f.__name__: f
    for f in (
        damaged_pickle,
        forged_pickle,
        damaged_file,
        forged_file,
        damaged_state,
        forged_state,
        damaged_vocabulary,
        forged_vocabulary,
        words_file,
        damaged_tokenizer,
        forged_tokenizer,
        arrow,
    )
}
