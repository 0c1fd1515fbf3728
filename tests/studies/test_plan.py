"""Plans: what they refuse, how they divide documents, and that keys depend on what matters only."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic import Plan
from laconic.errors import LaconicError
from laconic.studies.execution.task import Task
from laconic.studies.options import (
    WEIGH_ALIKE,
    LimitOptions,
    Source,
    SplitOptions,
    TrainingOptions,
    parse_methods,
)
from laconic.studies.plan import METHODS
from laconic.studies.plan_file import parse_plan, read_plan, write_plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from laconic.text.options import TextOptions, WeightingOptions
from laconic.text.problem import targets_of
from tests.studies.corpora import RIDGE, pets


def keys(plan: Plan) -> set[str]:
    return {task.key for corpus in plan.load() for task in PreparedCorpus.of(plan, corpus).tasks}


BASE = Plan(pets(), methods=("IG", "WS"), sizes=(5, 10), metrics=("accuracy",), training=RIDGE)


def test_a_plan_is_every_fold_and_method_and_draw():
    plan = replace(BASE, draws=3)
    (ready,) = (PreparedCorpus.of(plan, corpus) for corpus in plan.load())
    assert [(t.fold, t.method, t.draw) for t in ready.tasks] == [
        (f"fold {fold} of 5", method, seed)
        for fold in range(1, 6)
        for method, seed in [("IG+ridge", 0), *(("WS+ridge", draw) for draw in range(3))]
    ]
    assert {t.part for t in ready.tasks} == {"validation"}


def test_a_task_of_a_method_with_sizes_of_its_own_has_these():
    plan = replace(BASE, methods=("ALL", "IG"))
    sizes = {task.method: task.sizes for task in PreparedCorpus.of(plan, pets()).tasks}
    assert sizes == {"ALL+ridge": (1.0,), "IG+ridge": (5, 10)}


SAME = {
    "another name of the same method": {"methods": ("ig", " WS ")},
    "the same sizes": {"sizes": [10, 5, 5]},
    "defaults in brackets": {"methods": ("IG:combine=mean", "WS:draw=exact")},
    "a whole number": {"training": replace(RIDGE, alpha=1)},
}
OTHER = {
    "sizes": {"sizes": (5, 11)},
    "metrics": {"metrics": ("accuracy", "roc_auc")},
    "the target": {"target": "one-vs-rest"},
    "alpha": {"training": replace(RIDGE, alpha=0.5)},
    "the intercept": {"training": replace(RIDGE, intercept=False)},
    "the norm": {"training": replace(RIDGE, normalize="all")},
    "stems": {"text": TextOptions(stem="porter")},
    "min_df": {"weighting": WeightingOptions(min_df=1)},
    "the seed of splits": {"split": SplitOptions(random_state=1)},
    "the test share": {"split": SplitOptions(test_size=0.3)},
    "folds": {"split": SplitOptions(cv=4)},
    "the documents": {"corpora": pets(seed=1)},
}


@pytest.mark.parametrize("what", SAME)
def test_keys_stay(what):
    assert keys(replace(BASE, **SAME[what])) == keys(BASE)


@pytest.mark.parametrize("what", OTHER)
def test_keys_change_with(what):
    assert not keys(replace(BASE, **OTHER[what])) & keys(BASE)


def test_more_methods_and_draws_keep_the_tasks_that_are_there():
    assert keys(BASE) < keys(replace(BASE, methods=("IG", "WS", "DF"), draws=2))


def test_keys_are_those_of_every_machine():
    task = Task("d", "p", "test", "f", "s", "v", "IG", 0, (5, 0.5), ("roc_auc",))
    assert Task.from_json(task.to_json()) == task
    assert task.key == "403ad43109c76fa4751390226b5eb982"
    assert task.random_state == replace(task, sizes=(7,), metrics=("accuracy",)).random_state
    assert task.random_state != replace(task, draw=1).random_state


def test_stop_words_in_a_file_count_by_their_contents(tmp_path):
    words = tmp_path / "stop.txt"
    words.write_text("word1\n")
    before = TextOptions(stop_words=str(words)).canonical(pets())
    words.write_text("word2\n")
    after = TextOptions(stop_words=str(words)).canonical(pets())
    assert after != before
    assert after == TextOptions(stop_words=["word2"]).canonical(pets())


@given(
    n_docs=st.integers(30, 120),
    folds=st.integers(2, 6),
    test=st.sampled_from(["auto", 0.25, None]),
    given_split=st.booleans(),
)
def test_validation_never_sees_the_test_documents(n_docs, folds, test, given_split):
    corpus = pets(n_docs, split=given_split)
    splitting = SplitOptions(test_size=test, cv=folds)
    held_out = splitting.held_out(corpus)
    tested = held_out[0].test if held_out else np.empty(0, int)
    inner = splitting.validation(corpus)
    for fold in inner:
        assert not np.intersect1d(fold.train, fold.test).size
        assert not np.intersect1d(np.concatenate([fold.train, fold.test]), tested).size
    together = np.sort(np.concatenate([fold.test for fold in inner]))
    np.testing.assert_array_equal(together, np.setdiff1d(np.arange(n_docs), tested))


def test_auto_takes_the_given_split_else_a_fifth():
    assert SplitOptions().held_out(pets(split=True))[0].name == "given"
    assert SplitOptions().held_out(pets())[0].test.size == 18
    assert SplitOptions(test_size=None).held_out(pets()) == []


WRONG = {
    "no corpus": ({"corpora": ()}, "no corpus"),
    "unknown method": ({"methods": ("IGG",)}, "method 'IGG': choose from ALL, DF"),
    "no method": ({"methods": ()}, "no methods"),
    "unknown setting": ({"methods": ("IG:rank=3",)}, "no setting"),
    "no name": ({"methods": (1,)}, r"methods=\(1,\): give a list of texts"),
    "bad combination": ({"methods": ("IG:combine=foo",)}, "foo"),
    "bad draw": ({"methods": ("SS:draw=foo",)}, "draw='foo'"),
    "bad rank": ({"methods": ("SS:rank=-3",)}, "rank"),
    "a seed of its own": ({"methods": ("US:seed=5",)}, "no setting 'seed=5'"),
    "size 0": ({"sizes": (0,)}, "size 0"),
    "mixed sizes": ({"sizes": (5, 0.5)}, "not both"),
    "unknown measure": ({"metrics": ("f2",)}, "f2"),
    "only error": ({"metrics": ("error",)}, "metric 'error': the first metric decides"),
    "error first": ({"metrics": ("error", "roc_auc")}, "such as accuracy"),
    "unknown target": ({"target": "ranks"}, "target='ranks'"),
    "no draws": ({"draws": 0}, "draws=0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_plan_says_so_at_once(case):
    change, says = WRONG[case]
    with pytest.raises(LaconicError, match=says):
        replace(BASE, **change)


def test_the_first_metric_decides_and_the_error_may_come_after_it():
    plan = Plan(pets(), metrics=("recall_macro", "error", "roc_auc"))
    (target,) = targets_of(pets(), "auto")
    assert plan.metrics_for(target) == ("recall_macro", "error", "roc_auc")


PARTS_WRONG = {
    "one fold": (SplitOptions, {"cv": 1}, "cv=1"),
    "share": (SplitOptions, {"test_size": 1.5}, "test_size=1.5"),
    "word": (SplitOptions, {"test_size": "tenth"}, "test_size='tenth'"),
    "nothing": (SplitOptions, {"test_size": None, "cv": 0}, "nothing is left"),
    "several": (SplitOptions, {"n_splits": 2}, "cv=0"),
    "random_state": (SplitOptions, {"random_state": -1}, "random_state"),
    "stem": (TextOptions, {"stem": "nonsense"}, "nonsense"),
    "stop": (TextOptions, {"stop_words": "absent.txt"}, "absent.txt"),
    "unit": (TextOptions, {"unit": "page"}, "page"),
    "ngrams": (TextOptions, {"ngrams": (2, 1)}, "ngrams"),
    "weighting": (WeightingOptions, {"scheme": "bm25"}, "bm25"),
    "alpha": (TrainingOptions, {"alpha": "much"}, "alpha='much'"),
    "lists": (TrainingOptions, {"alpha": {"p": [1]}}, r"alpha=\{'p': \[1\]\}"),
    "negative": (TrainingOptions, {"alpha": -1.0}, "alpha=-1.0"),
    "normalize": (TrainingOptions, {"normalize": "none"}, "normalize='none'"),
}


@pytest.mark.parametrize("case", PARTS_WRONG)
def test_a_wrong_part_says_so_at_once(case):
    kind, change, says = PARTS_WRONG[case]
    with pytest.raises(LaconicError, match=says):
        kind(**change)


def test_two_corpora_of_one_name_are_refused():
    with pytest.raises(LaconicError, match="two corpora are called pets"):
        list(replace(BASE, corpora=(pets(), pets(seed=1))).load())


def test_alpha_may_be_one_for_each_problem():
    training = TrainingOptions(alpha={"pets": 0.5, "pets, fold 2 of 5": 0.25})
    assert training.alpha_for("pets", "fold 1 of 5") == 0.5
    assert training.alpha_for("pets", "fold 2 of 5") == 0.25
    with pytest.raises(LaconicError, match="no number for dogs"):
        training.alpha_for("dogs", "given")


TOML = """
methods = ["IG", "SS:rank=10"]
sizes = [10, 100]
draws = 2
[corpus]
where = "tickets.csv"
label = "queue"
[split]
test_size = 0.3
cv = 3
[text]
stem = "porter"
ngrams = [1, 2]
[training]
alpha = 1
"""


def test_a_plan_in_toml():
    plan = parse_plan(TOML)
    assert plan == Plan(
        (Source("tickets.csv", label=("queue",)),),
        methods=("IG", "SS:rank=10"),
        sizes=(10, 100),
        draws=2,
        split=SplitOptions(test_size=0.3, cv=3),
        text=TextOptions(stem="porter", ngrams=(1, 2)),
        training=TrainingOptions(alpha=1.0),
    )
    assert parse_plan(write_plan(plan)) == plan


@given(
    where=st.text(st.characters(exclude_categories=["Cs"])),
    alpha=st.one_of(
        st.just("loo"),
        st.floats(0, 1e300),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.floats(0, 9)),
    ),
    test=st.sampled_from(["auto", "given", None, 0.25]),
    intercept=st.booleans(),
    min_df=st.integers(1, 9),
)
def test_written_plans_read_back_the_same(where, alpha, test, intercept, min_df):
    plan = Plan(
        (Source(where), Source("other", label=("a", "b"), first=3)),
        training=TrainingOptions(alpha, intercept=intercept),
        split=SplitOptions(test_size=test),
        weighting=WeightingOptions(min_df=min_df, max_df=0.5),
    )
    assert parse_plan(write_plan(plan)) == plan


TYPOS = {
    "metods = ['IG']": "did you mean methods?",
    "methods = ['IG'": "is not TOML",
    "methods = ['XY']": "method 'XY'",
    "sizes = ['many']": "size",
    "sizes = 'many'": "size",
    "draws = 'two'": "draws='two': give a whole number of at least 1",
    "draws = true": "draws=True: give a whole number of at least 1",
    "metrics = ['f7']": "f7",
    "[split]\ntest = 3": r"\[split\] has no option \'test\': did you mean test_size",
    "[split]\ncv = 1": "cv=1",
    "[txt]\nstem = 'porter'": "did you mean text",
    "[text]\nstem = 3": "stem=3: give text or none",
    "split = 3": r"write a table, \[split\]",
    "[training]\nalpha = [1]": "alpha",
    "corpora = ['a']": "no option 'corpora'",
}


@pytest.mark.parametrize("typo", TYPOS)
def test_a_typo_in_toml_is_named(tmp_path, typo):
    where = tmp_path / "plan.toml"
    where.write_text(f"{typo}\n[corpus]\nwhere = 'pydocs'\n")
    with pytest.raises(LaconicError, match=TYPOS[typo]) as found:
        read_plan(where)
    assert str(found.value).startswith(str(where))


def test_a_plan_needs_a_corpus_that_says_where(tmp_path):
    with pytest.raises(LaconicError, match=r"no \[corpus\]"):
        parse_plan("methods = ['IG']")
    with pytest.raises(LaconicError, match=r"\[corpus\] lacks where"):
        parse_plan("[corpus]\nlabel = 'x'")
    with pytest.raises(LaconicError, match="cannot be read"):
        read_plan(tmp_path / "absent.toml")
    (tmp_path / "plan.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(LaconicError, match="not UTF-8"):
        read_plan(tmp_path / "plan.toml")


def test_a_lambda_that_a_methods_classifier_cannot_take_is_refused_before_any_work():
    with pytest.raises(LaconicError, match=r"IG\+svm: alpha=loo is for \+ridge only"):
        Plan("pydocs", methods=("IG+svm",), training=TrainingOptions(alpha="loo"))
    own = Plan("pydocs", methods=("IG+svm:alpha=2",), training=TrainingOptions(alpha="loo"))
    assert own.methods == ("IG+svm:alpha=2.0",)
    Plan("pydocs", methods=("IG+svm",), training=TrainingOptions(alpha={"pydocs": 1.0}))


def test_tasks_with_one_selection_come_together_whatever_the_order_of_methods():
    names = (
        "RANDOM+ridge:alpha=0.1",
        "IG",
        "BSS+ridge:alpha=0.1",
        "RANDOM+ridge:alpha=1",
        "BSS+svm",
    )
    plan = Plan(pets(), methods=names, draws=2, training=RIDGE)
    corpus = pets()
    (split, *_) = plan.folds(corpus)
    tasks = list(plan.tasks(corpus, split, targets_of(corpus, "auto")))
    assert [(task.method, task.draw) for task in tasks] == [
        ("RANDOM+ridge:alpha=0.1", 0),
        ("RANDOM+ridge:alpha=1.0", 0),
        ("RANDOM+ridge:alpha=0.1", 1),
        ("RANDOM+ridge:alpha=1.0", 1),
        ("IG+ridge", 0),
        ("BSS+ridge:alpha=0.1", 0),
        ("BSS+svm", 0),
    ]


@pytest.mark.parametrize("alpha", ["loo", 0.0, {"a": 1.0, "b": 0.0}])
def test_only_ridge_is_tuned_where_the_others_cannot_have_the_alpha(alpha):
    assert TrainingOptions(alpha).classifiers_for(10**6) == ("ridge",)
    assert Plan("pydocs", training=TrainingOptions(alpha)).methods == METHODS
    with pytest.raises(LaconicError, match=r"method IG\+svm: .*above 0"):
        Plan("pydocs", methods=("ALL", "IG+svm"), training=TrainingOptions("loo"))


def trained(plan: Plan, corpus) -> list[tuple[str, tuple]]:
    """What a plan trains in its first fold: name and alphas."""
    (split, *_) = plan.folds(corpus)
    tasks = plan.tasks(corpus, split, targets_of(corpus, plan.target))
    return [(task.method, task.alphas) for task in tasks]


def test_the_methods_of_a_study_by_default():
    assert METHODS == Plan("pydocs").methods == ("ALL", "IG", "JOINT", "RFE")
    assert parse_methods("quick") == ("ALL", "IG")
    papers = parse_methods("papers")
    assert papers[:4] == METHODS
    assert parse_methods("quick,DF") == ("ALL", "IG", "DF")
    assert len(set(papers)) == len(papers) > 8


def test_a_method_without_classifier_is_trained_with_each_and_five_alphas():
    tasks = dict(trained(Plan(pets(), methods=("ALL", "IG")), pets()))
    assert list(tasks) == [
        f"{name}+{classifier}"
        for name in ("ALL", "IG")
        for classifier in ("logistic", "svm", "ridge")
    ]
    for alphas in tasks.values():
        assert len(alphas) == 5
        assert list(alphas) == sorted(alphas, reverse=True), "the path is warm from large to small"


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "balanced_accuracy", "roc_auc"])
@pytest.mark.parametrize("n_docs", [60, 2200])
def test_all_words_are_tuned_exactly_as_every_selection(metric, n_docs):
    """Classifiers, alphas and class weights of ALL, which every method is compared with."""
    names = ("ALL", "IG", "RFE", "WS", "LSI", "BSS:rank=4")
    corpus = pets(n_docs)
    tasks = trained(Plan(corpus, methods=names, metrics=(metric,)), corpus)
    grids = {
        name: {(m.removeprefix(name), alphas) for m, alphas in tasks if m.startswith(name + "+")}
        for name in names
    }
    assert len(tasks) == sum(map(len, grids.values()))
    assert all(grid == grids["ALL"] for grid in grids.values())
    weighted = 2 * (1 + (metric in WEIGH_ALIKE))  # ridge has no class weights
    assert len(grids["ALL"]) == weighted + (n_docs <= 2000)


def test_class_weights_are_tried_where_the_metric_weighs_classes_alike():
    def names(**about):
        return [name for name, _ in trained(Plan(pets(), methods=("IG",), **about), pets())]

    both = TrainingOptions(classifiers=("svm",))
    assert names(training=both, metrics=("accuracy",)) == ["IG+svm"]
    assert names(training=both, metrics=("f1_macro",)) == ["IG+svm", "IG+svm:weights=balanced"]
    for weight, expected in (("none", "IG+svm"), ("balanced", "IG+svm:weights=balanced")):
        training = replace(both, class_weight=weight)
        assert names(training=training, metrics=("f1_macro",)) == [expected]


def test_what_a_method_names_is_not_tuned():
    methods = ("IG+svm:alpha=0.5", "DF+ridge", "WS+svm:weights=balanced", "RFE+knn", "SVM-LARS")
    tasks = dict(trained(Plan(pets(), methods=methods, metrics=("f1_macro",)), pets()))
    assert tasks["IG+svm:alpha=0.5"] == (0.5,)
    assert len(tasks["DF+ridge"]) == len(tasks["WS+svm:weights=balanced"]) == 5
    assert len(tasks["RFE+knn"]) == len(tasks["SVM-LARS"]) == 1
    assert not any(name.startswith("WS+svm") and name not in methods for name in tasks)
    plan = Plan(pets(), methods=("IG",), training=TrainingOptions(alpha=0.25))
    assert {alphas for _, alphas in trained(plan, pets())} == {(0.25,)}


def test_families_are_the_variants_that_a_plan_trains_for_its_methods():
    plan = Plan(pets(), methods=("IG", "IG+svm", "IG+svm:alpha=2", "DF"), metrics=("f1_macro",))
    names = [name for name, _ in trained(plan, pets())]
    families = plan.families(names)
    assert families["DF"] == [name for name in names if name.startswith("DF+")]
    assert families["IG+svm"] == ["IG+svm", "IG+svm:weights=balanced"]
    assert families["IG+svm:alpha=2.0"] == ["IG+svm:alpha=2.0"]
    assert families["IG"] == [n for n in names if n.startswith("IG+") and "alpha" not in n]
    assert set(names) == {name for variants in families.values() for name in variants}


def test_the_default_metric_is_that_of_the_target():
    plan = Plan(pets())
    few = replace(pets(90), labels=tuple(("fish",) if i % 18 else ("cats",) for i in range(90)))
    three = tuple(("cats", "dogs", "fish")[i % 3 if i < 10 else 2] for i in range(90))
    cases = {
        "accuracy": pets(),
        "f1": replace(few, classes=("cats", "fish")),
        "f1_macro": replace(pets(90), labels=tuple((label,) for label in three)),
        "f1_micro": replace(pets(), multilabel=True),
    }
    for metric, corpus in cases.items():
        (target,) = targets_of(corpus, "auto")
        assert plan.metrics_for(target)[0] == metric


def test_the_positive_class_is_the_rarer_one_or_the_one_that_is_named():
    labels = tuple(("ham",) if i % 3 else ("spam",) for i in range(90))
    corpus = replace(pets(), labels=labels, classes=("ham", "spam"))
    for positive, expected in ((None, "spam"), ("ham", "ham"), ("spam", "spam")):
        (target,) = targets_of(corpus, "auto", positive)
        assert target.classes[1] == expected
        plan = Plan(corpus, methods=("IG+ridge",), positive=positive)
        assert {t.positive for t in PreparedCorpus.of(plan, corpus).tasks} == {expected}
    with pytest.raises(LaconicError, match="eggs"):
        PreparedCorpus.of(Plan(corpus, positive="eggs"), corpus)


def test_limits_are_part_of_a_plan_in_a_file():
    text = "[corpus]\nwhere = 'pydocs'\n[limits]\nmax_loss = 0.01\nmax_bytes = 100000\n"
    plan = parse_plan(text)
    assert plan.limits == LimitOptions(max_loss=0.01, max_bytes=100_000)
    assert parse_plan(write_plan(plan)) == plan


def test_limits_change_no_task():
    assert keys(replace(BASE, limits=LimitOptions(0.01, 300, 10**5))) == keys(BASE)


@pytest.mark.parametrize(
    ("metric", "labels", "says"),
    [
        ("f1", None, r"3 classes: it is for two classes. Choose f1_micro"),
        ("balanced_accuracy", "multilabel", r"3 labels: it is for one label per document"),
    ],
)
def test_a_first_metric_that_is_not_defined_is_refused_before_any_work(
    metric, labels, says, tmp_path
):
    corpus = pets()
    if labels is not None:
        corpus = replace(corpus, multilabel=True)
    assert len(corpus.classes) == 3
    with pytest.raises(LaconicError, match=says):
        Study(Plan(corpus, methods=("IG",), metrics=(metric,)), tmp_path / "study").run()
    assert not (tmp_path / "study").exists()
