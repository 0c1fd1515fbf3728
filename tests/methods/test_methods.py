from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import LarsClassifier, LogisticClassifier, RLSClassifier, SVMClassifier
from laconic.errors import LaconicError, SizeUnavailable
from laconic.methods import METHODS, parse_method, parse_methods
from laconic.projections.fitted import ProjectionReducer
from tests.strategies import text_like

PROJECTIONS = ("LSI", "RP", "LDA", "LDA-LSI", "LDA-RP")


@pytest.mark.parametrize("name", [name for name in METHODS if name not in PROJECTIONS])
def test_every_method_gives_a_model_for_each_size(name):
    X, y = text_like(9, 30, 3)
    sizes = [4, 8] if name == "RRQR" else [10, 20]  # up to the rank; BSS has only those beyond it
    models = list(METHODS[name].build(alpha=0.5, random_state=1).path(X, y, sizes))
    assert len(models) == 2
    # words of each class where the method trains its own models; SRLS keeps about as many as asked
    most = 20 * (1 if METHODS[name].classifier else 3)
    assert models[0].n_features <= models[1].n_features <= most or name == "SRLS"


def test_brackets_set_parameters():
    method = parse_method(" ss:rank=3:draw=iid ")
    assert method.name == "SS:rank=3:draw=iid"
    reducer = method.build(random_state=7).reducer
    assert (reducer.rank, reducer.draw, reducer.random_state) == (3, "iid", 7)
    assert parse_method("SS:rank=0.9").build().reducer.rank == 0.9
    assert parse_method("IG:combine=max").build().reducer.by.keywords == {"combine": "max"}
    assert parse_method("df").random is False
    assert parse_method("us").random is True


def test_brackets_set_lambda_for_any_method():
    method = parse_method("ig:combine=max+ridge:alpha=0.40")
    assert method.name == "IG:combine=max+ridge:alpha=0.4"
    assert parse_method(method.name) == method
    path = method.build(alpha=7.0)
    assert path.classifier.alpha == 0.4
    assert path.reducer.by.keywords == {"combine": "max"}
    assert parse_method("ALL+ridge:alpha=loo").build(2.0).classifier.alpha == "loo"
    assert parse_method("ALL+ridge:alpha=0").build(2.0).classifier.alpha == 0.0
    assert parse_method("ALL+ridge:alpha=2").name == parse_method("ALL+ridge:alpha=2.0").name
    assert parse_method("ALL+ridge:alpha=2").sizes == (1.0,)
    assert parse_method("DF").build(2.0).classifier.alpha == 2.0


def test_lambda_is_not_the_alpha_of_ridge_leverage():
    path = parse_method("SS:ridge=0.5+ridge:alpha=0.1").build(alpha=7.0, random_state=3)
    assert (path.reducer.ridge, path.classifier.alpha) == (0.5, 0.1)
    assert parse_method("SS:ridge=0.5").build(alpha=7.0).classifier.alpha == 7.0


def test_brackets_name_the_classifier_of_any_method():
    method = parse_method("ig:combine=max+SVM:alpha=0.4")
    assert method.name == "IG:combine=max+svm:alpha=0.4"
    assert parse_method(method.name) == method
    classifier = method.build(alpha=7.0, intercept=True).classifier
    assert isinstance(classifier, SVMClassifier)
    assert (classifier.alpha, classifier.fit_intercept) == (0.4, True)
    plain = parse_method("DF+svm").build(alpha=7.0, intercept=False).classifier
    assert (plain.alpha, plain.fit_intercept) == (7.0, False)
    assert isinstance(parse_method("DF+ridge").build().classifier, RLSClassifier)


def test_without_a_study_logistic_regression_is_the_classifier_of_a_bare_name():
    bare, path = parse_method("IG"), parse_method("IG").build()
    assert (bare.name, bare.classifier) == ("IG", "auto")
    assert isinstance(path.classifier, LogisticClassifier)
    assert (path.classifier.alpha, path.classifier.fit_intercept) == (0.1, True)
    assert path.normalize == "selected"
    assert parse_method("IG+logistic").name == "IG+logistic", "named, so it is not tuned away"
    assert parse_method("SS:rank=3+ridge:alpha=2").name == "SS:rank=3+ridge:alpha=2.0"


