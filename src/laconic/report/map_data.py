"""The map of the page: documents on two directions, as many as fit into a page."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic.report.charts import plain
from laconic.studies.analysis.projection_map import Axis, Basis, Directions

# Limits for all maps of a page together: documents, and characters of their embedded titles.
MAX_DOCUMENTS = 1500
MAX_CHARACTERS = 80_000
# Each map has at least so many documents.
MIN_DOCUMENTS = 250
# Coordinates are embedded as integers up to this.
MAX_COORDINATE = 32_767


def map_data(maps: Sequence[Directions]) -> list[dict[str, Any]]:
    """The data of map.js. Every prefix of the documents is a stratified sample."""
    return [_map(directions, _n_shown(directions, len(maps))) for directions in maps]


def _n_shown(directions: Directions, n_maps: int) -> int:
    """How many documents of a map fit: a letter beyond ASCII takes six characters."""
    lengths = np.cumsum([len(json.dumps(plain(title))) for title in directions.documents])
    fitting = int(np.searchsorted(lengths, MAX_CHARACTERS // n_maps, side="right"))
    return max(MIN_DOCUMENTS, min(fitting, MAX_DOCUMENTS // n_maps))


def _map(directions: Directions, n_shown: int) -> dict[str, Any]:
    coordinates = np.array(directions.coordinates[:n_shown], dtype=np.float64)
    scale = float(np.abs(coordinates).max(initial=0.0)) or 1.0
    steps = np.rint(coordinates * (MAX_COORDINATE / scale)).astype("<i2")
    return {
        "problem": plain(directions.problem),
        "classes": [plain(name) for name in directions.classes],
        "counts": list(directions.counts),
        "documents": [plain(title) for title in directions.documents[:n_shown]],
        "labels": [list(labels) for labels in directions.labels[:n_shown]],
        "scale": scale / MAX_COORDINATE,
        "coordinates": base64.b64encode(steps.tobytes()).decode("ascii"),
        "bases": [_basis(basis) for basis in directions.bases],
    }


def _basis(basis: Basis) -> dict[str, Any]:
    return {
        "name": basis.name,
        "rotation": [list(line) for line in basis.rotation],
        "axes": [_axis(axis) for axis in basis.axes],
    }


def _axis(axis: Axis) -> dict[str, list[str]]:
    return {
        "positive": [plain(word) for word, _ in axis.positive],
        "negative": [plain(word) for word, _ in axis.negative],
    }
