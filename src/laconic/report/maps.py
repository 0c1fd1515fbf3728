"""The map of the page: documents on two directions, as much of it as a page can carry."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic.report.charts import plain
from laconic.study.directions import Axis, Basis, Directions

# Documents on all maps of a page together, and characters of their names as they are embedded;
# each map has at least so many documents.
MOST_DOCUMENTS = 1500
MOST_CHARACTERS = 80_000
FEWEST_DOCUMENTS = 250
# The largest coordinate, as it is embedded.
LARGEST = 32_767


def map_data(maps: Sequence[Directions]) -> list[dict[str, Any]]:
    """What the script of the map needs. Every beginning of the documents is a fair sample."""
    return [_map(one, _room(one, len(maps))) for one in maps]


def _room(one: Directions, n_maps: int) -> int:
    """How many documents of a map fit: a letter beyond ASCII takes six characters."""
    lengths = np.cumsum([len(json.dumps(plain(name))) for name in one.documents])
    named = int(np.searchsorted(lengths, MOST_CHARACTERS // n_maps, side="right"))
    return max(FEWEST_DOCUMENTS, min(named, MOST_DOCUMENTS // n_maps))


def _map(one: Directions, most: int) -> dict[str, Any]:
    coordinates = np.array(one.coordinates[:most], dtype=np.float64)
    scale = float(np.abs(coordinates).max(initial=0.0)) or 1.0
    steps = np.rint(coordinates * (LARGEST / scale)).astype("<i2")
    return {
        "problem": plain(one.problem),
        "classes": [plain(name) for name in one.classes],
        "counts": list(one.counts),
        "documents": [plain(name) for name in one.documents[:most]],
        "labels": [list(labels) for labels in one.labels[:most]],
        "scale": scale / LARGEST,
        "coordinates": base64.b64encode(steps.tobytes()).decode("ascii"),
        "bases": [_basis(basis) for basis in one.bases],
    }


def _basis(basis: Basis) -> dict[str, Any]:
    return {
        "name": basis.name,
        "turn": [list(line) for line in basis.turn],
        "axes": [_axis(axis) for axis in basis.axes],
    }


def _axis(axis: Axis) -> dict[str, list[str]]:
    return {
        "positive": [plain(word) for word, _ in axis.positive],
        "negative": [plain(word) for word, _ in axis.negative],
    }
