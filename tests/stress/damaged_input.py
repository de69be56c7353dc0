"""Damages what comes in from outside Python's control: pickles, files of torch.save, state_dicts, Arrow structures, files
of words. Each must raise or give a valid object, which is then used; nothing may crash.

    doors.py [--rounds N] [--seed S] [--progress FILE] [DOOR ...]      in this process
    doors.py --guard ...                                               in a child, whose crash is reported by its case

A case is named by door, seed and number: `doors.py --seed S --only NUMBER DOOR` runs it alone.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import pickle
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.programs import stress_command

MEMORY = 6 << 30  # a damaged size must fail, not swap
WORDS = ["to", "be", "or", "not", "", "caf\xe9", "internationalisation", "\u65e5\u672c"]


class Finding(BaseException):
    """Something was let in that should not be, or done that should not be done."""


def require(condition: bool, text: str) -> None:
    if not condition:
        raise Finding(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("doors", nargs="*")
    parser.add_argument("--rounds", type=int, default=100_000, help="cases a door")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this case alone")
    parser.add_argument(
        "--progress", type=Path, help="run in this process, and write there which case it is at"
    )
    chosen = parser.parse_intermixed_args()
    return run(chosen) if chosen.progress else guard(sys.argv[1:])


def guard(arguments: list[str]) -> int:
    """Run the same in a child, and say which case it died of."""
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "progress"
        done = subprocess.run(stress_command("damaged_input", *arguments, "--progress", str(progress)))
        if done.returncode:
            case = progress.read_text() if progress.exists() else "the start"
            print(f"doors: exit status {done.returncode} at {case}", flush=True)
    return done.returncode


def run(chosen: argparse.Namespace) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    doors = make_doors()
    progress = os.open(chosen.progress, os.O_WRONLY | os.O_CREAT)
    for name in chosen.doors or doors:
        raised = valid = 0
        start = time.monotonic()
        for number in [chosen.only] if chosen.only is not None else range(chosen.rounds):
            os.pwrite(progress, f"--seed {chosen.seed} --only {number} {name}    ".encode(), 0)
            try:
                doors[name](random.Random(f"{chosen.seed}/{number}/{name}"))
                valid += 1
            except (Finding, SystemError):
                print(f"doors: --seed {chosen.seed} --only {number} {name}", flush=True)
                raise
            except Exception:
                raised += 1
        passed = time.monotonic() - start
        print(
            f"{name}: {raised:,} refused, {valid:,} valid, in {passed:.0f} s, seed {chosen.seed}", flush=True
        )
    return 0


def flip(rng: random.Random, raw: bytes) -> bytes:
    """`raw` with a few bytes changed, cut, repeated or put elsewhere."""
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
    """Fails where an object that was let in is not valid; else puts it to use."""
    from torch_stringops import StringTensor, Vocabulary

    if isinstance(object, StringTensor) and not object.data.is_meta:
        try:
            object.validate()
        except (ValueError, RuntimeError) as error:
            raise Finding(f"let in, but not valid: {error}") from error
        object.tolist(as_bytes=True)
        object.split(",") if object.dim() else None
        require(bool((object == object).all()), "strings are not equal to themselves")
    if isinstance(object, Vocabulary):
        use(object.tokens)
        with contextlib.suppress(ValueError, RuntimeError):  # a table that its own operator refuses
            object.encode(["to", "nowhere", ""])
        len(object), repr(object)


def narrow(raw: bytes, allowed: set[tuple[str, str]]) -> Any:
    """pickle.loads that calls nothing but what the undamaged pickle calls."""

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


def make_doors() -> dict[str, Callable[[random.Random], None]]:
    import torch
    from support.arrow import Producer, Streaming, i32, i64, view
    from torch import Tensor

    from torch_stringops import StringTensor, Vocabulary
    from torch_stringops.string_tensor import rebuild

    strings = [
        StringTensor.from_list(WORDS),
        StringTensor.from_list([WORDS[:4], WORDS[4:]]),
        StringTensor.from_list("alone"),
        StringTensor.from_list(["x" * 300, ""] * 9),
    ]
    vocabulary = Vocabulary([w for w in WORDS if w], unknown_token="be")

    def forged_offsets(rng: random.Random, like: Tensor) -> Any:
        changed = like.clone()
        if changed.numel():
            for _ in range(rng.randrange(1, 4)):
                value = rng.choice([0, -1, 1, 2**31 - 1, -(2**31), rng.randrange(-9, 99)])
                changed.view(-1)[rng.randrange(changed.numel())] = value
        forms: list[Callable[[], Any]] = [
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
        return rng.choice([forms[0], rng.choice(forms)])()

    def forged_data(rng: random.Random, like: Tensor) -> Any:
        forms: list[Callable[[], Any]] = [
            lambda: like,
            lambda: like[: rng.randrange(like.numel() + 1)],
            lambda: like[::2],
            lambda: like.to(rng.choice([torch.int8, torch.int64, torch.float32, torch.bool])),
            lambda: like[None],
            lambda: like.to("meta"),
            lambda: torch.as_strided(like, (like.numel(),), (0,)),
            lambda: rng.choice([None, b"abc", 7]),
        ]
        return rng.choice([forms[0], rng.choice(forms)])()

    def forged_pair(rng: random.Random) -> tuple[Any, Any]:
        s = rng.choice(strings)
        data, offsets = forged_data(rng, s.data), forged_offsets(rng, s.offsets)
        return (offsets, data) if rng.random() < 0.1 else (data, offsets)

    class Forged:
        def __init__(self, arguments: tuple[Any, ...]) -> None:
            self.arguments = arguments

        def __reduce__(self) -> Any:
            return rebuild, self.arguments

    pickles = [pickle.dumps(s, protocol) for s in strings for protocol in (2, 4, 5)]
    allowed = {name for raw in pickles for name in names_in(raw)}

    def damaged_pickle(rng: random.Random) -> None:
        use(narrow(flip(rng, rng.choice(pickles)), allowed))

    def forged_pickle(rng: random.Random) -> None:
        data, offsets = forged_pair(rng)
        scalar = rng.choice([False, False, True, None, 1, "x"])
        use(pickle.loads(pickle.dumps(Forged((data, offsets, scalar)))))

    def saved(object: Any) -> bytes:
        file = io.BytesIO()
        torch.save(object, file)
        return file.getvalue()

    files = [saved(s) for s in strings] + [saved({"a": strings[0], "b": [strings[1]]})]
    states = [saved(vocabulary.state_dict())]

    def parts(object: Any) -> list[Any]:
        if isinstance(object, dict):
            return [part for value in object.values() for part in parts(value)]
        return [part for value in object for part in parts(value)] if isinstance(object, list) else [object]

    def within_zip(rng: random.Random, raw: bytes) -> bytes:
        """One member damaged, under a checksum that says all is well."""
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
        for part in parts(torch.load(damaged(rng, rng.choice(files)), weights_only=True)):
            use(part)

    def forged_file(rng: random.Random) -> None:
        data, offsets = forged_pair(rng)
        use(torch.load(io.BytesIO(saved(Forged((data, offsets, False)))), weights_only=True))

    def load_state(state: Any, rng: random.Random) -> None:
        loading = Vocabulary(["b", "a"])
        try:
            loading.load_state_dict(state, strict=rng.random() < 0.5, assign=rng.random() < 0.5)
        finally:  # all or nothing: the old tokens, or the new ones
            use(loading)
            ids = loading.encode(loading.tokens).tolist()
            require(ids == list(range(len(loading))), "tokens are not found under their numbers")

    def damaged_state(rng: random.Random) -> None:
        load_state(torch.load(damaged(rng, rng.choice(states)), weights_only=True), rng)

    def forged_state(rng: random.Random) -> None:
        state: dict[str, Any] = dict(vocabulary.state_dict())
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

    raw_vocabulary = pickle.dumps(vocabulary)
    allowed_vocabulary = names_in(raw_vocabulary) | allowed

    def damaged_vocabulary(rng: random.Random) -> None:
        use(narrow(flip(rng, raw_vocabulary), allowed_vocabulary))

    def forged_vocabulary(rng: random.Random) -> None:
        forging = pickle.loads(raw_vocabulary)
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

    capacity = 64  # offsets that every buffer has behind it: how long buffers are, Arrow does not say

    def arrow(rng: random.Random) -> None:
        text = bytes(rng.choices(b"ab \xc3\xa9\x00", k=200))
        kind = rng.choice(["u", "z", "U", "Z", "vu", "vz"] * 3 + ["", "i", "+s", "uu"]).encode()
        ends = sorted(rng.randrange(len(text)) for _ in range(capacity + 1))
        for _ in range(rng.randrange(3) if rng.random() < 0.5 else 0):
            # Wrong in a way that shows, or right: beyond the text there is nobody to tell.
            ends[rng.randrange(len(ends))] = rng.choice([-1, -(2**31), 0, rng.randrange(len(text))])
        valid = rng.choice([None, None, bytes(rng.choices(range(256), k=9)), b"\xff" * 9])
        buffers: list[Any] = [valid, (i64 if kind in (b"U", b"Z") else i32)(*ends), text]
        if kind.startswith(b"v"):
            views = []
            for _ in range(capacity):
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
        offset = rng.randrange(capacity)
        length = rng.randrange(capacity - offset + 1)
        fields: dict[str, Any] = {"offset": offset, "null_count": rng.choice([0, 0, -1, 1, 5])}
        if rng.random() < 0.15:
            name = rng.choice(["length", "offset", "n_children", "n_buffers", "null_count", "dictionary"])
            hostile = rng.choice([-1, -(2**63), 2**63 - 1, 2**60])
            fields[name] = {"n_buffers": rng.choice([-1, 0, 1, 2]), "dictionary": 64}.get(name, hostile)
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
            require(released.count("stream") == (make is Streaming), "a stream is released once")
            Producer.alive.clear()
            producers.append(producer)  # an error may still hold what it made
            del producers[:-64]

    producers: list[Any] = []
    return {
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
            arrow,
        )
    }
