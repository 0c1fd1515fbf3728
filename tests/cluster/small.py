"""A small study of several shards, which takes a second."""

from __future__ import annotations

import json
from pathlib import Path

from laconic import Plan, Study
from laconic.studies.options import SplitOptions, TrainingOptions
from tests.studies.corpora import pets

METHODS = ("ALL", "IG", "RFE")
N_SHARDS, N_DOCS = 4, 60


def write_shards(folder: Path) -> Path:
    folder.mkdir()
    corpus = pets(N_SHARDS * N_DOCS)
    lines = [
        json.dumps({"text": text, "label": label}) + "\n"
        for text, (label,) in zip(corpus.texts, corpus.labels, strict=True)
    ]
    for number in range(N_SHARDS):
        part = lines[N_DOCS * number : N_DOCS * (number + 1)]
        (folder / f"part-{number}.jsonl").write_text("".join(part))
    return folder


def small_study(shards: Path, where: Path) -> Study:
    split, training = SplitOptions(cv=2, max_tuning=100), TrainingOptions(blends=False)
    about = {"sizes": (5, 20), "split": split, "training": training, "features": "words"}
    return Study(Plan(str(shards), METHODS, **about), where)
