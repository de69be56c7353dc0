"""SubwordTokenizer compared with `tokenizers` and `tiktoken`, on a million strings.

    stress subword [KIND ...] [--strings N] [--seed S] [--seconds S]

Kinds are those of tests/support/subword_peers.py. Tokenizers of several sizes and seeds are trained for each, and each
encodes texts of several scripts, code, random Unicode, strings on which the rules of words depend, and long words: ids,
spans and decoded text must be equal, also after `warm`. CPU tiers and thread counts alternate. The first difference of a kind is printed,
and ends the run with code 1.
"""

import argparse
import random
import sys
import time
from collections import Counter

import torch
from support import subword as make
from support.subword_peer import difference, inserting
from support.subword_peers import OTHER_SPANS, PEERS
from support.threads import divide_small_work

import torch_stringops

SIZES = [400, 1500, 6000, 20_000]
BATCH = 500
BATCHES = 20  # of each tokenizer


def compare(name: str, strings: int, seed: int, counts: Counter[str]) -> str | None:
    """The first difference on about so many strings. Adds the strings compared to `counts`, by kind of text."""
    done = 0
    while done < strings:
        size = SIZES[seed % len(SIZES)]
        peer = PEERS[name](seed, size)
        tokenizer = peer.load()
        for batch in range(BATCHES):
            rng = random.Random(f"{name} {seed} {batch}")
            texts = []
            for kind, share in make.SHARES.items():
                found = make.KINDS[kind](rng, max(1, int(share * BATCH)))
                counts[kind] += len(found)
                texts += [inserting(rng, text, peer.inserted) for text in found] if peer.inserted else found
            if batch == BATCHES // 2:
                tokenizer.warm(texts, rng.choice([0, 10, 1000, 100_000]))
            torch_stringops.set_simd_tier(rng.choice(torch_stringops.simd_tiers()))
            torch.set_num_threads(rng.choice([1, 2, 4]))
            divide_small_work(rng.choice([True, False]))
            found = difference(peer, tokenizer, texts, name not in OTHER_SPANS, [rng.random() < 0.5])
            if found:
                return f"{name}, {size} tokens, seed {seed}, batch {batch}: {found}"
            done += len(texts)
            if done >= strings:
                break
        seed += 1
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="default: all")
    parser.add_argument("--strings", type=int, default=1_000_000, help="of all kinds (default: 1,000,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first tokenizer of each kind (default: 0)")
    args = parser.parse_args()
    if unknown := set(args.kinds) - PEERS.keys():
        parser.error(f"expected kinds among {', '.join(PEERS)}; got {', '.join(sorted(unknown))}")
    kinds = args.kinds or list(PEERS)
    counts: Counter[str] = Counter()
    failed = []
    for name in kinds:
        began, before = time.monotonic(), counts.total()
        found = compare(name, -(-args.strings // len(kinds)), args.seed, counts)
        result = "DIFFERENT" if found else "no difference"
        print(f"{name:28} {counts.total() - before:9,} strings, {result}, {time.monotonic() - began:.0f} s", flush=True)
        failed += [found] if found else []
    print(f"{'all':28} {counts.total():9,} strings: {', '.join(f'{n:,} {kind}' for kind, n in counts.items())}")
    print("\n".join(failed), file=sys.stderr)
    return 1 if failed else 0
