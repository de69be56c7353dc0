"""XXH3 compared with `xxhash`: the short form of `make stress CHECK=hashes`."""

import pytest
from support.programs import run_stress

pytest.importorskip("xxhash")


def test_hashes_are_those_of_xxhash():
    done = run_stress("hashes", "--strings", "40000", timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "40000 strings" in done.stdout
