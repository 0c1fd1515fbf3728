"""The frontier's choices look at validation only, keep to budgets, and are told as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import joblib
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import f1_score

from bench.frontier import __main__ as command
from bench.frontier import corpora, ours, peers, sentences, speed
from bench.frontier.charts import MAX_BYTES, against_speed, against_words
from bench.frontier.choosing import candidates, choose, of_side, within_bytes, within_words
from bench.frontier.corpora import Part, Task, sampled, shared_topics, task_of
from bench.frontier.families import BUDGETS, OURS, PEERS, Family, size_within
from bench.frontier.journal import Journal, Row, Speed, Truth, rows_of
from bench.frontier.judging import BETTER, WORSE, bootstrap, comparisons, p_value
from bench.frontier.measuring import measure, row_of, truth_of
from bench.frontier.page import CorpusResults, claim, counted, write
from bench.frontier.scoring import f1_macro, f1_micro, packed, unpacked
from laconic.compact import CompactModel
from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.report.charts.figure_files import svg

WORDS = [f"word{i:02}" for i in range(60)]
FAMILIES = (*ours.FAMILIES, *peers.FAMILIES)


def documents(n_docs: int, n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Counts in which each class has five words of its own."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_docs) % n_classes
    counts = rng.poisson(0.3, (n_docs, len(WORDS)))
    for label in range(n_classes):
        own = slice(5 * label, 5 * label + 5)
        counts[y == label, own] += rng.poisson(1.5, ((y == label).sum(), 5))
    return counts, y


def corpus_of(kind: str, n_docs: int = 150) -> Corpus:
    counts, y = documents(n_docs, 2 if kind == "binary" else 4)
    labels = [(f"c{label}",) for label in y]
    if kind == "labels":
        labels = [(*own, "even") if i % 3 == 0 else own for i, own in enumerate(labels)]
    names = tuple(map(str, range(n_docs)))
    if kind == "texts":
        texts = tuple(" ".join(np.repeat(WORDS, row)) for row in counts)
        return Corpus(kind, tuple(labels), names, texts=texts)
    return Corpus(
        kind, tuple(labels), names, vectors=csr_array(counts * 1.0), vocabulary=tuple(WORDS)
    )


@pytest.fixture(scope="module", params=["texts", "labels", "binary"])
def task(request) -> Task:
    return task_of(corpus_of(request.param), request.param)


# Words a class, and words in all


@given(st.lists(st.permutations(range(8)), min_size=1, max_size=4), st.integers(1, 9), st.data())
def test_the_largest_size_whose_distinct_words_are_within_the_budget(orders, budget, data):
    cuts = [order[: data.draw(st.integers(0, 8))] for order in orders]
    found = size_within([np.array(cut, dtype=np.intp) for cut in cuts], 8, budget)
    longest = max(map(len, cuts))
    fitting = [
        size
        for size in range(longest + 1)
        if len({word for cut in cuts for word in cut[:size]}) <= budget
    ]
    assert found == max(fitting)


@pytest.mark.full
def test_every_family_keeps_to_its_budget_and_answers_every_setting(task):
    few = (3, 7, 25)
    for family in FAMILIES:
        budgets = family.supported([*few, None])
        asked = dict.fromkeys(family.settings, budgets)
        found = list(family.make(family, task, asked))
        keys = sorted((name, str(budget)) for name, budget, _ in found)
        assert keys == sorted((name, str(budget)) for name in asked for budget in budgets)
        models = [(budget, made) for _, budget, made in found if not isinstance(made, str)]
        assert models, family.name
        for budget, made in models:
            assert 0 < made.words <= (task.n_words if budget is None else budget)
            assert made.answers(task.test).shape == task.test.truth.shape


def test_most_families_learn_something(task):
    """Chance is at most 0.5 here."""
    values = {}
    for family in FAMILIES:
        asked = dict.fromkeys(list(family.settings)[:1], family.supported([25, None]))
        for _, _, made in family.make(family, task, asked):
            if not isinstance(made, str):
                values[family.name] = f1_micro(made.answers(task.test), task.test.truth)
    assert len(values) == len(FAMILIES)
    assert min(values.values()) > 0.6, values


def test_a_model_beyond_its_budget_is_refused(task):
    row = Row("c", "", OURS, "f", "s", 5)
    assert row_of(row, task, Fixed(task, words=5)).words == 5
    with pytest.raises(LaconicError, match="6 words where 5 are allowed"):
        row_of(row, task, Fixed(task, words=6))


# Files


@dataclass(frozen=True)
class Fixed:
    """Says the same of all documents, in files of 123 and 1,000 bytes."""

    task: Task
    words: int = 1

    def answers(self, part: Part) -> np.ndarray:
        said = np.zeros(part.truth.shape, dtype=bool)
        said[:, 0] = True
        return said

    def save(self, folder: Path) -> None:
        (folder / "words").write_bytes(b"1" * 1000)
        (folder / "model").write_bytes(b"0" * 123)

    def serving(self):
        return lambda part: None


def test_bytes_are_those_of_the_files(task):
    assert row_of(Row("c", "", OURS, "f", "s", 5), task, Fixed(task)).n_bytes == 1123


def test_a_file_of_ours_answers_as_it_was_measured(task, tmp_path):
    family = next(one for one in ours.FAMILIES if one.name == "IG")
    for _, _, made in family.make(family, task, {name: [20] for name in family.settings}):
        made.save(tmp_path)
        model = CompactModel.load(tmp_path / "model.laconic")
        given = task.test.texts
        names = None if given is not None else task.words
        said = model.predict(task.test.counts if given is None else given, names)
        answers = made.answers(task.test)
        for own, row in zip(said, answers, strict=True):
            expected = {task.classes[i] for i in np.flatnonzero(row)}
            assert set(own if task.multilabel else [own]) == expected


@pytest.mark.parametrize(("which", "norm"), [(1, "selected"), (1, "all"), (3, "by the budget")])
def test_a_file_of_a_peer_has_all_that_raw_text_needs(tmp_path, which, norm):
    task, family = task_of(corpus_of("texts"), "texts"), peers.FAMILIES[which]
    name = next(name for name in family.settings if name.endswith(norm))
    ((_, _, made),) = family.make(family, task, {name: [20]})
    made.save(tmp_path)
    reading = joblib.load(tmp_path / "words.joblib")
    columns, classifier = joblib.load(tmp_path / "model.joblib")
    X = reading.transform(task.test.texts)
    if norm == "selected":
        expected = peers.cut(task.test.X, columns, normalized=True)
        assert reading.get_feature_names_out().tolist() == task.words[columns].tolist()
        lengths = np.sqrt(expected.power(2).sum(axis=1))
        np.testing.assert_allclose(lengths[lengths > 0], 1.0)
    else:
        expected = task.test.X
    np.testing.assert_allclose(X.toarray(), expected.toarray(), atol=1e-12)
    own = X[:, columns] if norm == "all" else X
    codes = made.answers(task.test).argmax(axis=1)
    assert classifier.predict(own).tolist() == codes.tolist()
    assert np.asarray(made.serving()(task.test)).tolist() == codes.tolist()


# Peers


def test_elimination_keeps_what_tells_the_classes_apart():
    task = task_of(corpus_of("texts", 400), "texts")
    order = peers.by_elimination(task)
    assert sorted(order) == list(range(task.n_words))
    assert {str(task.words[i]) for i in order[:8]} <= set(WORDS[:20])


def test_l1_models_are_the_largest_that_fit(task):
    family = next(one for one in peers.FAMILIES if one.make is peers.penalised)
    ((_, _, made),) = family.make(family, task, {next(iter(family.settings)): [20]})
    sizes = [rung.columns.size for rung in peers.ladder(task)]
    assert made.words == max(size for size in sizes if size <= 20)
    assert min(sizes) < made.words


def test_fasttext_is_left_out_with_a_reason(task, monkeypatch):
    weighted = replace(task, word_counts=False, train=replace(task.train, texts=None))
    family = sentences.FAMILIES[0]
    name = next(iter(family.settings))
    ((_, _, told),) = family.make(family, weighted, {name: [None]})
    assert told == "there are neither texts nor counts"
    monkeypatch.setitem(__import__("sys").modules, "fasttext", None)
    ((_, _, told),) = family.make(family, task, {name: [None]})
    assert "not installed: pip install" in told


def test_counts_become_as_many_words(task):
    lines = sentences.lines_of(task, task.test)
    for line, row in zip(lines, task.test.counts.toarray(), strict=True):
        assert line.endswith("\n")
        known = [word for word in line.split() if word in set(task.words)]
        assert sorted(known) == sorted(np.repeat(task.words, row.astype(int)))


def test_both_sides_choose_from_as_many_settings():
    told = counted(command.FAMILIES, BUDGETS)
    assert "ours chooses from 14 settings and the peers from 14;" in told
    assert "without a limit from 4 and 7 more" in told


# Tasks


def test_parts_are_apart_and_words_are_those_of_the_training_documents():
    corpus = corpus_of("texts")
    split = tuple("test" if i % 5 == 0 else "train" for i in range(len(corpus)))
    task = task_of(replace(corpus, split=split), "texts")
    test = set(task.test.texts)
    assert test == {text for text, part in zip(corpus.texts, split, strict=True) if part == "test"}
    assert len(task.valid.texts) == 24
    assert len(task.train.texts) == 96
    assert not (set(task.train.texts) & set(task.valid.texts)) | (test & set(task.valid.texts))
    seen = np.bincount(task.train.X.indices, minlength=task.n_words)
    assert seen.min() >= 2
    np.testing.assert_array_equal(task.weighting.document_frequency_, seen)
    assert set(task.train.truth.sum(axis=0)) == {24}


def test_topics_of_one_part_alone_are_left_out():
    labels = (("a", "b"), ("b",), ("a",), ("c", "a"), (), ("c",))
    parts = ("train", "train", "test", "train", "test", "")
    texts = tuple("abcdef")
    found = shared_topics(Corpus("r", labels, texts, texts=texts, split=parts, multilabel=True))
    assert found.classes == ("a",)
    assert found.ids == ("a", "c", "d")
    assert found.labels == (("a",), ("a",), ("a",))


def test_a_sample_keeps_all_test_documents():
    corpus = corpus_of("texts")
    split = tuple("test" if i % 5 == 0 else "train" for i in range(len(corpus)))
    drawn = sampled(replace(corpus, split=split), 40)
    assert (drawn.part("train").size, drawn.part("test").size) == (40, 30)
    assert set(drawn.ids) <= set(corpus.ids)


# Scores


@given(st.integers(0, 10_000))
def test_f1_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    truth, said = rng.random((2, 12, 4)) < 0.4
    truth[:, 3] = False
    truth[0, :3] = True
    expected = f1_score(truth, said, average="micro", zero_division=0)
    assert f1_micro(said, truth) == pytest.approx(expected)
    expected = f1_score(truth[:, :3], said[:, :3], average="macro", zero_division=0)
    assert f1_macro(said, truth) == pytest.approx(expected)
    np.testing.assert_array_equal(unpacked(packed(said), said.shape), said)


@pytest.mark.parametrize("measure_", ["f1_micro", "f1_macro"])
def test_a_bootstrap_knows_the_same_from_the_better(measure_):
    rng = np.random.default_rng(0)
    truth = rng.random((300, 3)) < 0.4
    near, far = (truth ^ (rng.random(truth.shape) < share) for share in (0.1, 0.3))
    assert bootstrap(near, near, truth, measure_) == 1.0
    assert bootstrap(near, far, truth, measure_) < 0.01
    assert bootstrap(far, near, truth, measure_) < 0.01
    alike = truth ^ (rng.random(truth.shape) < 0.1)
    assert bootstrap(near, alike, truth, measure_) > 0.05


# Choosing


def made_row(
    side: str,
    family: str,
    budget: int | None,
    valid: float,
    test: float,
    part: str = "",
    n_bytes: int = 1000,
    settings: str = "C=1",
) -> Row:
    """With as many right answers of 200 as `test` says."""
    truth = np.eye(2, dtype=bool)[np.arange(200) % 2]
    said = truth.copy()
    said[round(200 * test) :] = ~said[round(200 * test) :]
    both = ("f1_micro", "f1_macro")
    return Row(
        "made",
        part,
        side,
        family,
        settings,
        budget,
        words=budget or 20_000,
        n_bytes=n_bytes,
        valid=dict.fromkeys(both, valid),
        test=dict.fromkeys(both, test),
        answers=packed(said),
    )


def made_truth(part: str = "") -> Truth:
    truth = np.eye(2, dtype=bool)[np.arange(200) % 2]
    return Truth("made", part, 200, 2, 500, 640, 160, packed(truth))


def test_a_choice_looks_at_validation_and_never_at_the_test():
    rows = [
        made_row(OURS, "A", 10, valid=0.7, test=0.2),
        made_row(OURS, "B", 10, valid=0.6, test=0.9),
    ]
    for test in (rows, [replace(row, test={"f1_micro": 0.0}, answers="") for row in rows]):
        chosen = choose(candidates(test), "f1_micro", within_words(10))
        assert (chosen.family, chosen.held_out["f1_micro"]) == ("A", 0.7)
    without = [replace(row, test=None) for row in rows]
    assert choose(candidates(without), "f1_micro", within_words(10)).family == "A"


def test_a_choice_is_within_its_budget_and_takes_fewer_words_of_equals():
    rows = [
        made_row(OURS, "A", None, 0.9, 0.9, n_bytes=9000),
        made_row(OURS, "B", 30, 0.8, 0.8, n_bytes=5000),
        made_row(OURS, "C", 10, 0.8, 0.8, n_bytes=5001),
        made_row(OURS, "D", 10, 0.5, 0.9, n_bytes=10),
    ]
    found = candidates(rows)
    for budget, family in ((None, "A"), (300, "C"), (30, "C"), (10, "C")):
        assert choose(found, "f1_micro", within_words(budget)).family == family
    assert choose(found, "f1_micro", within_words(5)) is None
    for limit, family in ((9000, "A"), (5000, "B"), (10, "D")):
        assert choose(found, "f1_micro", within_bytes(limit)).family == family
    assert of_side(found, PEERS) == []


def test_one_candidate_is_chosen_for_all_sets_by_the_mean():
    rows = [
        made_row(OURS, "A", 10, 0.9, 0.9, part="x"),
        made_row(OURS, "A", 10, 0.5, 0.9, part="y"),
        made_row(OURS, "B", 10, 0.8, 0.1, part="x", n_bytes=7),
        made_row(OURS, "B", 10, 0.8, 0.3, part="y", n_bytes=9),
        made_row(OURS, "C", 10, 1.0, 1.0, part="x"),
        replace(made_row(OURS, "D", 10, 1.0, 1.0, part="x"), refused="no"),
        made_row(OURS, "D", 10, 1.0, 1.0, part="y"),
    ]
    found = candidates(rows)
    assert {one.family for one in found} == {"A", "B"}
    chosen = choose(found, "f1_micro", within_words(10))
    assert (chosen.family, chosen.n_bytes) == ("B", 9)
    assert chosen.value("f1_micro") == pytest.approx(0.2)


def test_sets_are_compared_by_ranks():
    parts = [f"set {i}" for i in range(8)]
    rows = [made_row(OURS, "A", 10, 0.9, 0.5 + i / 50, part=p) for i, p in enumerate(parts)]
    rows += [made_row(PEERS, "B", 10, 0.9, 0.4, part=p) for p in parts]
    a, b = candidates(rows)
    # all 8 differences are positive: 2 of 2⁸ signs are as extreme
    assert p_value(a, b, {}, "f1_micro") == pytest.approx(2 / 2**8)


# The journal


def counting(calls: list[str]) -> Family:
    def make(family: Family, task: Task, asked: dict) -> Iterator:
        for name, budgets in asked.items():
            for budget in budgets:
                calls.append(f"{name} {budget}")
                no = name == "never"
                yield name, budget, "not to be had" if no else Fixed(task, words=budget or 9)

    return Family(OURS, "counting", {"one": 1, "never": 2}, make, whole=True)


def test_what_is_in_the_journal_is_not_measured_again(task, tmp_path):
    calls: list[str] = []
    journal = Journal(tmp_path / "new" / "c.jsonl")
    family = counting(calls)
    measure(task, [family], (5, 9, None), journal, calls.append)
    assert calls.pop().startswith(f"{task.corpus}: counting, 6 measured")
    assert calls == [f"{name} {b}" for name in ("one", "never") for b in (5, 9, None)]
    measure(task, [family], (5, 9, None), journal, calls.append)
    assert len(calls) == 6
    measure(task, [family], (5, 7), journal, calls.append)
    assert calls[6:8] == ["one 7", "never 7"]
    lines = list(journal.lines())
    assert sum(isinstance(line, Truth) for line in lines) == 1
    rows = rows_of(lines)
    assert len(rows) == len({row.key for row in rows}) == 8
    assert [row.refused for row in rows if row.settings == "never"] == ["not to be had"] * 4
    assert rows[0].test == {
        "f1_micro": f1_micro(Fixed(task).answers(task.test), task.test.truth),
        "f1_macro": f1_macro(Fixed(task).answers(task.test), task.test.truth),
    }


def test_a_line_that_was_cut_off_is_measured_again(task, tmp_path):
    calls: list[str] = []
    journal = Journal(tmp_path / "c.jsonl")
    measure(task, [counting(calls)], (5, 9), journal, lambda _: None)
    text = journal.where.read_text()
    journal.where.write_text(text[:-20])
    calls.clear()
    measure(task, [counting(calls)], (5, 9), journal, lambda _: None)
    assert calls == ["never 9"]
    assert journal.where.read_text() == text


def test_a_family_that_fails_is_told_and_stays_open(task, tmp_path, capsys):
    def broken(family: Family, task: Task, asked: dict) -> Iterator:
        yield "one", 5, Fixed(task)
        raise ValueError("too small")

    said: list[str] = []
    journal = Journal(tmp_path / "c.jsonl")
    families = [Family(PEERS, "broken", {"one": 1, "two": 2}, broken), counting([])]
    measure(task, families, (5,), journal, said.append)
    assert said[0] == f"FAILED {task.corpus}: broken: ValueError, see the error stream"
    assert "counting, 2 measured" in said[1]
    assert "too small" in capsys.readouterr().err
    assert [row.settings for row in rows_of(journal.lines())] == ["one", "one", "never"]


def test_a_foreign_file_is_refused_with_its_line(tmp_path):
    journal = Journal(tmp_path / "c.jsonl")
    journal.add(made_truth())
    with journal.where.open("a") as stream:
        stream.write(json.dumps({"kind": "row"}) + "\n")
    with pytest.raises(LaconicError, match=r"c\.jsonl, line 2: not a line of this benchmark"):
        list(journal.lines())


# Throughput


def test_documents_per_second_are_of_the_chosen_candidates(task, tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "REPEATS", 1)
    families = [one for one in FAMILIES if one.name in ("IG", "chi2 + LinearSVC")]
    journal = Journal(tmp_path / "c.jsonl")
    said: list[str] = []
    measure(task, families, (5, 20), journal, said.append)
    speed.measure_speed(task, families, (5, 20), journal, said.append)
    found = [line for line in journal.lines() if isinstance(line, Speed)]
    assert [(one.limit, one.side) for one in found] == [
        (budget, side) for budget in (5, 20) for side in (OURS, PEERS)
    ]
    assert all(one.rate > 0 and one.raw == (task.test.texts is not None) for one in found)
    known = candidates(rows_of(journal.lines()))
    for one in found:
        chosen = choose(of_side(known, one.side), "f1_micro", within_words(one.limit))
        assert (chosen.settings, chosen.budget) == (one.settings, one.budget)
    speed.measure_speed(task, families, (5, 20), journal, said.append)
    assert len([line for line in journal.lines() if isinstance(line, Speed)]) == 4


def test_at_most_so_many_documents_are_timed(task):
    some = speed.first(task.test, 10)
    n_docs = some.X.shape[0]
    assert 10 <= n_docs < 20
    assert some.truth.shape[0] == some.counts.shape[0] == n_docs
    assert some.texts is None or len(some.texts) == n_docs


# The page


def lines(ours_at_30: float = 0.6) -> list:
    return [
        made_truth(),
        made_row(OURS, "A", 10, 0.8, 0.9, n_bytes=900),
        made_row(PEERS, "P", 10, 0.7, 0.7, n_bytes=5000),
        made_row(OURS, "B", 30, 0.9, ours_at_30, n_bytes=2000),
        made_row(PEERS, "Q", 30, 0.9, 0.8, n_bytes=8000),
        Speed("made", "", OURS, "A", "C=1", 10, 10, 2000.0, True),
        Speed("made", "", PEERS, "P", "C=1", 10, 10, 500.0, True),
    ]


def test_verdicts_follow_from_the_test_documents():
    found = CorpusResults.of("made", lines())
    first, second = found.compared((10, 30), "f1_micro")
    assert (first.verdict, second.verdict) == (BETTER, WORSE)
    assert first.difference == pytest.approx(0.2)
    assert comparisons("made", found.candidates[:1], found.truths, (10,), "f1_micro") == []


def test_a_claim_that_fails_says_where():
    compared = CorpusResults.of("made", lines()).compared((10, 30), "f1_micro")
    told = claim(compared)
    assert "The claim holds at 1 of 2 budgets" in told
    assert "significantly better at 1, not significantly different at 0" in told
    assert "**It fails at 1**:\n\n- made, f1_micro: 30 words (-0.200 against Q)\n" in told
    told = claim(CorpusResults.of("made", lines(0.8)).compared((10, 30), "f1_micro"))
    assert "holds at 2 of 2" in told
    assert told.endswith("It fails nowhere.")


@pytest.mark.full
def test_the_page_has_tables_and_drawings(tmp_path):
    where = tmp_path / "frontier.md"
    write(where, [CorpusResults.of("made", lines())], (10, 30), "Choices.", "measured so", 1000)
    page = where.read_text()
    row = "| made | 30 | 0.600 | 0.800 | -0.200 | 0.000 | **worse** | B (C=1) | Q (C=1) |"
    assert page.count(row) == 2
    assert "640 training, 160 validation and 200 test documents, 500 words, 2 classes." in page
    assert "| 1,000 | 0.900 | 900 | none |  | A (C=1), 10 words |  |" in page
    assert "| 10 | 2,000 | 500 | 4.0 | A | P |" in page
    for part in ("Choices.", "measured so", "It fails at 2", "1,000 draws"):
        assert part in page
    drawn = sorted((tmp_path / "frontier").iterdir())
    assert [file.name for file in drawn] == ["made-bytes.svg", "made-speed.svg", "made-words.svg"]
    for file in drawn:
        assert f"](frontier/{file.name})" in page
        assert file.stat().st_size < MAX_BYTES


def test_a_drawing_of_everything_is_small():
    rows = [
        made_row(side, f"family {i}", budget, i / 20, 0.5 + i / 20, settings=f"C={j}")
        for side in (OURS, PEERS)
        for i in range(8)
        for j in range(8)
        for budget in BUDGETS
    ]
    spec = against_words("made", candidates(rows), BUDGETS, "f1_micro")
    assert len(svg(spec)) < MAX_BYTES
    values = spec["data"]["values"]
    # two thick lines and sixteen thin ones, a point a budget
    assert len(values) == 18 * len(BUDGETS)
    thick = [one for one in values if one["line"] == "" and one["side"] == "Laconic"]
    assert {one["y"] for one in thick} == {0.85}
    assert [one["x"] for one in thick] == [10, 30, 100, 300, 1000, 3000, 10_000, 20_000]
    assert against_speed("made", [], [], "f1_micro") is None


@pytest.mark.full
def test_the_command_measures_tells_and_writes(tmp_path, monkeypatch):
    some = [one for one in FAMILIES if one.name in ("IG", "ALL", "chi2 + LinearSVC", "LinearSVC")]
    monkeypatch.setattr(command, "FAMILIES", tuple(some))
    monkeypatch.setattr(speed, "REPEATS", 1)
    monkeypatch.setitem(corpora.QUICK, "generated", lambda: iter([corpus_of("labels")]))
    monkeypatch.setitem(corpora.QUICK, "pydocs", lambda: iter([corpus_of("texts")]))
    where = tmp_path / "page.md"
    arguments = ["--quick", "-o", str(tmp_path / "out"), "--write", str(where)]
    done = CliRunner().invoke(command.main, arguments)
    assert done.exit_code == 0, done.output
    assert "generated: IG, 8 measured" in done.output
    assert "The claim holds at " in done.output
    page = where.read_text()
    assert f"`python -m bench.frontier --quick --write {where}`, 20" in page
    assert page.count("\n## generated\n") == page.count("\n## pydocs\n") == 1
    before = (tmp_path / "out" / "pydocs.jsonl").read_bytes()
    again = CliRunner().invoke(command.main, arguments)
    assert "measured" not in again.output
    assert (tmp_path / "out" / "pydocs.jsonl").read_bytes() == before


def test_the_truth_of_a_task_is_kept(task):
    told = truth_of(task)
    np.testing.assert_array_equal(unpacked(told.truth, task.test.truth.shape), task.test.truth)
    assert (told.n_words, told.n_train) == (task.n_words, task.train.X.shape[0])
