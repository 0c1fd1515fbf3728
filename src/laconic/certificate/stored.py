"""The model of a file over the vocabulary of its training: a certificate is of what ships."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.model import LinearModel


def as_stored(trained: LinearModel, stored: LinearModel) -> LinearModel:
    """The trained model with the numbers of its file, which may be rounded.

    Parameters
    ----------
    trained : LinearModel
        The model that was saved, over the vocabulary of its training.
    stored : LinearModel
        The same model as read from its file, over its own words in the same order:
        `CompactModel.load(file).model`.

    Returns
    -------
    LinearModel
    """
    whole = stored.n_features_in == trained.n_features_in
    columns = np.arange(trained.n_features_in) if whole else trained.features
    coef = csr_array(stored.coef)
    if (coef.shape[0], columns.size) != (trained.coef.shape[0], coef.shape[1]):
        raise LaconicError(
            f"the stored model has {coef.shape[0]} rows of {coef.shape[1]:,} words, the trained "
            f"model {trained.coef.shape[0]} of {columns.size:,}: give the file of that model"
        )
    parts = coef.data, columns[coef.indices], coef.indptr
    lifted = csr_array(parts, shape=trained.coef.shape)
    return replace(trained, coef=lifted, intercept=stored.intercept, thresholds=stored.thresholds)
