"""Models that skl2onnx writes, loaded as modules and compared with onnxruntime on random strings."""

import random
import warnings
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("skl2onnx")

from skl2onnx import to_onnx  # noqa: E402
from skl2onnx.common.data_types import StringTensorType  # noqa: E402
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.naive_bayes import MultinomialNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder  # noqa: E402
from sklearn.svm import SVC, SVR, OneClassSVM  # noqa: E402
from support import onnx_models  # noqa: E402
from support.cases import each  # noqa: E402
from support.onnx_sessions import session  # noqa: E402

from torch_stringops.onnx import load  # noqa: E402

pytestmark = pytest.mark.check

RNG = random.Random(3)
WORDS = ["to", "be", "or", "not", "The", "the", "café", "x1", "a", "end-of", "don't", "ÉTÉ", "zz"]


def texts(count: int, words: list[str], least: int = 1) -> np.ndarray:
    drawn = [" ".join(RNG.choices(words, k=RNG.randint(least, 8))) for _ in range(count)]
    return np.array(drawn, dtype=object).reshape(-1, 1)


def categories(count: int, unknown: str = "") -> np.ndarray:
    return np.array([[RNG.choice(["r", "g", "b", *unknown]), RNG.choice("uv")] for _ in range(count)], object)


TEXTS, NEW = texts(80, WORDS), texts(40, [*WORDS, "new"], 0)
CLASSES = np.array(["no", "yes", "both"])[[("be" in t) + ("zz" in t) for (t,) in TEXTS]]
NUMBERS = np.array([len(t) for (t,) in TEXTS], np.float32)


def compare(model: Any, fitted_on: np.ndarray, target: Any, strings: np.ndarray, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(fitted_on[:, 0] if fitted_on.shape[1] == 1 else fitted_on, target)
        kind = StringTensorType([None, fitted_on.shape[1]])
        proto = to_onnx(model, initial_types=[("x", kind)], target_opset=18, **options)
    module = load(proto)
    for node in proto.graph.node:  # onnxruntime wants a locale that is installed
        if node.op_type == "StringNormalizer":
            kept = [a for a in node.attribute if a.name != "locale"]
            del node.attribute[:]
            node.attribute.extend([*kept, onnx.helper.make_attribute("locale", "C.UTF-8")])
    # onnxruntime rejects no rows where the reference implementation and StringNormalizer have one empty string.
    assert {len(value) for value in onnx_models.run(module, [strings[:0]])} == {0}
    got = onnx_models.run(module, [strings])
    for value, want in zip(got, session(proto).run(None, {"x": strings}), strict=True):
        assert onnx_models.is_close(value, want, 1e-4, 1e-5)


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(),
        CountVectorizer(ngram_range=(1, 2), lowercase=False),
        CountVectorizer(analyzer="char", ngram_range=(1, 3)),
        CountVectorizer(binary=True, token_pattern="[a-z]+"),
        CountVectorizer(stop_words=["the"]),
        TfidfVectorizer(),
        TfidfVectorizer(norm="l1", ngram_range=(1, 3)),
        TfidfVectorizer(norm=None, sublinear_tf=True),
        TfidfVectorizer(use_idf=False, min_df=3),
    ],
    ids=str,
)
def test_vectorizers(vectorizer: Any):
    compare(vectorizer, TEXTS, None, NEW)


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(handle_unknown="ignore"),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    ],
    ids=str,
)
def test_encoders(encoder: Any):
    compare(encoder, categories(60), None, categories(40, unknown="q"))


@each("classifier", [
    LogisticRegression(), MultinomialNB(), RandomForestClassifier(5), GradientBoostingClassifier(n_estimators=3),
    SVC(kernel="poly"), SVC(probability=True),
])  # fmt: skip
@each("classes", [CLASSES, CLASSES == "no"])
def test_classifiers(classifier: Any, classes: Any):
    pipeline = make_pipeline(TfidfVectorizer(), classifier)
    for zipmap in (False, True):
        options = {id(classifier): {"zipmap": zipmap}}
        compare(pipeline, TEXTS, classes.astype(int) if classes.dtype == bool else classes, NEW, options=options)


@pytest.mark.parametrize("regressor", [Ridge(), SVR(), OneClassSVM()], ids=str)
def test_regressors(regressor: Any):
    compare(make_pipeline(TfidfVectorizer(), regressor), TEXTS, NUMBERS, NEW)
