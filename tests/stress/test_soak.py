"""Mixed calls for a few seconds: the short form of `make stress CHECK=soak`."""

import re

from support.programs import run_stress


def test_mixed_calls_leak_nothing():
    done = run_stress("soak", "--seconds", "4")
    assert "calls to warm up" in done.stdout, done.stdout
    *_, last, verdict = done.stdout.splitlines()
    handles, threads = re.search(r"(\d+) handles  (\d+) threads", last).groups()
    # Four seconds are too short for a warm-up, but a leak in every call would still be detected.
    assert float(re.search(r"soak: ([+-][\d.]+)%", verdict).group(1)) < 5
    assert int(handles) < 20
    assert int(threads) < 20
