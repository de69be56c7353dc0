"""Methods that read dates and times."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._types import NumberErrors, TimeUnit
from torch_stringops.methods._base import Methods
from torch_stringops.ops import datetime


class DatetimeMethods(Methods):
    """Dates and times."""

    __slots__ = ()

    def to_datetime(
        self,
        format: str = "iso8601",
        *,
        unit: TimeUnit = "ns",
        errors: NumberErrors = "raise",
        fill: int | Tensor | None = None,
    ) -> Tensor:
        """Converts the date and time in each string to the time since 1970-01-01 UTC, like datetime64 of NumPy.

        "iso8601" reads `YYYY-MM-DD`, or this and `T` or a space and `hh`, `hh:mm`, `hh:mm:ss`, `hh:mm:ss.f` or
        `hh:mm:ss,f`, with 1 to 9 digits `f`; after the time, there may be an offset from UTC: `Z`, `+hh`, `+hhmm` or
        `+hh:mm`, also with `-`. Other formats have directives of Python's `strptime`, and a string has exactly that
        text:

        - `%Y` (4 digits, from 0001), `%y` (2 digits: 69 to 99 are 1969 to 1999, others 2000 to 2068), `%m`, `%d`,
          `%j` (day of the year), `%H`, `%I` (1 to 12, of the half day `%p`), `%M`, `%S`: one or two digits, `%j` one
          to three, of which the next one is taken if the number stays within its limits, where Python also tries fewer
          if the rest does not match; `%e` as `%d`, also with a space in place of the first digit; `%f`, 1 to 9 digits
          of a fraction.
        - `%B`, `%b`, `%A`, `%a`, `%p`: English names of months and weekdays (`%b`, `%a`: their first three letters),
          AM and PM, in any case. Weekdays are not compared with the date.
        - `%z`: an offset as above; `%Z`: UTC or GMT, in any case; `%s`: the seconds since 1970, to which
          `%f` is added: "-2.5" is 1.5 s before 1970, as `string_from_datetime` writes it.
        - `%F`, `%T`, `%D`, `%R`: `%Y-%m-%d`, `%H:%M:%S`, `%m/%d/%y`, `%H:%M`; `%%`: a percent sign. Whitespace, `%n`
          and `%t`: one or more characters of ASCII whitespace.

        Parts that a format lacks are those of 1900-01-01 00:00 UTC, as in Python. Dates must exist. A leap second,
        60, is an error, as in Python's datetime and pandas; pyarrow takes it for the next minute. Digits of a fraction
        that the unit does not have are dropped.

        Args:
            format: "iso8601", or directives, of which each part of a time has at most one.
            unit: of the result: "s", "ms", "us" or "ns".
            errors: for strings that are not of the format, and times that int64 does not hold: "raise" an error, or
                "fill" gives `fill`.
            fill: with errors="fill", an int, or an int64 tensor of rank 0; None for -2**63, NumPy's NaT.

        Returns:
            int64 `[*S]`.

        Raises:
            ValueError: a string is not of the format, or its time beyond int64, and `errors` is "raise": the message
                gives the index of the first; or an argument is not as above; or `fill` is given without
                errors="fill".

        See also: `string_from_datetime`, the inverse; `datetime_fields`.

        Example:
            >>> s = StringTensor.from_list(["2024-02-29 12:30:00.5+01:00", "1970-01-01"])
            >>> s.to_datetime(unit="ms")
            tensor([1709206200500,             0])
            >>> StringTensor.from_list(["29 Feb 2024", "30 Feb 2024"]).to_datetime(
            ...     "%d %b %Y", unit="s", errors="fill", fill=-1
            ... )
            tensor([1709164800,         -1])
        """
        return datetime._string_to_datetime(self, format, unit, errors, fill)
