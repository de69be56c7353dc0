"""Sets up `.venv` for the Makefile. Outside this checkout, it only installs missing system packages.

    python3 tools/set_up.py base          system packages, .venv, torch, requirements of the build
    python3 tools/set_up.py extra NAME    the packages of the optional dependencies NAME of pyproject.toml;
                                          `fuzz`: clang with libFuzzer; `arm`: what runs programs of aarch64
    python3 tools/set_up.py separate NAME the same in .venv-NAME, which uses torch of .venv without changing it

STRINGOPS_PYTHON selects the interpreter. If it has torch >= 2.10, .venv uses that. pip's environment variables and
configuration files apply.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
OLDEST_PYTHON = (3, 10)
OLDEST_TORCH = (2, 10)


def say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


def stop(text: str) -> None:
    sys.exit(f"set-up: {text}")


def require_python() -> None:
    """Continue with a newer Python if this one is too old."""
    if sys.version_info >= OLDEST_PYTHON:
        return
    for minor in range(14, OLDEST_PYTHON[1] - 1, -1):
        other = shutil.which(f"python3.{minor}")
        if other:
            os.execv(other, [other, *sys.argv])
    stop("Python >= 3.10 is needed; name one with STRINGOPS_PYTHON=/path/to/python3")


def install(rows: dict, *options: str) -> None:
    """Try to install these packages, if that is possible without asking for a password."""
    packages = list(dict.fromkeys(apt for apt, _, _ in rows.values()))
    apt = shutil.which("apt-get")
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    allowed = not sudo or (shutil.which("sudo") and subprocess.run([*sudo, "true"], stderr=-3).returncode == 0)
    if not (apt and allowed):
        return
    say(f"installing {' '.join(packages)} (for {', '.join(rows)})")
    command = [
        *sudo,
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        apt,
        "-qq",
        "install",
        "-y",
        *options,
        *packages,
    ]
    installed = subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    if not installed:
        subprocess.run([*sudo, apt, "-qq", "update"], check=False)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def ensure_system_packages() -> None:
    from system_packages import SYSTEM_PACKAGES, VENV_PACKAGES, commands, missing

    needs = {**SYSTEM_PACKAGES, **VENV_PACKAGES}
    rows = missing(needs)
    if rows:
        install(rows)
        rows = missing(needs)
    if rows:
        where = f"for {sys.executable}" if {"Python.h", "ensurepip"} & set(rows) else "on this system"
        stop(f"{', '.join(rows)} not found {where}. Install with one of\n{commands(rows)}\nand run make again.")


def ask_for_test_packages() -> None:
    from system_packages import TEST_PACKAGES, commands, missing

    rows = missing(TEST_PACKAGES)
    if rows:
        install(rows, "--no-install-recommends")  # valgrind recommends a debugger
        rows = missing(TEST_PACKAGES)
    if rows:
        say(f"{', '.join(rows)} not found: tests that need it are skipped. Install with one of\n{commands(rows)}")


def ensure_each(needs: dict) -> None:
    from system_packages import commands, missing

    for need, packages in needs.items():  # one after the other, as the first usually includes the second
        rows = missing({need: packages})
        if rows:
            install(rows)
            rows = missing(rows)
        if rows:
            stop(f"{need} not found on this system. Install with one of\n{commands(rows)}\nand run make again.")


def torch_version(python: str) -> str:
    """The version of torch that `python` has, or "". Reads metadata, as importing torch takes seconds."""
    code = "from importlib.metadata import version; print(version('torch'))"
    found = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return found.stdout.strip()


def new_enough(version: str) -> bool:
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return bool(numbers) and tuple(map(int, numbers.groups())) >= OLDEST_TORCH


def pip_install(*requirements: str, quiet: bool = True, python: Path = VENV_PYTHON) -> None:
    # No cache, as it would be outside the checkout.
    options = ["--no-cache-dir", "--disable-pip-version-check", *(["--quiet"] if quiet else [])]
    done = subprocess.run([str(python), "-m", "pip", "install", *options, *requirements])
    if done.returncode:
        stop("pip could not install " + " ".join(requirements))


def project_table() -> dict:
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10; pip in .venv contains tomli
        sys.path.append(str(site_packages()))
        from pip._vendor import tomli as tomllib
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def build_requirements() -> list:
    table = project_table()
    return table["build-system"]["requires"] + table["project"]["dependencies"]


def site_packages(python: Path = VENV_PYTHON) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([str(python), "-c", code], text=True).strip())


def create_venv(reuse_torch: bool) -> None:
    options = ["--system-site-packages"] if reuse_torch else []
    subprocess.run([sys.executable, "-m", "venv", "--clear", *options, str(VENV)], check=True)
    site = site_packages()
    # Adds the checkout to sys.path, like an editable install, but without another build.
    (site / "torch_stringops_checkout.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    if reuse_torch and sys.prefix != sys.base_prefix:
        # venv's option adds only the packages of the base installation, not those of an environment.
        paths = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
        (site / "parent_environment.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")


def base() -> None:
    """Create or update .venv; fast if it is up to date."""
    start = time.monotonic()
    ensure_system_packages()
    if not (VENV_PYTHON.exists() and new_enough(torch_version(str(VENV_PYTHON)))):
        here = torch_version(sys.executable)
        reuse = new_enough(here)
        version = ".".join(map(str, sys.version_info[:3]))
        torch = f" and its torch {here}" if reuse else ""
        say(f"creating .venv with Python {version} ({sys.executable}){torch}")
        create_venv(reuse)
        if not reuse:
            (torch_pin,) = (r for r in build_requirements() if r.startswith("torch=="))
            say(f"installing {torch_pin} (the largest part; takes minutes if it is downloaded)")
            pip_install(torch_pin, quiet=False)
    pip_install(*(r for r in build_requirements() if not r.startswith("torch")))
    say(f"ready after {time.monotonic() - start:.0f} s")


def extra(name: str) -> None:
    if name == "test":
        ask_for_test_packages()
    if name in ("fuzz", "arm"):
        from system_packages import ARM_PACKAGES, FUZZ_PACKAGES

        ensure_each(FUZZ_PACKAGES if name == "fuzz" else ARM_PACKAGES)
        return
    requirements = project_table()["project"]["optional-dependencies"][name]
    say(f"installing the packages of `{name}`: {' '.join(requirements)}")
    pip_install(*requirements)


def separate(name: str) -> None:
    """Create an environment with separate packages, so that versions in .venv do not change."""
    folder = ROOT / f".venv-{name}"
    python = folder / "bin" / "python"
    requirements = project_table()["project"]["optional-dependencies"][name]
    say(f"installing the packages of `{name}` into {folder.name}: {' '.join(requirements)}")
    new = not (folder / "ready").exists()  # made by the Makefile at the end
    if new:
        subprocess.run([str(VENV_PYTHON), "-m", "venv", "--clear", str(folder)], check=True)
        # The packages of .venv come after its own, so that torch is not installed twice.
        code = "import sys; print(*(p for p in sys.path if p.endswith('-packages')), sep='\\n')"
        seen = subprocess.check_output([str(VENV_PYTHON), "-c", code], text=True)
        (site_packages(python) / "venv.pth").write_text(f"{ROOT}\n{seen}", encoding="utf-8")
    # Also packages that .venv has, as versions must not depend on the extras in .venv.
    options = ["--ignore-installed"] if new else []
    # The log is an input of the benchmarks.
    pip_install(*options, "--log", str(folder / "pip.log"), *requirements, python=python)


if __name__ == "__main__":
    require_python()
    if sys.argv[1:] == ["base"]:
        base()
    elif len(sys.argv) == 3 and sys.argv[1] == "extra":
        extra(sys.argv[2])
    elif len(sys.argv) == 3 and sys.argv[1] == "separate":
        separate(sys.argv[2])
    else:
        stop(f"unknown arguments {sys.argv[1:]}\n{__doc__}")
