"""Child processes of a process that has used torch's threads: a hundred by each start method."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import torch
from support.strings import compact

import torch_stringops  # noqa: F401

START_METHODS = ["fork", "spawn", "forkserver"]
ROWS = [b"to be or not to be, that is the question"] * 5000


def run_python(code: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "tests")])}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=timeout
    )


def split_count(_: int = 0) -> int:
    return torch.ops.stringops.string_split_ragged(*compact(ROWS))[2][-1].item()


def children(method: str, count: int) -> None:
    """Starts `count` children, one after the other, of a process with torch's thread pool; forked ones may take 5 s."""
    done = run_python(
        f"""
        import multiprocessing, sys, time
        import torch
        from stress.processes import split_count

        if __name__ == "__main__":
            torch.set_num_threads(2)
            assert split_count() == 50_000
            context = multiprocessing.get_context({method!r})
            for i in range({count}):
                began = time.monotonic()
                child = context.Process(target=split_count)
                child.start()
                child.join({5 if method == "fork" else 60})
                if child.exitcode != 0:
                    child.kill()
                    sys.exit(f"child {{i}}: exit code {{child.exitcode}} after {{time.monotonic() - began:.1f}} s")
        """,
        timeout=3600,
    )
    assert done.returncode == 0, done.stderr


def main() -> int:
    for method in START_METHODS:
        children(method, 100)
        print(f"{method}: 100 children")
    return 0
