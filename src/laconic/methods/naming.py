"""Names of methods: `NAME:key=value:key=value+classifier:key=value`.

Settings follow a colon, the classifier a plus sign: `SS:rank=100:draw=iid`, `IG+svm:alpha=0.4`,
`ALL+ridge:alpha=loo`, `IG+ridge:threshold=cv`, `LDA+gaussian:width=1.0:C=10.0`. Methods that train
their own models take alpha and threshold themselves: `SVM-LARS:alpha=0.1`. Without `+…`, and
without alpha, a study tunes what is not named. No character of a name needs quoting in a shell.

The canonical name leaves out settings that equal their default, and has the others in one order:
methods with the same canonical name are the same method.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import replace
from inspect import signature
from sys import float_info
from typing import Any, get_args

from laconic.errors import LaconicError
from laconic.methods.classifiers import BLEND, CLASSIFIERS, LINEAR, RIDGE, settings_of, takes_alpha
from laconic.methods.method import AUTO, CLASSIFIER_SIGN, LOO, ZERO, Method
from laconic.methods.recipes import METHODS
from laconic.text.options import Alpha

ALPHA, THRESHOLD = "alpha", "threshold"
THRESHOLDS = (ZERO, "training", "cv", LOO)
LARGEST = float_info.max
CONSTANTS = {"none": None, "true": True, "false": False}

Settings = dict[str, Any]


def parse_method(text: str) -> Method:
    """The method of a name such as `DF` or `SS:rank=10:draw=iid`, in upper or lower case."""
    if not isinstance(text, str):
        raise _unknown(text)
    selection, *classifiers = CLASSIFIER_SIGN.split(text.strip())
    name, settings = _split(selection)
    method = METHODS.get(name.upper())
    if method is None or len(classifiers) > 1:
        raise _unknown(text)
    if method.classifier is None:
        if classifiers:
            raise LaconicError(
                f"method {method.name}: +{classifiers[0]}: it trains its own models, and no "
                "classifier follows it. Leave it out"
            )
        return _path_method(method, settings)
    return _with_classifier(method, settings, classifiers[0] if classifiers else AUTO)


def parse_methods(text: str) -> list[Method]:
    """A list of methods, separated by commas."""
    return [parse_method(name) for name in text.split(",")]


def keeps_all(name: str) -> bool:
    """Whether the method of this name uses every word, whatever its classifier."""
    return base_name(name) == "ALL"


def is_blend(name: str) -> bool:
    """Whether the classifier of the method of this name is a blend."""
    return name.endswith(f"+{BLEND}")


def projects(name: str) -> bool:
    """Whether the components of the method of this name are mixtures of all words."""
    method = METHODS.get(base_name(name))
    return method is not None and method.projects


def base_name(name: str) -> str:
    """The name in the literature, without settings and classifier."""
    return re.split(r"[:+]", name, maxsplit=1)[0]


def _unknown(text: object) -> LaconicError:
    return LaconicError(
        f"method {text!r}: choose from {', '.join(METHODS)}, with settings after a colon, such as "
        "SS:rank=10, and a classifier after a plus sign, such as IG+svm:alpha=0.5, "
        "IG+ridge:alpha=loo or IG+ridge:threshold=cv"
    )


def _path_method(method: Method, texts: dict[str, str]) -> Method:
    """The method with its settings, for a method that trains its own models."""
    defaults = _recipe_defaults(method) | {ALPHA: None, THRESHOLD: ZERO}
    settings = _settings(texts, defaults, method, _float_settings(method))
    return replace(
        method,
        name=_written(method.name, settings),
        alpha=settings.pop(ALPHA, None),
        threshold=settings.pop(THRESHOLD, ZERO),
        settings=settings,
    )


def _with_classifier(method: Method, texts: dict[str, str], text: str) -> Method:
    """The method with its settings and the classifier that follows it."""
    settings = _settings(texts, _recipe_defaults(method), method, _float_settings(method))
    canonical = _written(method.name, settings)
    if text == AUTO:
        return replace(method, name=canonical, settings=settings)
    name, classifier_texts = _split(text)
    classifier = name.lower()
    if classifier not in CLASSIFIERS:
        choices = ", ".join(f"+{choice}" for choice in CLASSIFIERS)
        raise LaconicError(f"method {method.name}: +{name}: choose from {choices}")
    of_classifier = _settings(
        classifier_texts, _classifier_defaults(classifier), method, owner=f"+{classifier}"
    )
    parsed = replace(
        method,
        name=f"{canonical}+{_written(classifier, of_classifier)}",
        settings=settings,
        classifier=classifier,
        alpha=of_classifier.pop(ALPHA, None),
        threshold=of_classifier.pop(THRESHOLD, ZERO),
        classifier_settings=of_classifier,
    )
    if parsed.alpha is not None:
        parsed.make_classifier(parsed.alpha, intercept=False)  # raises if alpha is invalid
    return parsed


def _split(text: str) -> tuple[str, dict[str, str]]:
    """The name before the first colon, and the settings after it as text."""
    name, *parts = (part.strip() for part in text.split(":"))
    settings = {}
    for part in filter(None, parts):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise LaconicError(
                f"method {text!r}: {part!r} is not a setting. Write key=value, such as rank=10"
            )
        if key in settings:
            raise LaconicError(f"method {text!r}: {key} is given twice. Leave one out")
        settings[key] = value
    return name, settings


def _recipe_defaults(method: Method) -> Settings:
    parameters = signature(method.recipe).parameters.items()
    return {key: parameter.default for key, parameter in parameters if key != "random_state"}


def _classifier_defaults(classifier: str) -> Settings:
    defaults = settings_of(classifier)
    defaults |= {ALPHA: None} if takes_alpha(classifier) else {}
    return defaults | ({THRESHOLD: ZERO} if classifier in LINEAR else {})


def _float_settings(method: Method) -> frozenset[str]:
    """The settings of the recipe for which 1 and 1.0 are the same value."""
    parameters = signature(method.recipe, eval_str=True).parameters.items()
    kinds = {key: get_args(known.annotation) or (known.annotation,) for key, known in parameters}
    return frozenset(key for key, kind in kinds.items() if float in kind and int not in kind)


def _settings(
    texts: dict[str, str],
    defaults: Settings,
    method: Method,
    floats: Collection[str] = (),
    owner: str = "it",
) -> Settings:
    """The values that differ from their defaults, in the order of the defaults."""
    for key, value in texts.items():
        if key not in defaults:
            choices = f"{owner} takes {', '.join(defaults) or 'none'}"
            if owner == "it" and method.classifier is not None and key in (ALPHA, THRESHOLD):
                example = f"{method.name}+{RIDGE}:{key}={value}"
                choices += f". Settings of the classifier follow it: {example}"
            raise LaconicError(f"method {method.name}: no setting '{key}={value}'; {choices}")
    readers = {ALPHA: _alpha, THRESHOLD: _threshold}
    values = {
        key: readers[key](text, method)
        if key in readers
        else _number(_value(text), as_float=key in floats or type(defaults[key]) is float)
        for key, text in texts.items()
    }
    return {
        key: values[key]
        for key, default in defaults.items()
        if key in values and (type(values[key]), values[key]) != (type(default), default)
    }


def _written(name: str, settings: Settings) -> str:
    return ":".join([name, *(f"{key}={_text(value)}" for key, value in settings.items())])


def _text(value: Any) -> str:
    for word, constant in CONSTANTS.items():
        if value is constant:
            return word
    return str(value)


def _alpha(text: str, method: Method) -> Alpha:
    value = _number(_value(text), as_float=True)
    if LOO in (text.lower(), value):
        return LOO
    if isinstance(value, float) and 0 <= value <= LARGEST:
        return value
    raise LaconicError(f"method {method.name}: alpha={text}: give a number of at least 0, or loo")


def _threshold(text: str, method: Method) -> str:
    choices = THRESHOLDS if method.has_loo_threshold else THRESHOLDS[:-1]
    if text.lower() in choices:
        return text.lower()
    if text.lower() == LOO:
        raise LaconicError(
            f"method {method.name}: threshold=loo: only LARS methods have leave-one-out decisions. "
            "Choose threshold=cv"
        )
    raise LaconicError(f"method {method.name}: threshold={text}: choose from {', '.join(choices)}")


def _number(value: Any, *, as_float: bool) -> Any:
    """The value; a number as a float, and -0.0 as 0.0, so equal numbers are written alike."""
    if as_float and type(value) in (int, float) and abs(value) <= LARGEST:
        return float(value) + 0.0
    return value


def _value(text: str) -> Any:
    """A number, none, true, false, or a word."""
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