@pytest.mark.parametrize("classifier", ["logistic", "svm"])
def test_class_weights_are_a_setting_of_the_classifier(classifier):
    method = parse_method(f"IG+{classifier}:alpha=2:weights=balanced")
    assert method.name == f"IG+{classifier}:weights=balanced:alpha=2.0"
    assert parse_method(method.name) == method
    assert method.build().classifier.class_weight == "balanced"
    assert parse_method(f"IG+{classifier}:weights=none").name == f"IG+{classifier}"
    assert parse_method(f"IG+{classifier}").build().classifier.class_weight is None
    with pytest.raises(LaconicError, match="weights='heavy': choose balanced or none"):
        parse_method(f"IG+{classifier}:weights=heavy").check()


@pytest.mark.parametrize("alpha", ["loo", 0.0])
@pytest.mark.parametrize("classifier", ["svm", "logistic"])
def test_a_plans_lambda_that_a_classifier_cannot_have_is_refused_when_it_is_built(
    classifier, alpha
):
    name = f"IG+{classifier}"
    says = rf"IG\+{classifier}: alpha={alpha} is for \+ridge only; \+{classifier} needs a number"
    with pytest.raises(LaconicError, match=says):
        parse_method(name).build(alpha=alpha)
    assert parse_method(f"{name}:alpha=2").build(alpha=alpha).classifier.alpha == 2.0


def test_an_svm_behind_the_words_of_the_method():
    X, y = text_like(40, 30, 3)
    (by_rls,) = parse_method("IG+ridge").build(0.5).path(X, y, [7])
    path = parse_method("IG+svm").build(0.5, intercept=False, normalize="all")
    (by_svm,) = path.set_params(classifier__tol=1e-8).path(X, y, [7])
    assert by_svm.features.tolist() == by_rls.features.tolist()
    alone = SVMClassifier(0.5, fit_intercept=False, tol=1e-8).fit(X[:, by_svm.features], y)
    np.testing.assert_allclose(by_svm.coef.toarray()[:, by_svm.features], alone.coef_, atol=1e-6)


def test_random_takes_words_that_occur_by_lot_and_as_they_are():
    """10 of 20 words, 1,000 seeds: each word's share is ½ within 5 standard errors (20 · 6e-7)."""
    X, y = text_like(40, 20, 3)
    X = csr_array(np.hstack([X.toarray(), np.zeros((40, 5))]))
    times = np.zeros(25)
    for seed in range(1000):
        reducer = METHODS["RANDOM"].build(random_state=seed).reducer.fit(X, y)
        cut = reducer.at(10)
        assert cut.plain
        assert np.array_equal(cut.terms, reducer.at(20).terms[:10])
        times[cut.terms] += 1
    assert not times[20:].any(), "a word that occurs nowhere comes after all others"
    assert np.abs(times[:20] / 1000 - 0.5).max() < 5 * 0.5 / np.sqrt(1000)
    again = METHODS["RANDOM"].build(random_state=seed).reducer.fit(X, y)
    assert np.array_equal(again.at(10).terms, cut.terms), "a seed repeats its draw"


def test_rrqr_takes_its_settings():
    method = parse_method("RRQR:beyond=again:rank=20")
    assert method.name == "RRQR:rank=20:beyond=again"
    assert (method.build().reducer.rank, method.build().reducer.beyond) == (20, "again")
    assert parse_method("RRQR:rank=None:beyond=raise").name == "RRQR"
    assert parse_method("rrqr").random is False
    assert METHODS["RANDOM"].random is True
    for name in ("RRQR:rank=0", "RRQR:beyond=stop"):
        with pytest.raises(LaconicError):
            parse_method(name).check()


LARS = {
    "SVM-LARS": "squared_hinge",
    "RLS-LARS": "squared",
    "HUBER-LARS": "modified_huber",
    "LOGISTIC-LARS": "logistic",
}


MASKED = {"MASK": "mask", "SV-SET": "sv_set", "REPAIRED": "repaired", "EXACT": "exact"}


