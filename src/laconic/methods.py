"""The literature's names of methods, as recipes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.rls import RLSClassifier
from laconic.errors import LaconicError
from laconic.scores import document_frequency
from laconic.selectors.top import TopTerms


@dataclass(frozen=True)
class Method:
    """A name from the literature and how to build it, with the ridge `alpha` of its classifier."""

    name: str
    about: str
    build: Callable[[float], PathClassifier]


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "DF",
            "words in the most documents, then regularized least squares",
            lambda alpha: ReduceThenFit(TopTerms(document_frequency), RLSClassifier(alpha=alpha)),
        ),
    )
}


def method_called(name: str) -> Method:
    """The recipe of this name, in any case."""
    by_name = {known.upper(): method for known, method in METHODS.items()}
    if name.upper() not in by_name:
        raise LaconicError(f"method {name!r}: choose from {', '.join(METHODS)}")
    return by_name[name.upper()]
