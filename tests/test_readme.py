"""What the README shows in Python runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

from laconic import load_corpus

README = Path(__file__).parents[1] / "README.md"


def test_no_page_is_half_written():
    pages = [README, *README.parent.glob("*.md"), *README.parent.glob("docs/**/*.md")]
    for page in pages:
        assert not re.findall(r"\{[A-Z0-9]+\}", page.read_text()), page


def test_the_python_of_the_readme_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 3
    corpus = load_corpus("pydocs")
    names = {"texts": list(corpus.texts), "labels": [label for (label,) in corpus.labels]}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    told = capsys.readouterr().out
    assert "The small model reads 1,000 of" in told
    assert names["classifier"].score(names["texts"], names["labels"]) > 0.9
