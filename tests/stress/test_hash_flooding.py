"""Words that collide by design take no longer than others. See hostile/words.py; the long form is `make borders`."""

from support.programs import run_stress


def test_words_that_fall_together_take_linear_time():
    done = run_stress("hash_flooding", "--words", "40000", timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
