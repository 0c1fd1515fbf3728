from __future__ import annotations

import pytest

from laconic.errors import LaconicError
from laconic.methods import METHODS, method_called, methods_called
from tests.strategies import text_like


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_a_model_for_each_size(name):
    X, y = text_like(40, 30, 3)
    models = list(METHODS[name].build(alpha=0.5, seed=1).path(X, y, [10, 20]))
    assert len(models) == 2
    assert models[0].n_terms <= models[1].n_terms <= 20 or name == "SRLS"


def test_brackets_set_parameters():
    method = method_called(" ss[rank=3, draw=iid] ")
    assert method.name == "SS[rank=3,draw=iid]"
    reducer = method.build(seed=7).reducer
    assert (reducer.rank, reducer.draw, reducer.random_state) == (3, "iid", 7)
    assert method_called("SS[rank=0.9]").build().reducer.rank == 0.9
    assert method_called("IG[combine=max]").build().reducer.by.keywords == {"combine": "max"}
    assert method_called("df").random is False
    assert method_called("us").random is True


def test_brackets_set_lambda_for_any_method():
    method = method_called("ig[lambda=0.40, combine=max]")
    assert method.name == "IG[combine=max,lambda=0.4]"
    assert method_called(method.name) == method
    path = method.build(alpha=7.0)
    assert path.classifier.alpha == 0.4
    assert path.reducer.by.keywords == {"combine": "max"}
    assert method_called("ALL[lambda=loo]").build(2.0).classifier.alpha == "loo"
    assert method_called("ALL[lambda=0]").build(2.0).classifier.alpha == 0.0
    assert method_called("ALL[lambda=2]").name == method_called("ALL[lambda=2.0]").name
    assert method_called("ALL[lambda=2]").sizes == (1.0,)
    assert method_called("DF").build(2.0).classifier.alpha == 2.0


def test_lambda_is_not_the_alpha_of_ridge_leverage():
    path = method_called("SS[alpha=0.5,lambda=0.1]").build(alpha=7.0, seed=3)
    assert (path.reducer.alpha, path.classifier.alpha) == (0.5, 0.1)
    assert method_called("SS[alpha=0.5]").build(alpha=7.0).classifier.alpha == 7.0


def test_a_list_is_divided_outside_brackets():
    names = [method.name for method in methods_called("DF,SS[rank=10,draw=iid], IG")]
    assert names == ["DF", "SS[rank=10,draw=iid]", "IG"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("XYZ", "choose from ALL"),
        ("", "choose from ALL"),
        ("SS[rank=1", "choose from ALL"),
        ("SS[k=10]", "it takes rank, alpha, draw, lambda"),
        ("SS[rank]", "no setting 'rank'"),
        ("DF[rank=1]", "it takes lambda"),
        ("DF[lambda]", "no setting 'lambda'"),
        ("DF[lambda=]", "give a number of at least 0, or loo"),
        ("DF[lambda=-0.5]", "method DF: lambda=-0.5: give a number of at least 0, or loo"),
        ("DF[lambda=nan]", "or loo"),
        ("DF[lambda=1e999]", "or loo"),
        (f"DF[lambda=1{'0' * 400}]", "or loo"),
        ("DF[lambda=True]", "or loo"),
        ("DF[lambda=None]", "or loo"),
        ("DF[lambda=(1)(2)]", "or loo"),
        ("DF[lambda=cv]", "or loo"),
    ],
)
def test_other_names_are_refused(text, says):
    with pytest.raises(LaconicError, match=says):
        method_called(text)
