"""Pipelines of scikit-learn on strings, written by skl2onnx: `load` beside onnxruntime on random texts.

    stress onnx_scikit_learn

Four vectorizers before each of fifteen estimators. Prints the number of pipelines with equal outputs and the others; ends
with code 1 if there are others.
"""

import runpy
import warnings
from pathlib import Path

from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

CLASSIFIERS = (
    LogisticRegression(), SGDClassifier(loss="log_loss", random_state=0), MultinomialNB(), BernoulliNB(),
    DecisionTreeClassifier(random_state=0), RandomForestClassifier(5, random_state=0),
    ExtraTreesClassifier(5, random_state=0),
    GradientBoostingClassifier(n_estimators=3, random_state=0),
    AdaBoostClassifier(n_estimators=3, random_state=0), SVC(), ComplementNB(),
)  # fmt: skip
REGRESSORS = (Ridge(), SVR(), OneClassSVM(), RandomForestRegressor(5, random_state=0))
VECTORIZERS = (
    CountVectorizer(),
    CountVectorizer(analyzer="char", ngram_range=(1, 2)),
    TfidfVectorizer(),
    TfidfVectorizer(norm=None, ngram_range=(1, 2)),
)


def main() -> int:
    warnings.simplefilter("ignore")
    of_test = runpy.run_path(str(Path(__file__).parents[1] / "onnx" / "test_load_scikit_learn.py"))
    texts, new = of_test["TEXTS"], of_test["NEW"]
    equal, others = 0, []
    for vectorizer in VECTORIZERS:
        for estimator in (*CLASSIFIERS, *REGRESSORS):
            target = of_test["CLASSES" if estimator in CLASSIFIERS else "NUMBERS"]
            options = {id(estimator): {"zipmap": False}} if estimator in CLASSIFIERS else None
            try:
                of_test["compare"](make_pipeline(vectorizer, estimator), texts, target, new, options=options)
                equal += 1
            except Exception as error:
                others.append(f"{vectorizer}, {estimator}: {type(error).__name__}: {str(error)[:200]}")
    print("\n".join([*others, f"{equal} of {equal + len(others)} pipelines give the outputs of onnxruntime"]))
    return bool(others)
