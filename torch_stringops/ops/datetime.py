"""Dates and times as strings, as the time since 1970, and as fields of the calendar."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_elements, choice_error
from torch_stringops._native import operator
from torch_stringops._tracing import register_fake
from torch_stringops.ops._declare import declare_reduce
from torch_stringops.ops.gather import new_result
from torch_stringops.ops.number import check_fill
from torch_stringops.ops.ragged import as_padding
from torch_stringops.tensor.strings import S, Strings

# Units in a second.
UNITS = {"s": 1, "ms": 1000, "us": 1000_000, "ns": 1000_000_000}
_SECONDS_OF_DAY = 86400


def _check_unit(op: str, unit: str) -> None:
    if not isinstance(unit, str) or unit not in UNITS:
        raise choice_error(op, "unit", "'s', 'ms', 'us' or 'ns'", unit)


_to_datetime = declare_reduce("string_to_datetime", torch.int64, check_fill)


def _string_to_datetime(s: Strings, format: str, unit: str, errors: str, fill: Any) -> Tensor:
    op = "string_to_datetime"
    value = None
    if fill is not None:
        if errors == "raise":
            raise ValueError(f'{op}: expected `fill` only with errors="fill", got errors="raise"')
        like = s.offsets.new_empty((0,), dtype=torch.int64)
        value = as_padding(op, like, fill, "fill")
        if value is None:  # the int 0
            value = like.new_zeros(())
    return _to_datetime(s, format, unit, errors, value)


@register_fake("string_from_datetime")
def _fake_from_datetime(input: Tensor, format: str = "iso8601", unit: str = "ns") -> Any:
    op = "string_from_datetime"
    _check_unit(op, unit)
    check_dtype(op, "input", input, torch.int64)
    check_elements(op, "input", input)
    return new_result(op, input, list(input.shape) or [1])


_from_datetime = operator("string_from_datetime")


def _string_from_datetime(cls: type[S], input: Tensor, format: str, unit: str) -> S:
    strings: tuple[Tensor, Tensor] = _from_datetime(input, format, unit)
    return cls._new(*strings, input.dim() == 0)


def _divide(number: Tensor, divisor: int) -> Tensor:
    """The quotient of integers, rounded down."""
    return torch.div(number, divisor, rounding_mode="floor")


def _datetime_fields(input: Tensor, unit: str) -> dict[str, Tensor]:
    _check_unit("datetime_fields", unit)
    check_dtype("datetime_fields", "input", input, torch.int64)
    units = UNITS[unit]
    days = _divide(input, units * _SECONDS_OF_DAY)
    rest = input - days * (units * _SECONDS_OF_DAY)
    seconds = _divide(rest, units)
    minutes = _divide(seconds, 60)
    hours = _divide(minutes, 60)

    # Years that begin in March end with the leap day. 400 years, an era, have 146,097 days.
    since_march = days + 719468
    era = _divide(since_march, 146097)
    day_of_era = since_march - era * 146097
    leap_days = _divide(day_of_era, 36524) - _divide(day_of_era, 1460) - _divide(day_of_era, 146096)
    year_of_era = _divide(day_of_era + leap_days, 365)
    day_of_year = day_of_era - (365 * year_of_era + _divide(year_of_era, 4) - _divide(year_of_era, 100))
    month = _divide(5 * day_of_year + 2, 153)
    is_next_year = month >= 10  # January and February
    year = 400 * era + year_of_era + is_next_year
    is_leap = (year.remainder(4) == 0) & ((year.remainder(100) != 0) | (year.remainder(400) == 0))
    fields = {
        "year": year,
        "month": torch.where(is_next_year, month - 9, month + 3),
        "day": day_of_year - _divide(153 * month + 2, 5) + 1,
        "hour": hours,
        "minute": minutes - hours * 60,
        "second": seconds - minutes * 60,
        "nanosecond": (rest - seconds * units) * (UNITS["ns"] // units),
        "weekday": (days + 3).remainder(7),  # 1970-01-01 was a Thursday
        "day_of_year": torch.where(is_next_year, day_of_year - 305, day_of_year + 60 + is_leap),
    }
    return fields
