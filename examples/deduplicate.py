"""Copies the lines of a file without near duplicates and without lines that are hardly text.

python examples/deduplicate.py crawl.txt clean.txt --threshold 0.8
"""

import argparse
from pathlib import Path

import torch
from torch import Tensor

import torch_stringops as ts
from torch_stringops.data import read_lines
from torch_stringops.pretrain import deduplicate


def is_text(lines: ts.StringTensor) -> Tensor:
    """Lines of at least three words, most of whose characters are letters or spaces."""
    words = lines.regex_count(r"\w+")
    letters = lines.regex_replace(r"[^\p{L}\s]", "").length()
    return (words >= 3) & (letters.double() >= 0.7 * lines.length())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--threshold", type=float, default=0.8, help="similarity of near duplicates")
    args = parser.parse_args()
    lines = read_lines(args.source)
    text = lines.filter(is_text)
    kept = deduplicate(text, threshold=args.threshold)
    with args.target.open("wb") as file:
        for begin in range(0, len(kept), 10_000):
            part = kept[begin : begin + 10_000]
            ends = ts.string_concat(part, "\n").contiguous()
            file.write(ends.data.numpy().tobytes())
    rows = torch.tensor([len(lines), len(text), len(kept)])
    print("lines {}, of text {}, without near duplicates {}".format(*rows.tolist()))


if __name__ == "__main__":
    main()
