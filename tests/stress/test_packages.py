"""A model in a package on 8 threads and in a server: the short form of `make stress CHECK=packages`."""

import importlib.util

from support.programs import run_stress

SECONDS = 300
SERVER = all(importlib.util.find_spec(name) for name in ("fastapi", "uvicorn", "httpx"))


def test_no_form_of_a_model_hangs_on_threads():
    arguments = ["--calls", "50", "--requests", "640" if SERVER else "0", "--backend", "aot_eager"]
    done = run_stress("packages", *arguments, "--limit", str(SECONDS), timeout=SECONDS + 60)
    assert done.returncode == 0, done.stdout
    for form in ("eager", "compiled", "exported", "package", *(["server"] if SERVER else [])):
        assert f"{form}: done" in done.stdout, done.stdout
