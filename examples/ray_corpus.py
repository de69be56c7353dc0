"""A corpus in Parquet files to ids of words, by Ray Data: normalise, count a vocabulary, tokenise and encode.

    python examples/ray_corpus.py --data "corpus/*.parquet" --column text --output ids

Strings stay in Arrow's memory. `--plain` does the same work with Python strings, for comparison. Needs `ray[data]`.
"""

import argparse
import glob
import time
from collections import Counter
from pathlib import Path
from typing import Any

import ray

from torch_stringops import StringTensor, Vocabulary, VocabularyBuilder
from torch_stringops.data import read_parquet
from torch_stringops.ray import MapStrings

SPECIALS = {"pad_token": None, "unknown_token": "<unk>"}


def normalise(text: StringTensor) -> StringTensor:
    return text.lower()


@ray.remote
def count(path: str, column: str) -> VocabularyBuilder:
    return VocabularyBuilder().add_text(read_parquet(path, columns=column).map(normalise))


@ray.remote
def count_plain(path: str, column: str) -> Counter[str]:
    import pyarrow.parquet

    texts = pyarrow.parquet.read_table(path, columns=[column]).column(0).to_pylist()
    return Counter(word for text in texts for word in text.lower().split())


def vocabulary_of(paths: list[str], args: argparse.Namespace) -> Any:
    if args.plain:
        counter: Counter[str] = Counter()
        for part in ray.get([count_plain.remote(path, args.column) for path in paths]):
            counter.update(part)
        words = ["<unk>", *(word for word, _ in counter.most_common(args.max_size - 1))]
        return {word: i for i, word in enumerate(words)}
    total = VocabularyBuilder()
    for part in ray.get([count.remote(path, args.column) for path in paths]):
        total.merge(part)
    return total.build(max_size=args.max_size, **SPECIALS)


def encode_plain(batch: dict[str, Any], column: str, ids: dict[str, int]) -> dict[str, Any]:
    return {"ids": [[ids.get(word, 0) for word in text.lower().split()] for text in batch[column]]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", required=True, help="Parquet files, as a path or a glob")
    parser.add_argument("--column", default="text")
    parser.add_argument("--output", type=Path, required=True, help="folder of the Parquet files of ids")
    parser.add_argument("--max-size", type=int, default=50_000, help="of the vocabulary")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--plain", action="store_true", help="use Python strings")
    args = parser.parse_args()
    paths = sorted(glob.glob(args.data))
    ray.init(num_cpus=args.workers, include_dashboard=False, log_to_driver=False)
    start = time.perf_counter()
    vocabulary = vocabulary_of(paths, args)
    counted = time.perf_counter()
    texts = ray.data.read_parquet(paths, columns=[args.column])
    if args.plain:
        arguments = {"column": args.column, "ids": vocabulary}
        ids = texts.map_batches(encode_plain, fn_kwargs=arguments, batch_size=4096)
    else:
        ids = encoded(texts, args.column, vocabulary)
    ids.write_parquet(str(args.output))
    done = time.perf_counter()
    print(f"{len(vocabulary)} words; counting {counted - start:.1f} s, encoding {done - counted:.1f} s")
    ray.shutdown()


def encoded(texts: Any, column: str, vocabulary: Vocabulary) -> Any:
    def split_encode(text: StringTensor) -> Any:
        return vocabulary.split_encode(normalise(text))

    mapped = texts.map_batches(MapStrings(split_encode, column, "ids"), batch_format="pyarrow", batch_size=65_536)
    return mapped.drop_columns([column])


if __name__ == "__main__":
    main()
