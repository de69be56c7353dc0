"""Log lines of a web server to the features of a model, and a table of the paths with most errors.

    python examples/log_features.py access.log --output features.pt

Lines have the common format: address, two names, time, request, status and size.
"""

import argparse
from pathlib import Path

import torch

import torch_stringops as ts
from torch_stringops.data import read_lines

LINE = (
    r"(?P<address>\S+) \S+ \S+ \[(?P<day>\d+)/(?P<month>\w+)/(?P<year>\d+):(?P<clock>[\d:]+) [+-]\d+\] "
    r'"(?P<method>[A-Z]+) (?P<path>[^ ?"]*)[^"]*" (?P<status>\d{3}) (?P<size>\d+|-)'
)
MONTHS = ts.Vocabulary(
    ["", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    num_oov_buckets=0,
)


def features(lines: ts.StringTensor) -> dict[str, ts.StringTensor | torch.Tensor]:
    fields = lines.regex_extract_groups(LINE)
    month = ts.string_from_number(MONTHS(fields["month"])).zfill(2)
    iso = ts.string_format("{}-{}-{}T{}", fields["year"], month, fields["day"], fields["clock"])
    return {
        "path": fields["path"],
        "status": fields["status"].to_number(torch.int64),
        "size": fields["size"].to_number(torch.float32, errors="fill", fill=0).log1p(),
        "hour": ts.datetime_fields(iso.to_datetime(unit="s"), unit="s")["hour"],
        "address": fields["address"].hash_bucket(2**16),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("--output", type=Path, help="file for the features, as torch.save writes them")
    args = parser.parse_args()
    lines = read_lines(args.log)[:]
    matched = lines.regex_contains(LINE)
    found = features(lines[matched])
    errors = found["path"][found["status"] >= 500]
    print(f"{len(lines)} lines, {int((~matched).sum())} of another format, {len(errors)} errors")
    paths, counts = errors.value_counts()
    for path, count in zip(paths[:5].tolist(), counts[:5].tolist(), strict=True):
        print(f"{count:6} {path}")
    if args.output:
        torch.save(found, args.output)


if __name__ == "__main__":
    main()
