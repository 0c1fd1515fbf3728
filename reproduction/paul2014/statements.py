"""Statements of Paul & Drineas about the selected features: tables 1 and 4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from laconic.types import Size
from reproduction.statements import Finding, Verdict, judge

BSS, LEVERAGE, RANDOM, IG = "BSS", "SS:draw=iid", "RANDOM", "IG"
COLUMNS, AGAIN = "RRQR:beyond=columns", "RRQR:beyond=again"
NAMES = {
    BSS: "BSS",
    LEVERAGE: "leverage",
    COLUMNS: "RRQR",
    RANDOM: "random",
    IG: "IG",
    AGAIN: "RRQR, again",
    "BSS+svm": "BSS + SVM",
}
# Table 1: the five features selected most often, by size and k.
TABLE_1: dict[str, dict[tuple[Size, int], tuple[int, ...]]] = {
    BSS: {
        (80, 90): (89, 88, 87, 86, 85),
        (80, 100): (100, 99, 98, 97, 95),
        (90, 90): (88, 87, 86, 85, 84),
        (90, 100): (100, 99, 98, 97, 95),
    },
    COLUMNS: {
        (80, 90): (90, 80, 79, 78, 77),
        (80, 100): (100, 80, 79, 78, 77),
        (90, 90): (90, 89, 88, 87, 86),
        (90, 100): (100, 90, 89, 88, 87),
    },
    LEVERAGE: {
        (80, 90): (73, 85, 84, 81, 87),
        (80, 100): (93, 87, 95, 97, 96),
        (90, 90): (67, 88, 83, 87, 85),
        (90, 100): (100, 97, 92, 48, 58),
    },
    IG: {
        (80, 90): (80, 79, 78, 77, 76),
        (80, 100): (80, 79, 78, 77, 76),
        (90, 90): (90, 89, 88, 87, 86),
        (90, 100): (90, 89, 88, 87, 86),
    },
}
# Table 4, for the pairs that are in TechTC-100 too.
TABLE_4 = {
    "14630_814096": "ireland,dublin,boulder,colorado,lucan,swords,school,dalkey",
    "10539_300332": "ontario,fishing,county,elliott,schererville,shelbyville,indiana,bullet",
    "10567_11346": "florida,miami,beach,indiana,evansville,music,business,south",
    "10539_194915": "texas,dallas,plano,denton,indiana,schererville,gallery,north",
}
BLIND = "all relevant features lie in one direction of 27, unknown to unsupervised methods"

TECHTC_300 = "TechTC-300 is unavailable; TechTC-100 does not have this pair"
UNAVAILABLE = (
    Finding(
        "48 pairs of TechTC-300, of 147 whose categories occur at least three times",
        "",
        "",
        Verdict.UNAVAILABLE,
        "TechTC-300 is unavailable: the tables are measured on pairs of TechTC-100",
    ),
    *(
        Finding(f"table 4: BSS always selects {words}", pair, "", Verdict.UNAVAILABLE, TECHTC_300)
        for pair, words in (
            ("1092_789236", "naval, shipyard, submarine, triton, music, opera, libretto, theatre"),
            ("17899_278949", "sailing, cruising, boat, yacht, racing, michigan, leelanau, casino"),
            (
                "17899_48446",
                "vacation, lodging, michigan, asbestos, chemical, analytical, laboratory",
            ),
        )
    ),
)

# Table 1: the five features of each set, in order of the sets, by method, size and k.
Features: TypeAlias = Mapping[tuple[str, Size, int], Sequence[Sequence[int]]]


def synthetic(features: Features, worst: float) -> Iterator[Finding]:
    """Table 1; `worst` is the largest mean error."""
    yield judge(
        "the error is 0 for all methods, k, r and alpha",
        f"{100 * worst:.2f} % at most",
        None if math.isnan(worst) else worst == 0,
        direction=worst <= 0.01,
        paper="0",
    )
    for method in TABLE_1:
        yield cells_of(features, method)
    for method in TABLE_1:
        yield relevant_in_all(features, method)
    yield most_informative(features)


def cells_of(features: Features, method: str) -> Finding:
    """The first set; the paper's set differs, so only what is not random can agree."""
    ours = {cell: features.get((method, *cell), ((),))[0] for cell in TABLE_1[method]}
    same = sum(tuple(ours[cell]) == paper for cell, paper in TABLE_1[method].items())
    relevant = [n <= k for (_, k), five in ours.items() for n in five]
    first = min(ours)
    return judge(
        f"the five features that {NAMES[method]} selects most often, in four cells",
        f"{_listed(ours[first])}, …: {same} of {len(ours)} cells are the paper's, "
        f"{sum(relevant)} of {len(relevant)} features are relevant",
        same == len(ours) if all(ours.values()) else None,
        direction=2 * sum(relevant) >= len(relevant),
        paper=f"{_listed(TABLE_1[method][first])}, …",
        reason=BLIND if method in (BSS, LEVERAGE) else "",
    )


def relevant_in_all(features: Features, method: str) -> Finding:
    relevant = [
        max(five) <= k for (name, _, k), sets in features.items() if name == method for five in sets
    ]
    return judge(
        f"… all five are relevant, in every set ({NAMES[method]})",
        f"in {sum(relevant)} of {len(relevant)} cells",
        all(relevant) if relevant else None,
        direction=2 * sum(relevant) > len(relevant),
        paper="in ten sets",
        reason=BLIND if method in (BSS, LEVERAGE) else "",
    )


def most_informative(features: Features) -> Finding:
    """The higher the number of a relevant feature, the more informative it is."""
    paper = {m: _mean_number((five, k) for (_, k), five in of.items()) for m, of in TABLE_1.items()}
    ours = {
        m: _mean_number(
            (f, k) for (name, _, k), sets in features.items() if name == m for f in sets
        )
        for m in TABLE_1
    }
    best = max(ours, key=lambda method: ours[method])
    return judge(
        "BSS selects the most informative features: mean feature number, 0 if irrelevant",
        ", ".join(f"{NAMES[method]} {value:.0f}" for method, value in ours.items()),
        best == BSS if not np.isnan([*ours.values()]).any() else None,
        paper=", ".join(f"{NAMES[method]} {value:.0f}" for method, value in paper.items()),
        reason=BLIND,
    )


def _mean_number(fives: Iterable[tuple[Sequence[int], int]]) -> float:
    numbers = [n if n <= k else 0 for five, k in fives for n in five]
    return float(np.mean(numbers)) if numbers else math.nan


def _listed(features: Iterable[int]) -> str:
    return ", ".join(map(str, features))


def words_selected(pair: str, times: Mapping[str, int | None], selections: int) -> Finding:
    """Table 4: how often each of the paper's words of a pair is selected; None: no such word."""
    always = [word for word, n in times.items() if n == selections]
    others = [
        f"{word} {'is not in the corpus' if n is None else f'in {n}'}"
        for word, n in times.items()
        if n != selections
    ]
    often = [n is not None and n >= 0.9 * selections for n in times.values()]
    return judge(
        f"{pair}: BSS selects {', '.join(times)} in all training sets",
        f"{len(always)} of {len(times)} words in all {selections}"
        + (f"; {', '.join(others)}" if others else ""),
        not others if times else None,
        direction=2 * sum(often) > len(often),
        paper="all 100",
        reason="nearly always" if all(often) else "",
    )
