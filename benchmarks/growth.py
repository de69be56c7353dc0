"""`python -m benchmarks.growth`: how time grows with the length of a string and with a count of a pattern.

Writes docs/growth.svg and docs/growth.csv: nanoseconds a byte, the least of several calls on one thread. A cliff is a
step of a curve that its neighbours do not have. Peers are pyarrow and, for patterns, RE2 in pyarrow.
"""

import csv
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import pyarrow as pa
import pyarrow.compute as pc
import torch

import torch_stringops as ts
from benchmarks import text

DOCS = Path(__file__).resolve().parent.parent / "docs"
# Lengths of a string in bytes; each input has about TOTAL bytes, or one string.
LENGTHS = [2**k for k in range(5, 24, 2)]
TOTAL = 2**21
COUNTS = range(2, 65, 2)
Curve = tuple[str, list[float]]


def least(call: Callable[[], object], seconds: float = 0.1) -> float:
    """The least processor time of a call in seconds."""
    found, end = [], time.monotonic() + seconds
    while len(found) < 3 or time.monotonic() < end:
        began = time.process_time_ns()
        call()
        found.append(time.process_time_ns() - began)
    return min(found) / 1e9


def documents(length: int) -> list[str]:
    """HTML pages, cut and joined to strings of `length` bytes, of ASCII."""
    whole = " ".join(text.pages()).encode("ascii", "ignore")
    whole *= -(-max(TOTAL, length) // len(whole))
    return [whole[i * length : (i + 1) * length].decode() for i in range(max(1, TOTAL // length))]


def by_length() -> dict[str, list[Curve]]:
    calls: dict[str, tuple[Callable[[ts.StringTensor], object], Callable[[pa.Array], object]]] = {
        "contains, never": (lambda s: s.contains("qwertz"), lambda a: pc.match_substring(a, "qwertz")),
        "contains, early": (lambda s: s.contains("e"), lambda a: pc.match_substring(a, "e")),
        "contains, ignore_case": (
            lambda s: s.contains("qwertz", ignore_case=True),
            lambda a: pc.match_substring(a, "qwertz", ignore_case=True),
        ),
        "regex_contains, early": (
            lambda s: s.regex_contains("[a-z]+"),
            lambda a: pc.match_substring_regex(a, "[a-z]+"),
        ),
        "regex_contains, never": (
            lambda s: s.regex_contains("[0-9]{3}qwertz"),
            lambda a: pc.match_substring_regex(a, "[0-9]{3}qwertz"),
        ),
        "lower": (lambda s: s.lower(), pc.ascii_lower),
        "split_ragged": (lambda s: s.split_ragged(" "), lambda a: pc.split_pattern(a, " ")),
        "is_alpha": (lambda s: s.is_alpha(), pc.utf8_is_alpha),
    }
    curves: dict[str, list[Curve]] = {}
    for length in LENGTHS:
        texts = documents(length)
        s, a, size = ts.as_strings(texts), pa.array(texts), len(texts) * length
        for name, pair in calls.items():
            found = curves.setdefault(name, [("torch_stringops", []), ("pyarrow", [])])
            for (_, times), call, given in zip(found, pair, (s, a), strict=True):
                times.append(least(lambda call=call, given=given: call(given)) * 1e9 / size)  # type: ignore[misc]
    return curves


def by_count() -> dict[str, list[Curve]]:
    patterns = {
        "[a-z]{2,n}": "[a-z]{{2,{}}}",
        r"\b[a-f0-9]{n}\b": r"\b[a-f0-9]{{{}}}\b",
        r"(?:[a-z]+-){1,n}[a-z]+": "(?:[a-z]+-){{1,{}}}[a-z]+",
        r"\p{Lu}\p{Ll}{2,n}": r"\p{{Lu}}\p{{Ll}}{{2,{}}}",
    }
    texts = [line for line in " ".join(text.pages()).splitlines() if line][:20_000]
    s, a = ts.as_strings(texts), pa.array(texts)
    size = s.data.numel()
    curves: dict[str, list[Curve]] = {}
    for name, pattern in patterns.items():
        ours, theirs = curves[name] = [("torch_stringops", []), ("RE2 in pyarrow", [])]
        for n in COUNTS:
            p = pattern.format(n)
            assert s.regex_count(p).sum() == pc.sum(pc.count_substring_regex(a, p)).as_py(), p
            ours[1].append(least(lambda p=p: s.regex_count(p)) * 1e9 / size)  # type: ignore[misc]
            theirs[1].append(least(lambda p=p: pc.count_substring_regex(a, p)) * 1e9 / size)  # type: ignore[misc]
    return curves


def draw(figures: Sequence[tuple[str, Sequence[int], dict[str, list[Curve]]]]) -> None:
    from matplotlib.figure import Figure

    mpl.rcParams |= {"svg.hashsalt": "torch_stringops", "svg.fonttype": "none"}
    columns = 4
    rows = sum(-(-len(curves) // columns) for *_, curves in figures)
    figure = Figure(figsize=(3.1 * columns, 2.5 * rows), layout="constrained")
    place = 0
    for label, x, curves in figures:
        for name, lines in curves.items():
            axes = figure.add_subplot(rows, columns, place + 1)
            for (who, times), color in zip(lines, ("#1f5fa8", "#b0b0b0"), strict=True):
                axes.plot(x, times, color=color, label=who)
            if max(x) > 1000:
                axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_title(name, fontsize=9)
            axes.set_xlabel(label, fontsize=8)
            axes.set_ylabel("ns a byte", fontsize=8)
            axes.tick_params(labelsize=7)
            axes.legend(fontsize=7, frameon=False)
            place += 1
        place = -(-place // columns) * columns
    figure.savefig(DOCS / "growth.svg", metadata={"Date": None})


def main() -> None:
    torch.set_num_threads(1)
    pa.set_cpu_count(1)
    figures = [("bytes of a string", LENGTHS, by_length()), ("n", list(COUNTS), by_count())]
    draw(figures)
    with (DOCS / "growth.csv").open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["what", "library", "x", "ns a byte"])
        for _, x, curves in figures:
            for name, lines in curves.items():
                for who, times in lines:
                    for at, value in zip(x, times, strict=True):
                        write([name, who, at, f"{value:.4g}"])


if __name__ == "__main__":
    main()
