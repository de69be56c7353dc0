"""A model in a package on 8 threads and in a server: the short form of `make stress CHECK=packages`."""

import importlib.util
import subprocess

import pytest
from support.programs import run_stress

SECONDS = 300
MISSING = [name for name in ("fastapi", "uvicorn", "httpx") if importlib.util.find_spec(name) is None]


@pytest.fixture(scope="module")
def done() -> subprocess.CompletedProcess[str]:
    arguments = ["--calls", "50", "--requests", "0" if MISSING else "640", "--backend", "aot_eager"]
    return run_stress("packages", *arguments, "--limit", str(SECONDS), timeout=SECONDS + 60)


def test_no_form_of_a_model_hangs_on_threads(done: subprocess.CompletedProcess[str]):
    assert done.returncode == 0, done.stdout
    for form in ("eager", "compiled", "exported", "package"):
        assert f"{form}: done" in done.stdout, done.stdout


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_no_request_to_a_server_hangs(done: subprocess.CompletedProcess[str]):
    assert "server: done" in done.stdout, done.stdout
