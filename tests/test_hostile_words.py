"""Words that collide by design take no longer than others. See hostile/words.py; the long form is `make borders`."""

import subprocess
import sys
from pathlib import Path


def test_words_that_fall_together_take_linear_time():
    command = [sys.executable, str(Path(__file__).parent / "hostile" / "words.py"), "--words", "40000"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
