"""Ranks the lines of a file for queries by BM25.

python examples/search.py notes.txt "string tensors" "how to pad"
"""

import argparse
from pathlib import Path

import torch
from torch import Tensor

from torch_stringops import StringsLike
from torch_stringops.data import read_lines
from torch_stringops.nn import CountVectorizer


class BM25:
    """Scores texts for queries by Okapi BM25. `count` is a CountVectorizer of other terms than words.

    A query's score for a text is the sum, over the terms of the query, each as often as the query has it, of
    `idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average))`. f is how often the text has the term, length its
    number of terms, and average that of all texts. `idf` is `ln(1 + (N - n + 0.5) / (n + 0.5))`, where n of N texts
    have the term.
    """

    def __init__(
        self, texts: StringsLike, k1: float = 1.5, b: float = 0.75, count: CountVectorizer | None = None
    ) -> None:
        self.count = count or CountVectorizer(dtype=torch.float32)
        counts = self.count.fit_transform(texts)
        rows, columns, times = counts.crow_indices(), counts.col_indices(), counts.values()
        num_texts, num_terms = counts.shape
        text = torch.repeat_interleave(torch.arange(num_texts), rows.diff())
        lengths = times.new_zeros(num_texts).index_add(0, text, times)
        in_texts = torch.bincount(columns, minlength=num_terms).to(times)
        idf = torch.log1p((num_texts - in_texts + 0.5) / (in_texts + 0.5))
        discount = k1 * (1 - b + b * lengths / lengths.mean())
        scores = idf[columns] * times * (k1 + 1) / (times + discount[text])
        self.scores = torch.sparse_csr_tensor(rows, columns, scores, counts.shape, check_invariants=False)

    def __call__(self, queries: StringsLike) -> Tensor:
        """The scores of all texts for each query, `[Q, D]`."""
        return (self.scores @ self.count(queries).to_dense().T).T


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("queries", nargs="+")
    parser.add_argument("--top", type=int, default=3)
    args = parser.parse_args()
    lines = read_lines(args.file)[:]
    best, positions = BM25(lines)(args.queries).topk(min(args.top, len(lines)), dim=1)
    for query, row, at in zip(args.queries, best.tolist(), positions, strict=True):
        print(query)
        for score, text in zip(row, lines[at].tolist(), strict=True):
            if score > 0:
                print(f"  {score:5.2f}  {text}")


if __name__ == "__main__":
    main()
