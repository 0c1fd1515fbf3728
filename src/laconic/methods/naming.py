"""From a name such as `SS[rank=10]` to the method it means.

Any method takes `lambda` and `threshold` in its brackets beside the settings of its recipe, and one
with a reducer `then` (the classifier): `IG[then=svm,lambda=0.4]`, `ALL[lambda=loo]`,
`SVM-LARS[lambda=0]`, `IG[threshold=cv]`. A classifier without λ has settings of its own instead:
`LDA[then=gaussian,width=1.0,C=10.0]`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from inspect import signature
from sys import float_info
from typing import Any

from laconic.errors import LaconicError
from laconic.methods.classifiers import CLASSIFIERS, LINEAR, RLS, settings_of, takes_lambda
from laconic.methods.method import LOO, ZERO, Method
from laconic.methods.recipes import METHODS

THEN, LAMBDA, THRESHOLD = "then", "lambda", "threshold"
THRESHOLDS = (ZERO, "training", "cv", LOO)
LARGEST = float_info.max
SYNTAX = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<settings>[^\[\]]*)\])?")


def method_called(text: str) -> Method:
    """The method of a name such as `DF` or `SS[rank=10,draw=iid]`, in any case."""
    found = SYNTAX.fullmatch(text.strip()) if isinstance(text, str) else None
    known = METHODS.get(found["name"].strip().upper()) if found else None
    if found is None or known is None:
        raise LaconicError(
            f"method {text!r}: choose from {', '.join(METHODS)}, with settings in brackets where "
            "it has some, such as SS[rank=10]; all take lambda and threshold, and most take then, "
            "such as IG[then=svm,lambda=0.5], IG[lambda=loo] or IG[threshold=cv]"
        )
    settings = _settings(found["settings"] or "", known)
    inner = ",".join(f"{key}={value}" for key, value in settings.items())
    name = f"{known.name}[{inner}]" if inner else known.name
    then, alpha = settings.pop(THEN, known.then), settings.pop(LAMBDA, None)
    threshold = settings.pop(THRESHOLD, ZERO)
    own = settings_of(then) if then is not None else {}
    after = {key: settings.pop(key) for key in own if key in settings}
    method = replace(
        known,
        name=name,
        settings=settings,
        then=then,
        after=after,
        alpha=alpha,
        threshold=threshold,
    )
    if alpha is not None and then is not None:
        method.classifier(alpha, intercept=False)  # refuses a λ that it cannot have
    return method


def methods_called(text: str) -> list[Method]:
    """A list of methods, divided by commas outside brackets."""
    return [method_called(name) for name in re.split(r",(?![^\[]*\])", text)]


def keeps_all(name: str) -> bool:
    """Whether the method of this name keeps every word, whatever its λ."""
    return name.partition("[")[0] == "ALL"


def projects(name: str) -> bool:
    """Whether the columns of the method of this name are mixtures of all words."""
    known = METHODS.get(name.partition("[")[0])
    return known is not None and known.projects


def _settings(text: str, method: Method) -> dict[str, Any]:
    """What the brackets set beyond the defaults, in one order: a name is one task."""
    parts = _parts(text, method)
    usual = _usual(method, parts)
    if wrong := [f"{key}={value}" for key, value in parts.items() if key not in usual]:
        offered = f"it takes {', '.join(usual)}"
        raise LaconicError(f"method {method.name}: no setting {wrong[0]!r}; {offered}")
    reading = {THEN: _then, LAMBDA: _alpha, THRESHOLD: _threshold}
    given = {
        key: reading[key](value, method) if key in reading else _like(usual[key], _value(value))
        for key, value in parts.items()
    }
    return {key: given[key] for key in usual if key in given and given[key] != usual[key]}


def _parts(text: str, method: Method) -> dict[str, str]:
    parts = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key == THEN and method.then is None:
            raise LaconicError(
                f"method {method.name}: {part}: it trains its own models, and no classifier comes "
                "after it. Leave it out"
            )
        if not equals:
            offered = f"it takes {', '.join(_usual(method, {}))}, each with = and a value"
            raise LaconicError(f"method {method.name}: no setting {part!r}; {offered}")
        parts[key] = value
    return parts


def _usual(method: Method, parts: dict[str, str]) -> dict[str, Any]:
    """All that the brackets may set, and what it is otherwise."""
    parameters = signature(method.recipe).parameters
    usual = {name: known.default for name, known in parameters.items() if name != "seed"}
    if method.then is None:
        return usual | {LAMBDA: None, THRESHOLD: ZERO}
    then = _then(parts.get(THEN, method.then), method)
    usual |= {THEN: RLS} | settings_of(then)
    usual |= {LAMBDA: None} if takes_lambda(then) else {}
    return usual | ({THRESHOLD: ZERO} if then in LINEAR else {})


def _then(text: str, method: Method) -> str:
    if text.lower() not in CLASSIFIERS:
        offered = ", ".join(CLASSIFIERS)
        raise LaconicError(f"method {method.name}: then={text}: choose from {offered}")
    return text.lower()


def _alpha(text: str, method: Method) -> float | str:
    value = _value(text)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value != "loo" and not (number and 0 <= value <= LARGEST):
        raise LaconicError(
            f"method {method.name}: lambda={text}: give a number of at least 0, or loo"
        )
    return float(value) if number else value


def _threshold(text: str, method: Method) -> str:
    offered = THRESHOLDS if method.leaves_out else THRESHOLDS[:-1]
    if text.lower() in offered:
        return text.lower()
    if text.lower() == LOO:
        raise LaconicError(
            f"method {method.name}: threshold=loo: leave-one-out goes along paths of LARS only. "
            "Choose threshold=cv"
        )
    raise LaconicError(f"method {method.name}: threshold={text}: choose from {', '.join(offered)}")


def _like(usual: Any, value: Any) -> Any:
    """1 and 1.0 are one setting where it is usually no whole number."""
    whole = type(usual) is float and type(value) is int and abs(value) <= LARGEST
    return float(value) if whole else value


def _value(text: str) -> Any:
    """A number, None or a word."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
