"""Every operator on threads with stacks of 64 KB to 8 MB: an error or a result, not a crash."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "small_stacks.py"


@pytest.mark.check
def test_no_stack_is_too_small():
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(PROGRAM.parents[1]), *sys.path])},
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-200:], done.stderr[-500:])
