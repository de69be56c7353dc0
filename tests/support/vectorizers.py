"""Cases of scikit-learn's vectorizers, and their results, recorded in tests/golden/vectorizers.json.

    python tests/support/vectorizers.py      # records them again; needs scikit-learn

Python's Unicode is 14 or later in the recordings; the texts have characters of earlier versions only.
"""

import json
from pathlib import Path
from typing import Any

import torch

FILE = Path(__file__).parents[1] / "golden" / "vectorizers.json"
TEXTS = [
    "To be, or not to be: that is the question.",
    "Let it be, let it be!  There will be\tan answer\n\nlet it be",
    "", "ÉTÉ à la plage; naïve café, CAFÉ e\u0301te\u0301 ﬁn", "x_1 = x_2 + 3.14  # a comment; isn't it?",
    "日本語 の テキスト と １２３ ½ Ⅷ ΟΔΟΣ", "to to to BE be a I 1", "...", "हिन्दी में पाठ \u3000 क्\u00a0ष",
]  # fmt: skip
# The class, and its arguments; dtypes by name.
# No `max_features` divides terms that are equally frequent: which of them NumPy sorts first depends on the processor.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("CountVectorizer", {}), ("CountVectorizer", {"lowercase": False, "binary": True}),
    ("CountVectorizer", {"ngram_range": [1, 3], "min_df": 2}),
    ("CountVectorizer", {"ngram_range": [2, 2], "max_df": 1}), ("CountVectorizer", {"max_df": 0.3, "min_df": 0.1}),
    ("CountVectorizer", {"max_features": 5}),
    ("CountVectorizer", {"max_features": 3, "binary": True, "dtype": "float32"}),
    ("CountVectorizer", {"stop_words": ["be", "to", "the"], "ngram_range": [1, 2]}),
    ("CountVectorizer", {"strip_accents": "unicode"}),
    ("CountVectorizer", {"strip_accents": "ascii", "ngram_range": [1, 2]}),
    ("CountVectorizer", {"token_pattern": r"(?u)\b\w+\b"}), ("CountVectorizer", {"token_pattern": r"\w{3,}"}),
    ("CountVectorizer", {"token_pattern": r"\b[a-zA-Z]{2,}\b"}),
    ("CountVectorizer", {"token_pattern": r"\b[a-z]+\d?\b", "strip_accents": "unicode"}),
    ("CountVectorizer", {"token_pattern": r"(\w)\w+"}), ("CountVectorizer", {"token_pattern": r"[^\W\d_]+"}),
    ("CountVectorizer", {"token_pattern": r"\S+"}), ("CountVectorizer", {"token_pattern": r"[^\s\d]+|\d"}),
    ("CountVectorizer", {"token_pattern": r"\w+(?:'\w+)?|[^\w\s]"}),
    ("CountVectorizer", {"analyzer": "char", "ngram_range": [1, 3]}),
    ("CountVectorizer", {"analyzer": "char", "ngram_range": [2, 2], "lowercase": False, "max_features": 9}),
    ("CountVectorizer", {"analyzer": "char_wb", "ngram_range": [1, 4]}),
    ("CountVectorizer", {"analyzer": "char_wb", "ngram_range": [5, 7], "strip_accents": "unicode"}),
    ("CountVectorizer", {"vocabulary": ["to", "be", "or", "absent"], "stop_words": ["be"]}),
    ("CountVectorizer", {"vocabulary": {"to be": 1, "be": 0}, "ngram_range": [1, 2], "binary": True}),
    ("CountVectorizer", {"min_df": 9}), ("TfidfVectorizer", {}),
    ("TfidfVectorizer", {"norm": "l1", "sublinear_tf": True}),
    ("TfidfVectorizer", {"norm": None, "smooth_idf": False, "ngram_range": [1, 2]}),
    ("TfidfVectorizer", {"use_idf": False, "binary": True}),
    ("TfidfVectorizer", {"analyzer": "char_wb", "ngram_range": [2, 4], "max_features": 18}),
    ("TfidfVectorizer", {"vocabulary": ["to", "be", "it"], "sublinear_tf": True}),
    ("TfidfVectorizer", {"max_df": 0.5, "min_df": 2, "stop_words": ["it"]}),
    ("HashingVectorizer", {}), ("HashingVectorizer", {"n_features": 5}),
    ("HashingVectorizer", {"n_features": 5, "binary": True, "norm": None}),
    ("HashingVectorizer", {"n_features": 7, "norm": "l1", "ngram_range": [1, 2]}),
    ("HashingVectorizer", {"n_features": 2**31 - 2, "alternate_sign": False, "norm": None}),
    ("HashingVectorizer", {"n_features": 64, "analyzer": "char", "ngram_range": [2, 3]}),
    ("HashingVectorizer", {"n_features": 64, "analyzer": "char_wb", "ngram_range": [6, 6]}),
]  # fmt: skip


def kinds(case: Any, module: Any = None, dtypes: Any = torch) -> tuple[Any, dict[str, Any]]:
    """The class in `module` (default: torch_stringops.nn), and the arguments."""
    if module is None:
        from torch_stringops import nn as module
    name, settings = case
    given = dict(settings)
    if "ngram_range" in given:
        given["ngram_range"] = tuple(given["ngram_range"])
    if "dtype" in given:
        given["dtype"] = getattr(dtypes, given["dtype"])
    return getattr(module, name), given


def sparse_parts(matrix: Any) -> tuple[list[int], list[int], list[float]]:
    return matrix.crow_indices().tolist(), matrix.col_indices().tolist(), matrix.values().tolist()


def expected(case: Any) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return recorded["results"][CASES.index(case)]  # type: ignore[no-any-return]


def results_of_scikit_learn(case: Any, texts: list[str]) -> dict[str, Any]:
    """The sparse matrix and the terms of scikit-learn."""
    import numpy as np
    from sklearn.feature_extraction import text

    kind, settings = kinds(case, text, np)
    vectorizer = kind(**settings)
    try:
        matrix = vectorizer.fit_transform(texts)
    except ValueError as error:
        return {"error": str(error)}
    matrix.sort_indices()
    found = {"crow": matrix.indptr, "columns": matrix.indices, "values": matrix.data}
    result = {name: array.tolist() for name, array in found.items()}
    if case[0] != "HashingVectorizer":
        result["terms"] = vectorizer.get_feature_names_out().tolist()
    return result


if __name__ == "__main__":
    import sys

    import sklearn

    lines = [json.dumps(results_of_scikit_learn(case, TEXTS), ensure_ascii=False) for case in CASES]
    origin = f"scikit-learn {sklearn.__version__}, Python {sys.version.split()[0]}, tests/support/vectorizers.py"
    text = f'{{"origin": {json.dumps(origin)},\n"results": [\n' + ",\n".join(lines) + "\n]}\n"
    FILE.write_text(text, encoding="utf-8")