@pytest.mark.parametrize("name", MASKED)
def test_masked_svms_take_lambda_and_keep_the_papers_lengths(name):
    path = parse_method(name).build(alpha=0.7, normalize="all")
    assert (path.variant, path.alpha, path.normalize) == (MASKED[name], 0.7, None)
    assert parse_method(name).build().normalize == "selected"
    assert parse_method(name).build().alpha == 1.0, "which nothing tunes"
    assert parse_method(f"{name}:alpha=0.5").build(alpha=0.7).alpha == 0.5
    set_up = parse_method(f"{name}:loss=squared_hinge:weights=balanced:tol=0.1").build()
    assert (set_up.loss, set_up.class_weight, set_up.tol) == ("squared_hinge", "balanced", 0.1)
    for wrong in ("loss=log", "weights=heavy", "tol=0", "alpha=0", "alpha=loo"):
        with pytest.raises(LaconicError):
            parse_method(f"{name}:{wrong}").check()
    with pytest.raises(LaconicError, match="only LARS methods have leave-one-out decisions"):
        parse_method(f"{name}:threshold=loo")


def test_a_repaired_machine_has_its_passes():
    assert parse_method("REPAIRED:epochs=3").build().epochs == 3
    with pytest.raises(LaconicError, match="epochs"):
        parse_method("REPAIRED:epochs=0").check()


@pytest.mark.parametrize("name", LARS)
def test_lars_trains_its_own_models(name):
    path = parse_method(name).build(alpha=0.7, normalize="all")
    assert isinstance(path, LarsClassifier)
    assert (path.loss, path.alpha, path.mode, path.normalize) == (
        LARS[name],
        0.7,
        "fast",
        "all",
    )
    assert (path.bias, path.refit) == ("always", False)
    assert path.longest == 2000, "a study asks for 20,000 words, which would fill the memory"
    assert parse_method(f"{name}:alpha=0").build(alpha=0.7).alpha == 0.0
    assert parse_method(name).build(alpha="loo").alpha == "loo"
    assert parse_method(name).build(normalize="selected").normalize == "selected"
    assert parse_method(name).build(intercept=False).bias == "always", "it has its own"


def test_lars_takes_its_settings():
    name = "SVM-LARS:mode=exact:refit=true:bias=none:longest=50:alpha=2.0:threshold=loo"
    method = parse_method(name.lower().replace("none", "None").replace("true", "True"))
    assert method.name == name
    assert parse_method(method.name) == method
    path = method.build(alpha=9.0)
    assert (path.mode, path.refit, path.bias, path.threshold) == ("exact", True, None, "loo")
    assert (path.longest, path.alpha) == (50, 2.0)
    assert parse_method("SVM-LARS:mode=fast:refit=False").name == "SVM-LARS"
    for wrong in ("SVM-LARS:mode=slow", "LOGISTIC-LARS:mode=exact", "SVM-LARS:longest=0"):
        with pytest.raises(LaconicError):
            parse_method(wrong).check()
    for right in ("SVM-LARS:mode=exact", "GREEDY:loss=squared", "SVM-LARS:longest=7"):
        parse_method(right).check()


def test_the_greedy_baseline_is_the_aggressive_mode():
    path = parse_method("greedy:loss=squared").build(0.3)
    assert (path.mode, path.loss, path.alpha) == ("aggressive", "squared", 0.3)


@pytest.mark.parametrize("name", PROJECTIONS)
def test_projections_keep_few_columns_and_read_all_words(name):
    X, y = text_like(30, 20, 3)
    models = list(METHODS[name].build(alpha=0.5, random_state=1).path(X, y, [2, 4, 30]))
    assert [model.size for model in models] == [2, 4, 30]
    assert [model.n_features for model in models[:2]] == [20, 20]
    assert isinstance(models[2], SizeUnavailable)
    assert METHODS[name].random == name.endswith("RP")
    (by_svm,) = parse_method(f"{name}+svm").build(0.5).path(X, y, [4])
    assert (by_svm.predict(X) == y).mean() > 0.5


def test_projections_take_their_settings():
    method = parse_method("lda-rp:reg=0.5:first=9:kind=sparse:labels=ignore")
    assert method.name == "LDA-RP:first=9:kind=sparse:reg=0.5:labels=ignore"
    lda = method.build(random_state=3).reducer
    assert (lda.reg, lda.labels, lda.longest) == (0.5, "ignore", 128)
    assert (lda.first.size, lda.first.kind, lda.first.random_state) == (9, "sparse", 3)
    lda = parse_method("LDA-LSI:first=9").build().reducer
    assert (type(lda.first).__name__, lda.first.size, lda.reg) == ("LSI", 9, "auto")
    assert parse_method("LDA:reg=2").build().reducer.first is None
    assert parse_method("RP:kind=sparse").build(random_state=4).reducer.random_state == 4
    for right in ("LSI:longest=7", "LDA:reg=2", "LDA-LSI:first=100", "RP:kind=sparse"):
        parse_method(right).check()
    for wrong in ("LDA:reg=-1", "LDA-LSI:first=0", "RP:kind=dense", "LDA:labels=all"):
        with pytest.raises(LaconicError):
            parse_method(wrong).check()


