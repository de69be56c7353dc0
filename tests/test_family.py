"""`make test FAMILY=...` takes the name of every family, and finds its fuzz targets."""

from pathlib import Path

from family import fuzz_targets, is_of_family
from support.cases import each
from support.registry import PUBLIC, TESTS, family

FAMILIES = sorted({family(op) for op in PUBLIC})


def test_families_have_targets_of_their_own():
    assert fuzz_targets("tfidf") == ["operators:tfidf_vectorizer"]
    assert "string_lower" in fuzz_targets("case")[0]
    assert fuzz_targets("number")[1:] == ["string_to_number", "string_from_number"]


@each("name", FAMILIES)
def test_family_is_found(name: str):
    assert list((TESTS / "ops").glob(f"test_{name}*.py"))
    assert fuzz_targets(name)[0] != "operators:"


def test_tests_of_the_family():
    kept = [
        ("ops/test_tfidf.py", "test_a"),
        ("tfidf.py", "tfidf_vectorizer"),
        ("test_registry.py", "test_a[tfidf_vectorizer]"),
    ]
    others = [("test_registry.py", "test_a[string_lower]"), ("test_registry.py", "test_tfidf_vectorizer")]
    for expected, tests in ((True, kept), (False, others)):
        for path, name in tests:
            assert is_of_family("tfidf", Path(path), f"{path}::{name}") is expected, name
