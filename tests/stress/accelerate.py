"""Tokenizers of `transformers`, and of `tokenizers`, compared with accelerated ones, on random calls.

    stress accelerate [FILE ...] [--calls N] [--seed S]

Files are of the format tokenizer.json, also in a zip archive. Without files, the tokenizers are those of
tests/support/subword_peers.py. Each gets calls with random options on texts of many kinds, single, in batches and in
pairs, half of them by a `PreTrainedTokenizerFast` and half by a `tokenizers.Tokenizer`: results, errors, warnings,
settings, and for some the encodings, must be equal. The first difference of a tokenizer is printed, and ends the run
with code 1. How many calls to encode the operators served is printed as well.
"""

import argparse
import copy
import random
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from support import subword as make
from support import tokenizers_calls, transformers_calls
from support.subword_peer import inserting

NAMES = [
    ["input_ids", "attention_mask"],
    ["input_ids"],
    ["input_ids", "token_type_ids", "attention_mask"],
    ["input_ids", "token_type_ids", "attention_mask"],
]


def pair_of(tokenizer: Any, rng: random.Random) -> tuple[Any, Any]:
    """A tokenizer of `transformers` and its accelerated copy."""
    import transformers
    from transformers import PreTrainedTokenizerFast

    from torch_stringops.transformers import accelerate

    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    original = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=rng.choice([30, 64, 10**30]), clean_up_tokenization_spaces=False
    )
    if rng.random() < 0.9:
        original.pad_token = original.convert_ids_to_tokens(3)
    return original, accelerate(original)


def wrapped_pair_of(tokenizer: Any, rng: random.Random) -> tuple[Any, Any]:
    """A `tokenizers.Tokenizer` and ours, made of a copy of it."""
    from torch_stringops.transformers import Tokenizer

    return tokenizer, Tokenizer(copy.deepcopy(tokenizer))


def changed(rng: random.Random, pair: tuple[Any, Any]) -> None:
    """Changes one attribute of both."""
    name, values = rng.choice(
        [
            ("padding_side", ["left", "right"]),
            ("truncation_side", ["left", "right"]),
            ("model_input_names", NAMES),
            ("clean_up_tokenization_spaces", [False, False, True]),
        ]
    )
    value = rng.choice(values)
    for tokenizer in pair:
        setattr(tokenizer, name, value)


# How a pair of tokenizers is made, changed and called, by the library whose objects they are.
LIBRARIES: dict[str, tuple[Callable[..., Any], ...]] = {
    "transformers": (pair_of, changed, transformers_calls.call_difference),
    "tokenizers": (wrapped_pair_of, tokenizers_calls.changed, tokenizers_calls.call_difference),
}


def compare(
    name: str, tokenizer: Any, inserted: Sequence[str], calls: int, seed: int, library: str = "transformers"
) -> str | None:
    """The first difference in so many random calls."""
    make_pair, change, call_difference = LIBRARIES[library]
    rng = random.Random(f"{name} {seed}")
    pair = make_pair(tokenizer, rng)
    texts: list[str] = []
    for call in range(calls):
        if call % 500 == 0:
            texts = make.texts(rng, 200)
            texts = [inserting(rng, text, inserted) for text in texts] if inserted else texts
        if rng.random() < 0.05:
            change(rng, pair)
        found = call_difference(rng, *pair, texts)
        if found:
            return f"{name}, {library}, seed {seed}, call {call}: {found}"
    return None


def tokenizer_of(path: Path) -> Any:
    from tokenizers import Tokenizer

    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return Tokenizer.from_str(archive.read(archive.namelist()[0]).decode())
    return Tokenizer.from_file(str(path))


def counting() -> list[int]:
    """Counts the calls that go to the original, and those that do not."""
    from torch_stringops.transformers import Tokenizer, _calls

    counts = [0, 0]

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            found = function(*arguments)
            counts[found is not None] += 1
            return found

        return call

    _calls.encode = counted(_calls.encode)
    Tokenizer._served = counted(Tokenizer._served)  # type: ignore[method-assign]
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", type=Path)
    parser.add_argument("--calls", type=int, default=100_000, help="of all tokenizers (default: 100,000)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    from support.subword_peer import Peer
    from support.subword_peers import PEERS

    counts = counting()
    failed = 0
    sources: list[Any] = args.files or list(PEERS)
    each = -(-args.calls // len(sources))
    for source in sources:
        began = time.monotonic()
        before = list(counts)
        inserted: Sequence[str] = ()
        if isinstance(source, Path):
            tokenizer = tokenizer_of(source)
            inserted = [token.content for token in tokenizer.get_added_tokens_decoder().values()][:20]
        else:
            peer = PEERS[source](args.seed, 1000)
            if type(peer) is not Peer:  # of another library
                continue
            tokenizer, inserted = peer.tokenizer, peer.inserted
        try:
            halves = (
                compare(str(source), tokenizer, inserted, -(-each // 2), args.seed, library) for library in LIBRARIES
            )
            found = next(filter(None, halves), None)
        except ValueError as error:
            print(f"{source}: {str(error)[:300]}", flush=True)
            continue
        failed += bool(found)
        served = counts[1] - before[1]
        print(
            f"{str(source)[-60:]:60} {each:7,} calls, {served:,} served of {sum(counts) - sum(before):,} encodings, "
            f"{'DIFFERENT' if found else 'no difference'}, {time.monotonic() - began:.0f} s",
            flush=True,
        )
        if found:
            print(found[:300], " ... ", found[-2000:], file=sys.stderr, flush=True)
    return 1 if failed else 0
