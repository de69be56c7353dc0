"""Times of a million random strings compared with pyarrow, pandas and polars; of as many times, their text and fields.

    stress datetimes [--strings N] [--seed S]

Ends with code 1 at the first difference.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import torch
from support.programs import options

import torch_stringops as so

# Formats that the libraries read, each with the first and the last year. pyarrow reads no fractions by strptime.
FORMATS = {
    "%Y-%m-%d": (1, 9999), "%Y-%m-%dT%H:%M:%S": (1, 9999), "%Y-%m-%d %H:%M:%S": (1, 9999),
    "%d/%b/%Y:%H:%M:%S": (1000, 9999), "%d/%m/%Y %I:%M %p": (1000, 9999), "%B %d %Y, %H:%M": (1000, 9999),
    "%y%m%d %H%M%S": (1969, 2068),
}  # fmt: skip
BATCH = 50_000
Times = "np.ndarray[tuple[int], np.dtype[np.int64]]"


def by_pyarrow(texts: list[str], format: str) -> Times:
    times = pc.strptime(pa.array(texts), format=format, unit="s")
    return times.cast(pa.int64()).to_numpy()  # type: ignore[no-any-return]


def by_pandas(texts: list[str], format: str) -> Times:
    times = pd.to_datetime(pd.Series(texts), format=format)
    return times.to_numpy().astype("datetime64[s]").astype(np.int64)  # type: ignore[no-any-return]


def by_polars(texts: list[str], format: str) -> Times:
    if format == "%Y-%m-%d":
        days = pl.Series(texts).str.to_date(format).to_physical().to_numpy()
        return days.astype(np.int64) * 86400  # type: ignore[no-any-return]
    microseconds = pl.Series(texts).str.to_datetime(format, time_unit="us").to_physical().to_numpy()
    return microseconds // 10**6  # type: ignore[no-any-return]


LIBRARIES: dict[str, Callable[[list[str], str], Times]] = {
    "pyarrow": by_pyarrow,
    "pandas": by_pandas,
    "polars": by_polars,
}


def drawn(rng: np.random.Generator, count: int, format: str) -> Times:
    """Seconds of which the format writes all parts."""
    first, last = (np.datetime64(f"{year:04d}-01-01T00:00:00") for year in np.add(FORMATS[format], (0, 1)))
    seconds = rng.integers(first.astype(np.int64), last.astype(np.int64), count)
    part = 86400 if "%H" not in format and "%I" not in format else 1 if "%S" in format else 60
    return seconds // part * part  # type: ignore[no-any-return]


def difference(format: str, seconds: Times) -> str:
    """What differs, or ""."""
    strings = so.string_from_datetime(torch.from_numpy(seconds), format, unit="s")
    texts = strings.tolist()
    ours = strings.to_datetime(format, unit="s").numpy()
    results = {"what was written": seconds}
    for name, read in LIBRARIES.items():
        # numpy's and chrono's years of two digits have other pivots than the C library's.
        if format.startswith("%y") and name == "polars":
            continue
        results[name] = read(texts, format)
    for name, theirs in results.items():
        wrong = (ours != theirs).nonzero()[0]
        if wrong.size:
            return f"{format}: {wrong.size} differ from {name}, first {texts[wrong[0]]!r}"
    return ""


def fractions(rng: np.random.Generator, count: int) -> str:
    """ISO 8601 with fractions and offsets, against pandas; the text of nanoseconds against NumPy's."""
    nanoseconds = rng.integers(-(2**62), 2**62, count)
    written = np.datetime_as_string(nanoseconds.astype("datetime64[ns]"))
    if not bool((so.string_from_datetime(torch.from_numpy(nanoseconds)) == written).all()):
        return "iso8601: the text of nanoseconds differs from NumPy's"
    digits, offsets = rng.integers(20, 30, count), rng.integers(-14 * 60, 14 * 60, count)
    texts = [
        f"{text[:n]}{'+' if offset >= 0 else '-'}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"
        for text, n, offset in zip(written.tolist(), digits.tolist(), offsets.tolist(), strict=True)
        if n > 20
    ]
    want = pd.to_datetime(pd.Series(texts), format="ISO8601", utc=True).dt.as_unit("ns").astype(np.int64)
    got = so.string_to_datetime(texts).numpy()
    wrong = (got != want.to_numpy()).nonzero()[0]
    return f"iso8601: {wrong.size} differ from pandas, first {texts[wrong[0]]!r}" if wrong.size else ""


def fields(rng: np.random.Generator, count: int) -> str:
    times = rng.integers(-(2**62), 2**62, count)
    ours = so.datetime_fields(torch.from_numpy(times))
    theirs = pd.Series(times.astype("datetime64[ns]")).dt
    for name in ("year", "month", "day", "hour", "minute", "second", "weekday", "day_of_year"):
        if not np.array_equal(ours[name].numpy(), getattr(theirs, name).to_numpy()):
            return f"datetime_fields: {name} differs from pandas"
    return ""


def main() -> int:
    args = options(__doc__, strings=1_000_000, seed=0)
    rng = np.random.default_rng(args.seed)
    done = 0
    while done < args.strings:
        count = min(BATCH, args.strings - done)
        found = [difference(format, drawn(rng, count, format)) for format in FORMATS]
        found += [fractions(rng, count), fields(rng, count)]
        if any(found):
            print("\n".join(filter(None, found)))
            return 1
        done += count
    print(f"datetimes: {done} strings of each format, no difference")
    return 0