def test_a_list_is_separated_by_commas():
    names = [method.name for method in parse_methods("DF,SS:rank=10:draw=iid, IG")]
    assert names == ["DF", "SS:rank=10:draw=iid", "IG"]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("LDA-RP:reg=1", "LDA-RP:reg=1.0"),
        ("IG+ridge:alpha=-0.0", "IG+ridge:alpha=0.0"),
        ("IG+ridge:alpha=LOO", "IG+ridge:alpha=loo"),
        ("ss : ridge = 1e16 + SVM", "SS:ridge=1e+16+svm"),
        ("SS:rank=10", "SS:rank=10"),
        ("BSS:rank=None", "BSS:rank=none"),
    ],
)
def test_equal_values_have_one_name(text, canonical):
    assert parse_method(text).name == canonical
    assert parse_method(canonical).name == canonical


def test_the_selection_ends_at_the_classifier_not_at_an_exponent():
    assert parse_method("SS:ridge=1e16").selection == "SS:ridge=1e+16"
    assert parse_method("SS:ridge=1e17+svm").selection == "SS:ridge=1e+17"


@pytest.mark.parametrize("text", ["SVM-LARS:longest=2000.0", "IG+knn:n_neighbors=5.0"])
def test_a_default_of_another_type_is_not_the_default(text):
    with pytest.raises(LaconicError):
        parse_method(text).check()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("IG:combine=max:combine=sum", "combine is given twice"),
        ("SS:rank=" + "-" * 3000 + "1", "rank"),
        ("XYZ", "choose from ALL"),
        ("", "choose from ALL"),
        ("SS[rank=1]", "choose from ALL"),
        ("SS+ridge+svm", "choose from ALL"),
        ("SS:k=10", "it takes rank, ridge, draw$"),
        ("SS:rank", "'rank' is not a setting. Write key=value"),
        ("DF:rank=1", "it takes none"),
        ("DF:alpha=1", "it takes none. Settings of the classifier follow it: DF\\+ridge:alpha=1"),
        ("DF+ridge:alpha", "'alpha' is not a setting"),
        ("DF+ridge:alpha=", "give a number of at least 0, or loo"),
        ("DF+ridge:alpha=-0.5", "method DF: alpha=-0.5: give a number of at least 0, or loo"),
        ("DF+ridge:alpha=nan", "or loo"),
        ("DF+ridge:alpha=1e999", "or loo"),
        (f"DF+ridge:alpha=1{'0' * 400}", "or loo"),
        ("DF+ridge:alpha=True", "or loo"),
        ("DF+ridge:alpha=None", "or loo"),
        ("DF+ridge:alpha=(1)(2)", "or loo"),
        ("DF+ridge:alpha=cv", "or loo"),
        ("IG+forest", r"method IG: \+forest: choose from \+logistic, \+svm, \+ridge"),
        ("SVM-LARS+svm", r"\+svm: it trains its own models.*Leave it out"),
        ("GREEDY+ridge", r"\+ridge: it trains its own models"),
        ("SVM-LARS:l2=1", "it takes mode, refit, bias, longest, alpha, threshold"),
        ("SVM-LARS:alpha=-1", "give a number of at least 0, or loo"),
        ("IG+", "choose from ALL"),
        ("IG+ridge:then", "'then' is not a setting"),
        (
            "IG+svm:alpha=loo",
            r"alpha=loo is for \+ridge only; \+svm needs a number above 0",
        ),
        ("IG+svm:alpha=0", r"method IG\+svm:alpha=0.0: alpha=0.0 is for \+ridge"),
    ],
)
def test_other_names_are_refused(text, says):
    with pytest.raises(LaconicError, match=says):
        parse_method(text).check()


def test_methods_that_project_say_so():
    for name, method in METHODS.items():
        assert method.projects == isinstance(method.recipe(), ProjectionReducer), name
