"""What Paul & Drineas say of what is selected: tables 1 and 4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from laconic.papers.findings import Finding, Verdict, judge
from laconic.rows import Size

BSS, LEVERAGE, RANDOM, IG = "BSS", "SS:draw=iid", "RANDOM", "IG"
COLUMNS, AGAIN = "RRQR:beyond=columns", "RRQR:beyond=again"
NAMES = {
    BSS: "BSS",
    LEVERAGE: "leverage",
    COLUMNS: "RRQR",
    RANDOM: "random",
    IG: "IG",
    AGAIN: "RRQR, again",
    "BSS+svm": "BSS, then SVM",
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
# Table 4, for the pairs that TechTC-100 has too.
TABLE_4 = {
    "14630_814096": "ireland,dublin,boulder,colorado,lucan,swords,school,dalkey",
    "10539_300332": "ontario,fishing,county,elliott,schererville,shelbyville,indiana,bullet",
    "10567_11346": "florida,miami,beach,indiana,evansville,music,business,south",
    "10539_194915": "texas,dallas,plano,denton,indiana,schererville,gallery,north",
}
BLIND = "all relevant features lie in one direction of 27, of which no method without labels knows"

TECHTC_300 = "TechTC-300 is not to be had; TechTC-100 has not this pair"
UNAVAILABLE = (
    Finding(
        "48 pairs of TechTC-300, of 147 whose categories occur three times or more",
        "",
        "",
        Verdict.UNAVAILABLE,
        "TechTC-300 is not to be had: the tables are measured on pairs of TechTC-100",
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

# Of table 1: method, size and k to the five features of each set, the first set first.
Features: TypeAlias = Mapping[tuple[str, Size, int], Sequence[Sequence[int]]]


def made(found: Features, worst: float) -> Iterator[Finding]:
    """Table 1; `worst` is the largest mean error of all."""
    yield judge(
        "the error is 0 for all methods, k, r and λ",
        f"{100 * worst:.2f} % at most",
        None if math.isnan(worst) else worst == 0,
        direction=worst <= 0.01,
        paper="0",
    )
    for method in TABLE_1:
        yield cells_of(found, method)
    for method in TABLE_1:
        yield relevant_in_all(found, method)
    yield most_telling(found)


def cells_of(found: Features, method: str) -> Finding:
    """Of the first set; the paper's is another, so that only what luck has no part in can agree."""
    here = {cell: found.get((method, *cell), ((),))[0] for cell in TABLE_1[method]}
    same = sum(tuple(here[cell]) == told for cell, told in TABLE_1[method].items())
    some = [n <= k for (_, k), five in here.items() for n in five]
    first = min(here)
    return judge(
        f"the five features that {NAMES[method]} selects most often, in four cells",
        f"{_listed(here[first])}, …: {same} of {len(here)} cells are the paper's, "
        f"{sum(some)} of {len(some)} features are relevant",
        same == len(here) if all(here.values()) else None,
        direction=2 * sum(some) >= len(some),
        paper=f"{_listed(TABLE_1[method][first])}, …",
        reason=BLIND if method in (BSS, LEVERAGE) else "",
    )


def relevant_in_all(found: Features, method: str) -> Finding:
    sound = [
        max(five) <= k for (own, _, k), sets in found.items() if own == method for five in sets
    ]
    return judge(
        f"… all five are relevant, in every set ({NAMES[method]})",
        f"in {sum(sound)} of {len(sound)} cells",
        all(sound) if sound else None,
        direction=2 * sum(sound) > len(sound),
        paper="in ten sets",
        reason=BLIND if method in (BSS, LEVERAGE) else "",
    )


def most_telling(found: Features) -> Finding:
    """The higher a relevant feature's number, the more it tells."""
    told = {m: _telling((five, k) for (_, k), five in of.items()) for m, of in TABLE_1.items()}
    here = {
        m: _telling((five, k) for (own, _, k), sets in found.items() if own == m for five in sets)
        for m in TABLE_1
    }
    best = max(here, key=lambda method: here[method])
    return judge(
        "BSS selects the most telling features: their mean number, 0 if irrelevant",
        ", ".join(f"{NAMES[method]} {value:.0f}" for method, value in here.items()),
        best == BSS if not np.isnan([*here.values()]).any() else None,
        paper=", ".join(f"{NAMES[method]} {value:.0f}" for method, value in told.items()),
        reason=BLIND,
    )


def _telling(fives: Iterable[tuple[Sequence[int], int]]) -> float:
    numbers = [n if n <= k else 0 for five, k in fives for n in five]
    return float(np.mean(numbers)) if numbers else math.nan


def _listed(features: Iterable[int]) -> str:
    return ", ".join(map(str, features))


def words_found(pair: str, times: Mapping[str, int | None], selections: int) -> Finding:
    """Table 4: the paper's words of a pair, and how often each was selected; None: no such word."""
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
