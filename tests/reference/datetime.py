"""Oracles of the conversions between strings and times, on one element: regular expressions and Python's datetime."""

import re
from datetime import datetime, timedelta, timezone
from typing import Any

EPOCH = datetime(1970, 1, 1)
NOT_A_TIME = -(2**63)
DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905
EXPANDED = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "D": "%m/%d/%y", "R": "%H:%M", "n": "\n", "t": "\t"}

_OFFSET = r"(?P<z>Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)"
_ISO = re.compile(
    r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"
    rf"(?:[T ](?P<H>\d\d)(?::(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{{1,9}}))?)?)?{_OFFSET}?)?",
    re.ASCII,
)


def _names(names: list[str], size: int = 9) -> str:
    return "(?i:" + "|".join(name[:size] for name in names) + ")"


# A number takes the next character if it is a digit, unless the number would be too large with it.
_DIRECTIVES = {
    "Y": r"(?P<Y>\d{4})",
    "y": r"(?P<y>\d\d)",
    "m": r"(?P<m>0\d|0(?!\d)|1[0-2]|1(?![0-2])|[2-9])",
    "d": r"(?P<d>[0-2]\d|[0-2](?!\d)|3[01]|3(?![01])|[4-9])",
    "e": r"(?P<d> [1-9]|[0-2]\d|[0-2](?!\d)|3[01]|3(?![01])|[4-9])",
    "j": r"(?P<j>[0-2]\d\d|3[0-5]\d|36[0-6]|36(?![0-6])|3[7-9]|(?:[0-2]\d|3[0-5])(?!\d)|[0-3](?!\d)|[4-9]\d|[4-9](?!\d))",
    "H": r"(?P<H>[01]\d|[01](?!\d)|2[0-3]|2(?![0-3])|[3-9])",
    "I": r"(?P<I>0\d|0(?!\d)|1[0-2]|1(?![0-2])|[2-9])",
    "M": r"(?P<M>[0-5]\d|[0-5](?!\d)|[6-9])",
    "S": r"(?P<S>[0-5]\d|[0-5](?!\d)|[6-9])",
    "f": r"(?P<f>\d{1,9})",
    "B": f"(?P<B>{_names(MONTHS)})",
    "b": f"(?P<b>{_names(MONTHS, 3)})",
    "A": _names(WEEKDAYS),
    "a": _names(WEEKDAYS, 3),
    "p": "(?P<p>(?i:AM|PM))",
    "z": _OFFSET,
    "Z": "(?i:UTC|GMT)",
    "s": r"(?P<s>-?\d+)",
}


def _pattern(format: str) -> "re.Pattern[str]":
    for name, others in EXPANDED.items():
        format = format.replace(f"%{name}", others)
    parts = re.findall(r"%.|[ \t-\r]+|.", format, re.DOTALL)
    written = (
        "%" if p == "%%" else _DIRECTIVES[p[1]] if p[0] == "%" else r"[ \t-\r]+" if p.isspace() else re.escape(p)
        for p in parts
    )
    return re.compile("".join(written), re.ASCII)


def _time(found: dict[str, str]) -> tuple[int, int]:
    """Whole seconds since 1970 UTC, and nanoseconds. Raises ValueError if there is no such date."""
    nanoseconds = int(found.get("f", "0").ljust(9, "0"))
    if "s" in found:
        return int(found["s"]), nanoseconds
    month = int(found.get("m", 1))
    for name, size in (("B", 9), ("b", 3)):
        if name in found:
            month = [m[:size].lower() for m in MONTHS].index(found[name].lower()) + 1
    year = int(found.get("Y", 1900))
    if "y" in found:
        year = int(found["y"]) + (1900 if int(found["y"]) >= 69 else 2000)
    hour = int(found.get("H", 0))
    if "I" in found:
        if not 1 <= int(found["I"]) <= 12:
            raise ValueError
        hour = int(found["I"]) % 12 + (12 if found.get("p", "AM").upper() == "PM" else 0)
    time = datetime(year, month, int(found.get("d", 1)), hour, int(found.get("M", 0)), int(found.get("S", 0)))
    if "j" in found:
        time += timedelta(days=int(found["j"]) - 1)
        if int(found["j"]) < 1 or time.year != year:
            raise ValueError
    offset = found.get("z", "Z").replace(":", "")
    minutes = 0 if offset == "Z" else int(offset[1:3]) * 60 + int(offset[3:] or 0)
    shift = 60 * (-minutes if offset[0] == "-" else minutes)
    return (time - EPOCH) // timedelta(seconds=1) - shift, nanoseconds


def string_to_datetime_ref(
    string: bytes, format: str = "iso8601", unit: str = "ns", errors: str = "raise", fill: Any = None
) -> int:
    assert errors == "fill"
    otherwise = NOT_A_TIME if fill is None else fill.item()
    pattern = _ISO if format == "iso8601" else _pattern(format)
    match = pattern.fullmatch(string.decode("latin-1"))
    if not match:
        return otherwise
    try:
        seconds, nanoseconds = _time({name: text for name, text in match.groupdict().items() if text is not None})
    except ValueError:
        return otherwise
    total = seconds * 10**9 + nanoseconds
    result = total // 10 ** (9 - DIGITS[unit])
    return result if -(2**63) < result < 2**63 else otherwise


def string_from_datetime_ref(value: int, format: str = "iso8601", unit: str = "ns") -> bytes:
    if value == NOT_A_TIME:
        return b"NaT"
    digits = DIGITS[unit]
    seconds, rest = divmod(value, 10**digits)
    time = EPOCH + timedelta(seconds=seconds)
    fraction = f"{rest:0{digits}d}" if digits else ""
    if format == "iso8601":
        return (time.isoformat() + ("." + fraction if digits else "")).encode()
    for name, others in EXPANDED.items():
        format = format.replace(f"%{name}", others)
    aware = time.replace(tzinfo=timezone.utc)
    own = {
        "Y": f"{time.year:04d}", "f": fraction.ljust(6, "0"), "e": f"{time.day:2d}", "s": str(seconds), "Z": "UTC",
        "B": MONTHS[time.month - 1], "b": MONTHS[time.month - 1][:3], "A": WEEKDAYS[time.weekday()],
        "a": WEEKDAYS[time.weekday()][:3],
    }  # fmt: skip
    return re.sub(
        "%(.)", lambda m: own[m[1]] if m[1] in own else aware.strftime(m[0]), format, flags=re.DOTALL
    ).encode()
