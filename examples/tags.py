"""A number predicted from a column of several values, such as the rating of a film from its genres.

    python examples/tags.py films.csv --tags genres --target rating

A column holds values like "comedy|drama". The mean of the embeddings of a row's values is a linear model of them.
"""

import argparse
from pathlib import Path

import torch
from torch import Tensor, nn

import torch_stringops as ts
from torch_stringops.data import read_csv


class Tags(nn.Module):
    def __init__(self, tags: ts.StringTensor, delimiter: str) -> None:
        super().__init__()
        self.delimiter = delimiter
        self.vocabulary = ts.Vocabulary.from_text(tags, delimiter=delimiter, skip_empty=True)
        self.weights = nn.EmbeddingBag(self.vocabulary.num_ids, 1, include_last_offset=True)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, tags: ts.StringTensor) -> Tensor:  # strings [n] -> [n]
        ids, row_splits = self.vocabulary.split_encode(tags, self.delimiter, skip_empty=True)
        weights: Tensor = self.weights(ids, row_splits)
        return weights.squeeze(1) + self.bias


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--tags", default="genres", help="name of the column of several values")
    parser.add_argument("--target", default="rating", help="name of the column of numbers")
    parser.add_argument("--delimiter", default="|")
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    torch.manual_seed(0)
    columns = read_csv(args.table, columns=[args.tags, args.target])
    tags = ts.as_strings(columns[args.tags][:])
    target = torch.as_tensor(columns[args.target][:], dtype=torch.float32)
    model = Tags(tags, args.delimiter)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(args.steps):
        loss = (model(tags) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"mean squared error {loss.item():.4f}, of the mean {target.var(unbiased=False):.4f}")
    tokens = model.vocabulary.tokens[2:]  # after the padding and unknown tokens
    order = model(tokens).argsort(descending=True)
    print("best to worst:", ", ".join(tokens[order].tolist()))


if __name__ == "__main__":
    main()
