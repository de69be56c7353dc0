"""Calls with little memory: the address space is limited to a little more than is in use."""

import resource
import time
from collections.abc import Callable
from typing import Any

ALLOWANCE = 512 << 20


def address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def anonymous_bytes() -> int:
    """The memory of this process that is not a mapped file."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) << 10 for line in file if line.startswith("Anonymous:"))


def run_limited(call: Callable[[], Any], allowance: int = ALLOWANCE) -> tuple[str, float]:
    """Returns the error as "Type: text", or "no error", and the seconds of processor time that the call took."""
    started = time.process_time()
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + allowance, resource.RLIM_INFINITY))
    try:
        call()
        outcome = "no error"
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return outcome, time.process_time() - started
