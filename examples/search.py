"""Ranks the lines of a file for queries by BM25.

python examples/search.py notes.txt "string tensors" "how to pad"
"""

import argparse
from pathlib import Path

import torch_stringops as ts
from torch_stringops.data import read_lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("queries", nargs="+")
    parser.add_argument("--top", type=int, default=3)
    args = parser.parse_args()
    lines = read_lines(args.file)[:]
    scores = ts.nn.BM25().fit(lines)(args.queries)
    best, positions = scores.topk(min(args.top, len(lines)), dim=1)
    for query, row, at in zip(args.queries, best.tolist(), positions, strict=True):
        print(query)
        for score, text in zip(row, lines[at].tolist(), strict=True):
            if score > 0:
                print(f"  {score:5.2f}  {text}")


if __name__ == "__main__":
    main()
