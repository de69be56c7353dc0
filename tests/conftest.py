"""Settings of all tests: hypothesis profiles, CPU tiers, and a header with versions."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, Phase, settings
from support.cases import named

import torch_stringops

# Programs, which have no doctests.
collect_ignore = ["fuzz", "stress/mutation", "interop/arrow_structures.py"]
collect_ignore += ["support/coming_from/record.py", "support/tensorflow_models.py"]
collect_ignore += [str(path) for path in Path(__file__).parent.glob("stress/*.py") if not path.name.startswith("test_")]

# Packages compile in less time; read when torch._inductor is first imported, by children too.
os.environ.setdefault("AOT_INDUCTOR_COMPILE_WRAPPER_OPT_LEVEL", "O0")
# A process compiles by itself, instead of starting two more that import torch.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

# function_scoped_fixture is suppressed, as the tier fixture sets a process-wide switch once per test, not per example.
_quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
settings.register_profile("dev", max_examples=40, deadline=None, suppress_health_check=_quiet)
settings.register_profile("ci", max_examples=40, deadline=None, suppress_health_check=_quiet, print_blob=True)
settings.register_profile("nightly", max_examples=20_000, deadline=None, suppress_health_check=_quiet)
# For `make arm-wheel`, whose processor is emulated.
settings.register_profile("emulated", max_examples=5, deadline=None, suppress_health_check=_quiet)
# For mutation testing: the same examples in every run, without a database.
settings.register_profile(
    "repeatable",
    max_examples=60,
    deadline=None,
    suppress_health_check=_quiet,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


def pytest_report_header() -> str:
    return (
        f"torch {torch.__version__}, {torch.get_num_threads()} threads, "
        f"CPU tiers {', '.join(torch_stringops.simd_tiers())}, now {torch_stringops.simd_tier()}"
    )


# The files that take longest come first, so that no process waits for the other at the end.
_LONG = (
    "stress/test_sanitizers.py", "bench/test_instructions.py", "test_examples.py", "tensor/test_every_operator.py",
    "stress/test_allocation.py", "tensor/test_aoti.py", "stress/test_limits.py", "tensor/test_compile.py",
    "tensor/test_traced_shapes.py", "tensor/test_vocabulary.py", "nn/test_modules.py", "test_suites.py",
    "test_site.py", "stress/", "bench/",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--family", help="of tests that are parametrized by operators, only those of this family")
    parser.addoption("--check", choices=["without", "only", "with"], default="without", help="tests marked `check`")


def pytest_collection_finish() -> None:
    """Full garbage collections, which tests of reference counts run often, leave out the objects of all tests."""
    gc.collect()
    gc.freeze()


def _keep_family(config: pytest.Config, items: list[pytest.Item], name: str) -> None:
    from family import is_of_family

    kept = [item for item in items if is_of_family(name, item.path, item.nodeid)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _is_check(item: pytest.Item) -> bool:
    """The short forms of the long checks, in tests/stress, are `check` tests too."""
    return item.path.parent.name == "stress" or item.get_closest_marker("check") is not None


def _keep_checks(config: pytest.Config, items: list[pytest.Item], wanted: str) -> None:
    """Deselects tests marked `check`, which `make check` runs, unless a test is named by its own identifier."""
    if wanted == "with" or any("::" in argument for argument in config.args):
        return
    kept, left = [], []
    for item in items:
        is_wanted = _is_check(item) or "tier" in getattr(item, "fixturenames", ())
        (kept if (is_wanted if wanted == "only" else not _is_check(item)) else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says what `make test` leaves out. The controller of several processes collects nothing, so it reads the files."""
    if config.getoption("check") != "without" or config.args != config.getini("testpaths"):
        return
    here = Path(__file__).parent
    files = sorted(here.rglob("test_*.py"))
    left = [
        str(path.relative_to(here))
        for path in files
        if path.parent.name == "stress" or "mark.check" in path.read_text(encoding="utf-8")
    ]
    terminalreporter.write_line(f"Not run: tests marked `check` in {len(left)} files; `make check` runs them.")
    terminalreporter.write_line("  " + " ".join(left))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _keep_checks(config, items, config.getoption("check"))
    if family := config.getoption("family"):
        _keep_family(config, items, family)
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        path = item.path.relative_to(here).as_posix() if item.path.is_relative_to(here) else ""
        return next((i for i, prefix in enumerate(_LONG) if path.startswith(prefix)), len(_LONG))

    items.sort(key=place)


def _tiers_of(item: pytest.Function) -> list[str]:
    """All tiers for checks and samples of operators; other tests run on the best, and by `make check` on the rest."""
    tiers, best = torch_stringops.simd_tiers(), torch_stringops.simd_tier()
    check = item.config.getoption("check")
    if check != "with" and item.originalname != "test_samples_match_the_oracle" and not _is_check(item):
        tiers = [best] if check == "without" else [tier for tier in tiers if tier != best]
    return tiers


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test that uses `tier` on one or each CPU tier of this machine."""
    callspec = getattr(pyfuncitem, "callspec", None)
    if "tier" not in pyfuncitem.fixturenames or (callspec and "tier" in callspec.params):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    for tier in _tiers_of(pyfuncitem):
        torch_stringops.set_simd_tier(tier)
        with named(tier=tier):
            pyfuncitem.obj(**arguments | ({"tier": tier} if "tier" in names else {}))
    return True


@pytest.fixture
def tier() -> Iterator[str]:
    """The CPU tier that a test runs on, each in turn (pytest_pyfunc_call)."""
    before = torch_stringops.simd_tier()
    yield before
    torch_stringops.set_simd_tier(before)


@pytest.fixture(params=["masks", "automaton", "closure"])
def path(request: pytest.FixtureRequest):
    """Runs a test of the Tokenizer with masks if possible, with the automaton, and without its short cuts."""
    torch_stringops._native._c.stringops_set_masks(request.param == "masks")
    torch_stringops._native._c.stringops_force_closure(request.param == "closure")
    yield request.param
    torch_stringops._native._c.stringops_set_masks(True)
    torch_stringops._native._c.stringops_force_closure(False)


@pytest.fixture(params=[True, False], ids=["in place", "by the API"])
def reading(request: pytest.FixtureRequest):
    """Runs a test twice: with the storage of str objects read in place, and with Python's API only."""
    if request.param and "t" in sys.abiflags:
        pytest.skip("Python without a GIL has str objects that the API alone reads")
    assert torch_stringops._convert.uses_layout(request.param) is request.param
    yield
    torch_stringops._convert.uses_layout(True)
