"""Golden curves: a few numbers of every method on a tiny corpus, with the version of the method.

Each file `tests/golden/NAME.json` has, for one method, the number of correct test documents at each
size and the first features of its smallest model. To write the files again after a method's numbers
changed on purpose: raise its `version` in methods/recipes.py, and run

    python -m tests.golden

The command refuses a method whose numbers moved while its version did not.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from laconic import Corpus
from laconic.methods import METHODS, parse_method
from laconic.studies.execution.jobs import Job, run_job
from laconic.studies.execution.task import Cut, Outcome
from laconic.studies.layout import safe_name
from laconic.studies.options import SplitOptions, TrainingOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.options import WeightingOptions

WHERE = Path(__file__).parent
WITH_SETTINGS = (
    "IG+svm:alpha=0.5",
    "IG+ridge:alpha=loo",
    "DF+centroid",
    "IG+knn:n_neighbors=3",
    "LSI+gaussian:width=1.0",
    "SS:rank=5:draw=iid+ridge",
    "SS:ridge=0.5+ridge",
    "BSS:rank=5+ridge",
    "RFE:step=0.5+svm",
    "MASK:weights=balanced",
    "JOINT+blend",
    *(f"{name}+{classifier}" for name in ("IG", "RFE") for classifier in ("logistic", "svm")),
)
WITH_RIDGE = tuple(
    name if method.classifier is None else f"{name}+ridge" for name, method in METHODS.items()
)
IN_PLAN = (*WITH_RIDGE, *WITH_SETTINGS)
# Without a classifier: as `build` makes them, not tuned.
BARE = ("IG", "RFE")
NAMES = (*IN_PLAN, *BARE)
SIZES = (3, 10, 30, 70)
N_FEATURES = 8
# Another CPU or BLAS may decide about one document on the border differently, and about those whose
# two best decision values are equal up to rounding, such as documents without a selected word.
TOLERANCE = 1
ROUNDING = 1e-6


def tiny() -> Corpus:
    """90 documents in three classes, from hashes: no random generator that could change."""
    labels = [f"class{number % 3}" for number in range(90)]
    texts = [_text(number, number % 3) for number in range(90)]
    parts = ["test" if number % 10 in (3, 5, 7) else "train" for number in range(90)]
    ids = tuple(map(str, range(90)))
    return Corpus(
        "tiny",
        labels=tuple((label,) for label in labels),
        ids=ids,
        texts=tuple(texts),
        split=tuple(parts),
    )


def _text(number: int, topic: int) -> str:
    """40 words; one in five is of the topic or, as noise, of another."""
    digits = b"".join(sha256(f"{number} {block}".encode()).digest() for block in range(4))
    words = []
    for place in range(40):
        kind, word = digits[2 * place], digits[2 * place + 1]
        if kind < 51:
            of = topic if kind < 34 else (topic + 1 + kind % 2) % 3
            words.append(f"topic{of}x{int((word / 256) ** 2 * 12)}")
        else:
            words.append(f"word{int((word / 256) ** 2 * 60)}")
    return " ".join(words)


def outcomes() -> dict[str, Outcome]:
    plan = Plan(
        (tiny(),),
        methods=IN_PLAN,
        sizes=SIZES,
        metrics=("accuracy",),
        split=SplitOptions("given", cv=0, duplicates="keep"),
        weighting=WeightingOptions(min_df=2),
        training=TrainingOptions(alpha=1.0),
        features="words",
        decisions=True,
    )
    prepared = PreparedCorpus.of(plan, plan.corpora[0])
    jobs = [*prepared.jobs({task.key for task in prepared.tasks}), *bare_jobs(prepared)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {outcome.task.method: outcome for job in jobs for outcome in run_job(job)}


def bare_jobs(prepared: PreparedCorpus) -> Iterator[Job]:
    (target,), (split,) = prepared.targets, prepared.splits
    (problem,) = prepared.problems(split, [target.name])
    for name in BARE:
        about = (prepared.corpus, split, "test", target, parse_method(name), 0)
        yield Job(problem, (prepared.plan.one_task(*about, alphas=("auto",)),))


def measured(outcome: Outcome, words: list[str]) -> dict[str, Any]:
    assert outcome.status == "ok", outcome.reason
    truth = outcome.y_signed > 0
    right = {
        str(cut.size): int(np.count_nonzero((cut.chosen == truth).all(axis=1)))
        for cut in outcome.cuts
    }
    features = [words[column] for column in outcome.cuts[0].terms[:N_FEATURES]]
    return {
        "method": outcome.task.method,
        "version": outcome.task.version,
        "correct": right,
        "features": features,
        "undecided": {str(cut.size): n_undecided(cut) for cut in outcome.cuts},
    }


def n_undecided(cut: Cut) -> int:
    """Documents whose two best decision values are equal up to rounding."""
    assert cut.decision is not None
    *_, second, best = np.sort(cut.decision, axis=1).T
    return int(np.count_nonzero(best - second <= ROUNDING * np.abs(best)))


def all_measured() -> dict[str, dict[str, Any]]:
    plan = Plan((tiny(),), weighting=WeightingOptions(min_df=2), features="words")
    words = PreparedCorpus.of(plan, plan.corpora[0]).counted.words.tolist()
    return {name: measured(outcome, words) for name, outcome in outcomes().items()}


def path_of(name: str) -> Path:
    return WHERE / f"{safe_name(parse_method(name).name)}.json"


def stored(name: str) -> dict[str, Any] | None:
    path = path_of(name)
    return json.loads(path.read_text()) if path.exists() else None


def moved(now: dict[str, Any], golden: dict[str, Any]) -> str:
    """What differs by more than the tolerance, apart from the version; "" if nothing."""
    if now["correct"].keys() != golden["correct"].keys():
        return f"sizes {list(now['correct'])}, stored {list(golden['correct'])}"
    for size, correct in golden["correct"].items():
        tolerance = TOLERANCE + now.get("undecided", {}).get(size, 0)
        if abs(now["correct"][size] - correct) > tolerance:
            return f"size {size}: {now['correct'][size]} correct documents, stored {correct}"
    if now["features"] != golden["features"]:
        return f"first features {now['features']}, stored {golden['features']}"
    return ""


def complaint(now: dict[str, Any], golden: dict[str, Any] | None) -> str:
    """Why the test fails and what to do; "" if it does not."""
    again = "run `python -m tests.golden`"
    if golden is None:
        return f"{now['method']}: has no golden curve; {again}"
    name, version = now["method"], now["version"]
    difference = moved(now, golden)
    if difference and version == golden["version"]:
        return (
            f"{name}: its numbers moved ({difference}), but its version is still {version}. If "
            f"that is intended, raise `version` of {name} in methods/recipes.py to {version + 1}, "
            f"so studies know which rows are old, and {again}"
        )
    if version != golden["version"]:
        return f"{name}: version {version}, stored {golden['version']}; {again}"
    return ""


def write_all() -> list[str]:
    """Write the files; complaints about methods that moved without a new version."""
    refused = []
    for name, now in all_measured().items():
        golden = stored(name)
        if golden is not None and now["version"] == golden["version"]:
            if moved(now, golden):
                refused.append(complaint(now, golden))
            continue
        kept = {key: now[key] for key in ("method", "version", "correct", "features")}
        path_of(name).write_text(json.dumps(kept, indent=1) + "\n")
    return refused
