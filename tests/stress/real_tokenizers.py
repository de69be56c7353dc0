"""SubwordTokenizer on the tokenizer files of published models, compared with the libraries that the files belong to.

    stress real_tokenizers [PART ...] [--strings N] [--seed S] [--speed]

Files are those of tests/subword/real.py, which downloads their packages; PART selects those whose name contains it. Ids,
spans and decoded text, ids with the special tokens of the template, pairs, truncated and padded rows must be equal on N strings:
text of several scripts, code, random Unicode, strings on which the rules of words depend, and the contents of added tokens.
Ids and decoded text of one string of 100 KB and of one of 1 MB are compared, too.
A row for each file: strings, differences, seconds to load ours and the original. With --speed also how many times as fast
`encode` is as the original: of strings of 60 bytes and paragraphs of 2 KB, on one thread, in processor time, each library by itself.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import unicodedata
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from subword.real import HAS_SPANS, RealFile, files
from support import subword as make
from support.subword_peer import Peer, difference, inserting

BATCH = 500
LONG = (100_000, 1_000_000)
# Normalizers that move or compose characters, whose spans are another choice here if they change a text.
_CHANGING = ("NFC", "NFD", "NFKC", "NFKD", "BertNormalizer", "Lowercase", "StripAccents", "Precompiled")


def added_contents(peer: Peer) -> list[str]:
    tokens = getattr(peer.tokenizer, "get_added_tokens_decoder", dict)()
    return [token.content for token in tokens.values()][:200]


def changes_spans(file: RealFile) -> bool:
    """Whether the file has a normalizer after which spans may differ from ours."""
    normalizer = json.loads(file.text()).get("normalizer") if file.source.kind == "json" else None
    return any(kind in json.dumps(normalizer) for kind in _CHANGING) or file.source.kind == "wordpiece"


def is_plain(text: str) -> bool:
    """Whether normalizers neither move nor join characters, even after they removed those of no width."""
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return (
        unicodedata.is_normalized("NFKC", text) and unicodedata.is_normalized("NFKC", visible) and text == text.lower()
    )


def texts_of(rng: random.Random, n: int, inserted: list[str]) -> list[str]:
    found = make.texts(rng, n)
    return [inserting(rng, text, inserted) if rng.random() < 0.5 else text for text in found] if inserted else found


def long_difference(peer: Peer, tokenizer: Any, rng: random.Random, num_characters: int) -> str | None:
    """What differs on one text of about so many characters."""
    parts, size = [], 0
    while size < num_characters:
        parts += make.natural(rng, 100) + make.code(rng, 100)
        size = sum(map(len, parts))
    rng.shuffle(parts)
    # Originals need quadratic time for long texts without spaces.
    return difference(peer, tokenizer, [" ".join(parts)], spans=False)


def pairs_difference(peer: Peer, tokenizer: Any, texts: list[str]) -> str | None:
    """The first pair of texts whose ids or types differ. Only of tokenizers with a template."""
    half = len(texts) // 2
    pairs = list(zip(texts[:half], texts[half : 2 * half], strict=True))
    found = peer.tokenizer.encode_batch(pairs, add_special_tokens=True)
    ids, row_splits, types = tokenizer.encode_pairs(texts[:half], texts[half : 2 * half], add_special_tokens=True)
    for pair, row, (a, b) in zip(pairs, found, pairwise(row_splits.tolist()), strict=True):
        if ids[a:b].tolist() != row.ids or types[a:b].tolist() != row.type_ids:
            return f"pair {pair!a}: {ids[a:b].tolist()} instead of {row.ids}"
    return None


def batch_difference(peer: Peer, tokenizer: Any, texts: list[str]) -> str | None:
    """The first truncated and padded row that differs."""
    if tokenizer.pad_id is None:
        return None
    original = peer.tokenizer
    original.enable_truncation(16)
    original.enable_padding(pad_id=tokenizer.pad_id)
    try:
        want = torch.tensor([encoding.ids for encoding in original.encode_batch(texts)])
    finally:
        original.no_truncation()
        original.no_padding()
    got = tokenizer(texts, max_length=16, padding_side="right")["input_ids"]
    if tokenizer._settings.truncates_left or torch.equal(got, want):
        return None
    return f"padded rows {got.shape} differ from {want.shape}"


def compare(
    file: RealFile, peer: Peer, tokenizer: Any, strings: int, seed: int, sizes: Sequence[int] = LONG
) -> str | None:
    """The first difference on so many strings, and on texts of so many characters."""
    inserted = added_contents(peer)
    has_spans = file.source.kind in HAS_SPANS and file.source.spans
    only_normal = has_spans and changes_spans(file)
    for batch in range(-(-strings // BATCH)):
        rng = random.Random(f"{file.name} {seed} {batch}")
        texts = texts_of(rng, BATCH, inserted)
        found = difference(peer, tokenizer, texts, has_spans and not only_normal)
        if found is None and only_normal:
            plain = [text for text in texts if is_plain(text)]
            found = difference(
                peer, tokenizer, plain, file.source.kind == "json" and "BertNormalizer" not in file.text().decode()
            )
        if found is None and file.source.kind == "json":
            found = pairs_difference(peer, tokenizer, texts) or batch_difference(peer, tokenizer, texts)
        if found:
            return f"batch {batch}: {found}"
    for size in sizes:
        if found := long_difference(peer, tokenizer, random.Random(f"{file.name} {seed}"), size):
            return f"{size} characters: {found}"
    return None


def seconds(call: Any, least: float = 0.3) -> float:
    """The median processor time of a call."""
    call()
    times = []
    while sum(times) < least or len(times) < 3:
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return sorted(times)[len(times) // 2]


def speeds(peer: Peer, tokenizer: Any) -> list[str]:
    """How many times as fast `encode` is. It is measured before the original has encoded anything.

    A call after some of `tokenizers` pays for the many small blocks that these have freed.
    """
    rng = random.Random(0)
    source = "\n".join(make.code(rng, 2000) + make.natural(rng, 2000)).encode()
    samples = []
    for size, count in ((60, 4000), (2000, 150)):
        starts = [rng.randrange(len(source) - size) for _ in range(count)]
        samples.append([source[at : at + size].decode("utf-8", "ignore") for at in starts])
    ours = [seconds(partial(tokenizer.encode, texts)) for texts in samples]
    theirs = [seconds(partial(peer.ids, texts)) for texts in samples]
    return [f"{their / our:.1f}x" for our, their in zip(ours, theirs, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts of names of files (default: all files)")
    parser.add_argument("--strings", type=int, default=20_000, help="for each file (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--speed", action="store_true", help="measure `encode`")
    args = parser.parse_args()
    torch.set_num_threads(1)
    failed, compared = [], 0
    for file in files():
        if args.parts and not any(part in file.name for part in args.parts):
            continue
        compared += 1
        began = time.process_time()
        peer = file.peer()
        loaded = time.process_time()
        ratios = []
        try:
            tokenizer = peer.load()
            ours = time.process_time() - loaded
            if args.speed:
                ratios = speeds(peer, tokenizer)
            found = compare(file, peer, tokenizer, args.strings, args.seed)
        except ValueError as error:
            ours, found = 0.0, str(error).replace("\n", " ")
        columns = [f"{file.name:70}", f"{args.strings:7,}", "DIFFERENT" if found else "equal"]
        columns += [f"load {ours:.2f} s, original {loaded - began:.2f} s", *ratios]
        print("  ".join(columns), flush=True)
        if found:
            failed.append(file.name)
            print(f"    {found[:600]}", flush=True)
    if compared == 0:
        sys.exit(f"no file has {' or '.join(map(ascii, args.parts))} in its name")
    print(f"{len(failed)} of {compared} files differ" + "".join(f"\n  {name}" for name in failed))
    return 1 if failed else 0
