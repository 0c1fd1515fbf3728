"""Options are declared once: signatures, documentation, tables and checks come from there."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import dataclass
from inspect import getdoc
from typing import Literal

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from laconic import Vectorizer, Weighting, load_corpus
from laconic.cli import main
from laconic.corpus.options import ReadOptions
from laconic.errors import LaconicError
from laconic.options import (
    Options,
    from_table,
    init_from,
    option,
    options_of,
    parse_bytes,
    signature_from,
)
from laconic.runtime.settings import TextSettings
from laconic.studies.options import SearchOptions, Source, SplitOptions, TrainingOptions
from laconic.text.options import TextOptions, WeightingOptions

DECLARED = (ReadOptions, TextOptions, WeightingOptions, SplitOptions, SearchOptions)


@dataclass(frozen=True)
class Fruit(Options):
    kind: Literal["apple", "pear"] | None = option("apple", "Which fruit.")
    weight: float = option(1.0, "In kilograms.", minimum=0, maximum=9)
    names: tuple[str, ...] = option((), "Its names.", default_text="none")


VALID = {
    "an integer for a float": ({"weight": 2}, ("apple", 2.0, ())),
    "numbers of numpy": ({"weight": np.float32(0.5)}, ("apple", 0.5, ())),
    "one text for several": ({"names": "Cox"}, ("apple", 1.0, ("Cox",))),
    "a list": ({"names": ["Cox", "Gala"]}, ("apple", 1.0, ("Cox", "Gala"))),
    "none": ({"kind": None}, (None, 1.0, ())),
}
INVALID = {
    "kind": ({"kind": "plum"}, "kind='plum': choose from apple, pear, none"),
    "type": ({"weight": "heavy"}, "weight='heavy': give a number from 0 to 9"),
    "bool": ({"weight": True}, "weight=True: give a number from 0 to 9"),
    "small": ({"weight": -1}, "weight=-1: give a number from 0 to 9"),
    "large": ({"weight": 9.5}, "weight=9.5: give a number from 0 to 9"),
    "nan": ({"weight": float("nan")}, "weight=nan: give a number from 0 to 9"),
    "items": ({"names": [1]}, r"names=\[1\]: give a list of texts"),
}


@pytest.mark.parametrize("case", VALID)
def test_a_valid_value_gets_the_type_that_was_declared(case):
    values, expected = VALID[case]
    assert tuple(Fruit(**values).values().values()) == expected


@pytest.mark.parametrize("case", INVALID)
def test_an_invalid_value_is_refused_in_python_and_in_a_table(case):
    values, message = INVALID[case]
    with pytest.raises(LaconicError, match=f"^{message}"):
        Fruit(**values)
    with pytest.raises(LaconicError, match=message):
        from_table(Fruit, values, "fruit")


def test_a_table_may_say_none_and_names_are_checked():
    assert from_table(Fruit, {"kind": "none"}, "fruit") == Fruit(None)
    with pytest.raises(
        LaconicError, match=r"\[fruit\] has no option 'wieght': did you mean weight"
    ):
        from_table(Fruit, {"wieght": 1}, "fruit")


def test_an_estimator_takes_the_options_and_only_assigns():
    @init_from(Fruit, positional=1, weight=2.0)
    class Tree(BaseEstimator):
        """A tree.

        Parameters
        ----------
        {options}
        """

    tree = Tree("rotten", weight="heavy")
    assert tree.get_params() == {"kind": "rotten", "weight": "heavy", "names": ()}
    assert clone(tree).get_params() == tree.get_params()
    assert Tree().weight == 2.0
    with pytest.raises(TypeError, match="colour"):
        Tree(colour="red")
    assert "kind : Optional[Literal['apple', 'pear']], default='apple'" in Tree.__doc__
    assert "weight : float, default=2.0\n    In kilograms." in getdoc(Tree)


def test_a_function_shows_the_options():
    @signature_from(Fruit)
    def eat(where, *, slowly=False, **options):
        """Eat.

        {options}
        """
        return Fruit(**options)

    assert list(inspect.signature(eat).parameters) == ["where", "kind", "weight", "names", "slowly"]
    assert eat("here", weight=3) == Fruit(weight=3)


@pytest.mark.parametrize(
    ("where", "kinds"),
    [
        (load_corpus, (ReadOptions,)),
        (Source, (ReadOptions,)),
        (Vectorizer, (TextOptions,)),
        (TextSettings, (TextOptions,)),
        (Weighting, (WeightingOptions,)),
    ],
)
def test_signatures_have_every_option(where, kinds):
    names = {option.name for kind in kinds for option in options_of(kind)}
    assert names <= set(inspect.signature(where).parameters)


@pytest.mark.parametrize("kind", [*DECLARED, TrainingOptions])
def test_the_command_study_has_every_option(kind):
    params = {param.name: param for param in main.commands["study"].params}
    for declared in options_of(kind):
        if declared.name != "normalize":  # a study trains self-contained models only
            assert declared.help in params[declared.name].help


def test_help_needs_neither_numpy_nor_scikit_learn():
    code = (
        "import sys\n"
        "from laconic.cli import main\n"
        "main(['study', '--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'rich', 'msgspec'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("500MB", 500_000_000), ("2GB", 2 * 10**9), ("1.5 gb", 15 * 10**8), (" 9kB ", 9000)],
)
def test_bytes_have_a_unit(text, n_bytes):
    assert parse_bytes(text) == n_bytes


@pytest.mark.parametrize("text", ["", "2", "GB", "-2GB", "0MB", "2 GiBi", "1e9GB", "2XB"])
def test_bytes_without_a_unit_are_refused(text):
    with pytest.raises(LaconicError, match="such as 500MB or 2GB"):
        parse_bytes(text)
