"""Hash flooding: the short form of `make stress CHECK=hash_flooding`."""

from support.programs import run_stress


def test_colliding_words_take_linear_time():
    done = run_stress("hash_flooding", "--words", "40000", timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
