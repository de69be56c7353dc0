"""json_extract and json_fields of documents of about 200 bytes: one path, and five in one pass.

Against polars' json_path_match, which finds one path, and json_decode, which reads the fields of a type.
"""

import json
import random
from functools import partial
from typing import Any

import torch

import torch_stringops
from benchmarks import canonical, ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

COUNT = 50_000
FIELDS: dict[str, tuple[str, torch.dtype | None]] = {
    "id": ("$.id", torch.int64),
    "name": ("$.user.name", None),
    "score": ("$.user.score", torch.float64),
    "text": ("$.text", None),
    "ok": ("$.ok", torch.bool),
}


def documents(context: Context) -> Corpus:
    rng = random.Random(SEED)
    words = words_of(context.corpus("W1")).strings

    def text(most: int) -> str:
        return " ".join(rng.choices(words, k=rng.randrange(1, most)))

    def document() -> bytes:
        user = {"name": text(4), "tags": rng.choices(words, k=3), "score": round(rng.gauss(0, 100), 3)}
        value = {
            "id": rng.randrange(10**9),
            "user": user,
            "text": text(30),
            "ok": rng.random() < 0.5,
            "none": None,
        }
        return json.dumps(value, ensure_ascii=rng.random() < 0.1).encode()

    return from_strings("json", "JSON documents", [document() for _ in range(COUNT)])


def texts(values: list[str]) -> Any:
    return canonical.from_lists([[v] for v in values])


def one_path(path: str, context: Context) -> Comparison:
    corpus = documents(context)
    strings = ours.string_tensor(corpus)
    op = "ours, json_extract"
    call = partial(strings.json_extract, path)
    contenders: peers.Contenders = [ours.contender(op, call, lambda out: texts(out[0].tolist()))]
    contenders += match(corpus, path)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, call()[0].data]))
    title = f"The values at {path} of {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(op, "polars", 3)], corpus.num_bytes)


@peers.needs("polars")
def match(corpus: Corpus, path: str) -> peers.Contenders:
    call = partial(peers.load("polars").Series(corpus.strings).str.json_path_match, path)
    return [Contender("polars json_path_match", call, lambda out: texts(out.to_list()), group="polars")]


def all_fields(context: Context) -> Comparison:
    corpus = documents(context)
    strings = ours.string_tensor(corpus)
    op = "ours, json_fields"
    call = partial(torch_stringops.json_fields, strings, FIELDS)
    contenders: peers.Contenders = [
        ours.contender(op, call, lambda out: canonical.from_lists(rows(v.tolist() for v, _ in out.values())))
    ]
    contenders += decode(corpus)
    contenders.append(
        Contender("Python json", partial(by_python, corpus.strings), canonical.from_lists, group="Python")
    )
    contenders += ours.memcpy(corpus.num_bytes)
    title = f"Five values of {len(corpus):,} {corpus.description}, as strings and numbers"
    return Comparison(title, contenders, [Target(op, "polars", 3), Target(op, "Python", 3)], corpus.num_bytes)


def rows(columns: Any) -> list[list[str]]:
    return [list(map(repr, row)) for row in zip(*columns, strict=True)]


@peers.needs("polars")
def decode(corpus: Corpus) -> peers.Contenders:
    pl = peers.load("polars")
    user = pl.Struct({"name": pl.String, "score": pl.Float64})
    dtype = pl.Struct({"id": pl.Int64, "user": user, "text": pl.String, "ok": pl.Boolean})

    def read(out: Any) -> Any:
        users = out.struct.field("user").struct
        columns = [out.struct.field("id"), users.field("name"), users.field("score")]
        columns += [out.struct.field("text"), out.struct.field("ok")]
        return canonical.from_lists(rows(column.to_list() for column in columns))

    call = partial(pl.Series(corpus.strings).str.json_decode, dtype)
    return [Contender("polars json_decode", call, read, group="polars")]


def by_python(strings: list[str]) -> list[list[str]]:
    found = []
    for string in strings:
        value = json.loads(string)
        user = value["user"]
        found.append(list(map(repr, (value["id"], user["name"], user["score"], value["text"], value["ok"]))))
    return found


ROWS = [
    Row("json_extract/name", partial(one_path, "$.user.name")),
    Row("json_extract/text", partial(one_path, "$.text")),
    Row("json_fields", all_fields),
]
