"""Times compared with other libraries: the short form of `make stress CHECK=datetimes`."""

import pytest
from support.programs import run_stress

for name in ("pandas", "polars", "pyarrow"):
    pytest.importorskip(name)


def test_times_are_those_of_other_libraries():
    done = run_stress("datetimes", "--strings", "5000", timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "5000 strings" in done.stdout
