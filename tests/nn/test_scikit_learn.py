"""The vectorizers agree with scikit-learn on random and real text. Skipped where scikit-learn is not installed."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each
from support.vectorizers import CASES, TEXTS, kinds, results_of_scikit_learn, sparse_parts

from torch_stringops.nn import HashingVectorizer

text = pytest.importorskip("sklearn.feature_extraction.text")

PARTS = [
    "to", "be", "BE", "or", "not", "n't", "été", "É", "é", "日本", "１２", "½", "x_1", "a", "I", "ﬁ", "İ", "ß", "Σ",
    "ΟΔΟΣ", "\t", "\n", "\u3000", "...", "-", "'", "_",
]  # fmt: skip


def random_texts(seed: int, rows: int = 60) -> list[str]:
    draw = random.Random(seed)
    return [
        "".join(draw.choice(PARTS) + draw.choice(["", " ", "  "]) for _ in range(draw.randrange(20)))
        for _ in range(rows)
    ]


def sources() -> list[str]:
    """Parts of 30 lines of files of the standard library."""
    lines = Path(random.__file__).read_text(encoding="utf-8").split("\n")
    return ["\n".join(lines[i : i + 30]) for i in range(0, len(lines), 30)]


@each("case", [case for case in CASES if "vocabulary" not in case[1]])
def test_random_and_real_text(case: Any):
    kind, settings = kinds(case)
    for texts in (random_texts(len(str(case))), sources(), TEXTS[::-1]):
        want = results_of_scikit_learn(case, texts)
        module = kind(**settings)
        if "error" in want:
            with pytest.raises(ValueError, match="expected"):
                module.fit(texts)
            continue
        crow, columns, values = sparse_parts(module.fit_transform(texts))
        assert (crow, columns) == (want["crow"], want["columns"])
        np.testing.assert_allclose(values, want["values"], rtol=1e-12, atol=0)
        if kind is not HashingVectorizer:
            assert module.get_feature_names_out() == want["terms"]
            theirs = kinds(case, text, np)[0](**kinds(case, text, np)[1]).fit(texts)
            crow, columns, _ = sparse_parts(module(random_texts(7)))
            other = theirs.transform(random_texts(7))
            other.sort_indices()
            assert (crow, columns) == (other.indptr.tolist(), other.indices.tolist())
