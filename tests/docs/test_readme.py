"""The Python of the README runs, and no page is half-written."""

from __future__ import annotations

import re

import pytest

from laconic import load_corpus
from tests.docs.documents import DOCS, README, ROOT, python_blocks, read


def test_no_page_has_a_placeholder():
    for page in [*ROOT.glob("*.md"), *DOCS.glob("**/*.md")]:
        assert not re.findall(r"\{[A-Z0-9]+\}", read(page)), page


@pytest.mark.full
def test_the_python_of_the_readme_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(read(README))
    assert len(blocks) >= 2
    corpus = load_corpus("pydocs")
    names = {"texts": list(corpus.texts), "labels": [label for (label,) in corpus.labels]}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    assert "pydocs: use " in capsys.readouterr().out
    assert names["classifier"].score(names["texts"], names["labels"]) > 0.9
