"""LARS from its definition: dense, slow, everything recomputed at every corner."""

from __future__ import annotations

import numpy as np

LOWER = {"squared": -np.inf, "squared_hinge": -np.inf, "modified_huber": -1.0}
UPPER = {"squared": np.inf, "squared_hinge": 1.0, "modified_huber": 1.0}


def loss_value(margins, loss):
    """½(1 − m)², 0 where the margin is wide, a tangent where it is badly wrong."""
    if loss == "logistic":
        return np.logaddexp(0.0, -margins).sum()
    curve = 0.5 * (1 - margins) ** 2
    if loss != "squared":
        curve = np.where(margins >= 1, 0.0, curve)
    if loss == "modified_huber":
        curve = np.where(margins <= -1, -2.0 * margins, curve)
    return curve.sum()


def loss_slope(margins, loss):
    """The derivative by the margin."""
    if loss == "logistic":
        return -1 / (1 + np.exp(margins))
    slope = margins - 1
    if loss != "squared":
        slope = np.where(margins >= 1, 0.0, slope)
    if loss == "modified_huber":
        slope = np.where(margins <= -1, -2.0, slope)
    return slope


def curved(margins, loss):
    if loss == "logistic":
        p = 1 / (1 + np.exp(-margins))
        return p * (1 - p)
    return ((margins > LOWER[loss]) & (margins < UPPER[loss])).astype(float)


def gradient(X, y_signed, beta, loss, alpha):
    return alpha * beta + X.T @ (y_signed * loss_slope(y_signed * (X @ beta), loss))


def objective(X, y_signed, beta, loss, alpha, entry_signs, l1):
    return (
        0.5 * alpha * beta @ beta
        + loss_value(y_signed * (X @ beta), loss)
        - l1 * entry_signs @ beta
    )


def minimiser(X, y_signed, loss, alpha, entry_signs, l1):
    """The minimum of f − l1·s'β by Newton's method with halved steps; alpha > 0."""
    beta = np.zeros(X.shape[1])
    for _ in range(200):
        g = gradient(X, y_signed, beta, loss, alpha) - l1 * entry_signs
        if np.abs(g).max(initial=0.0) < 1e-13 * (1 + np.abs(X).sum()):
            break
        W = curved(y_signed * (X @ beta), loss)
        step = np.linalg.solve(alpha * np.eye(X.shape[1]) + X.T @ (W[:, None] * X), g)
        share, before = 1.0, objective(X, y_signed, beta, loss, alpha, entry_signs, l1)
        while (
            share > 1e-6
            and objective(X, y_signed, beta - share * step, loss, alpha, entry_signs, l1)
            > before + 1e-13
        ):
            share /= 2
        beta = beta - share * step
    return beta


def lars_by_definition(X, y_signed, loss, alpha, bias=True, most=None):
    """(columns, coefficients with the bias last, λ₁) at each entry of a feature, and at the end.

    Which documents are in the curved part is evaluated a little further down the path, so
    documents exactly on a border are where they are going.
    """
    n_docs, n_terms = X.shape
    whole = np.hstack([X, np.ones((n_docs, 1))]) if bias else X
    inside, entry_signs = ([n_terms], [0.0]) if bias else ([], [])
    beta = minimiser(whole[:, inside], y_signed, loss, alpha, np.array(entry_signs), 0.0)
    residuals = y_signed * loss_slope(y_signed * (whole[:, inside] @ beta), loss)
    l1 = first = np.abs(X.T @ residuals).max(initial=0.0)
    found = []
    while l1 > 1e-9 * first and (most is None or len(found) < most):
        A, s = whole[:, inside], np.array(entry_signs)
        beta = minimiser(A, y_signed, loss, alpha, s, l1)
        margins = y_signed * (A @ beta)
        ahead = y_signed * (A @ minimiser(A, y_signed, loss, alpha, s, l1 - 1e-6 * first))
        W = curved(ahead, loss)
        turn = -np.linalg.solve(alpha * np.eye(len(inside)) + A.T @ (W[:, None] * A), s)
        speeds = y_signed * (A @ turn)
        g = X.T @ (y_signed * loss_slope(margins, loss))
        change = X.T @ (W * (A @ turn))
        entries = {
            k: step
            for k in range(n_terms)
            if k not in inside and (step := entry_step(g[k], change[k], l1)) is not None
        }
        corner = min(
            (
                gap / speed
                for gap, speed in gaps(margins, speeds, loss)
                if gap / speed > 2e-6 * first
            ),
            default=np.inf,
        )
        entry = min(entries.values(), default=np.inf)
        if entry <= corner and entry < l1 * (1 - 1e-9):
            l1 -= entry
            if any(column < n_terms for column in inside):
                found.append((list(inside), minimiser(A, y_signed, loss, alpha, s, l1), l1))
            chosen = min(k for k, step in entries.items() if step <= entry + 1e-7 * first)
            inside.append(chosen)
            entry_signs.append(np.sign(g[chosen] + entry * change[chosen]))
        elif corner < l1:
            l1 -= corner
        else:
            l1 = 0.0
            found.append((list(inside), minimiser(A, y_signed, loss, alpha, s, 0.0), 0.0))
    return found


def entry_step(g, change, l1):
    """The smallest step at which |g + step·change| = l1 − step, from either side."""
    steps = [
        max(l1 - side * g, 0.0) / (1 + side * change)
        for side in (1, -1)
        if 1 + side * change > 1e-9
    ]
    return min(steps, default=None)


def gaps(margins, speeds, loss):
    """Distance and speed of every document towards a border."""
    for border in {LOWER[loss], UPPER[loss]}:
        for margin, speed in zip(margins, speeds, strict=True):
            if np.isfinite(border) and abs(speed) > 1e-12 and (border - margin) * speed > 0:
                yield abs(border - margin), abs(speed)


def logistic_by_bisection(X, y_signed, alpha, bias=True):
    """As `lars_by_definition`: each entry by halving the way between two values of λ₁."""
    n_docs, n_terms = X.shape
    whole = np.hstack([X, np.ones((n_docs, 1))]) if bias else X
    inside, entry_signs = ([n_terms], [0.0]) if bias else ([], [])

    def state(l1):
        A = whole[:, inside]
        beta = minimiser(A, y_signed, "logistic", alpha, np.array(entry_signs), l1)
        g = X.T @ (y_signed * loss_slope(y_signed * (A @ beta), "logistic"))
        g[[column for column in inside if column < n_terms]] = 0.0
        return beta, g

    _, g = state(0.0)
    l1 = np.abs(g).max()
    found = []
    while True:
        _, g = state(l1)
        chosen = int(np.abs(g).argmax())
        inside.append(chosen)
        entry_signs.append(np.sign(g[chosen]))
        outside = n_terms + bias - len(inside)
        low, high = 0.0, l1
        while outside and high - low > 1e-13 * l1:
            middle = (low + high) / 2
            if np.abs(state(middle)[1]).max() >= middle:
                low = middle
            else:
                high = middle
        l1 = high if outside else 0.0
        found.append((list(inside), state(l1)[0], l1))
        if not outside:
            return found


def logistic_optimum(A, y_signed, alpha, target, start):
    """The β with gradient λ₂β + A'ρ(β) = target over few columns, by Newton with halved steps.

    A is dense and has full column rank, so alpha may be 0. A step is halved until the objective
    falls enough. Where rounding hides any fall, the best gradient is kept.
    """
    beta = np.array(start, dtype=float)

    def value(beta):
        return (
            0.5 * alpha * beta @ beta
            + np.logaddexp(0.0, -y_signed * (A @ beta)).sum()
            - target @ beta
        )

    def slope(beta):
        return alpha * beta - A.T @ (y_signed * sigmoid(-y_signed * (A @ beta))) - target

    g, rounding = slope(beta), 1e-13 * np.abs(A).sum(axis=0).max()
    for _ in range(300):
        if np.abs(g).max() <= rounding:
            break
        w = sigmoid(A @ beta) * sigmoid(-(A @ beta))
        step = np.linalg.solve(alpha * np.eye(beta.size) + A.T @ (w[:, None] * A), g)
        share, here = 1.0, value(beta)
        while share > 1e-3 and value(beta - share * step) > here - 1e-4 * share * (g @ step):
            share /= 2
        if share <= 1e-3:  # rounding: only the gradient can tell
            share = 1.0
            if np.abs(slope(beta - step)).max() >= np.abs(g).max():
                break
        beta = beta - share * step
        g = slope(beta)
    return beta


def sigmoid(values):
    return np.where(values >= 0, 1.0, np.exp(-np.abs(values))) / (1 + np.exp(-np.abs(values)))


def logistic_between(X, y_signed, columns, entry_signs, alpha, l1, start):
    """The logistic path at one λ₁ for given features with a bias: (β with the bias last, g).

    X may be sparse; g has the gradient of every feature.
    """
    A = X[:, columns]
    A = np.hstack([A.toarray() if hasattr(A, "toarray") else A, np.ones((X.shape[0], 1))])
    beta = logistic_optimum(A, y_signed, alpha, l1 * np.append(entry_signs, 0.0), start)
    g = np.asarray(X.T @ (-y_signed * sigmoid(-y_signed * (A @ beta))))
    g[columns] += alpha * beta[:-1]
    return beta, g


def next_logistic_entry(
    X, y_signed, columns, entry_signs, alpha, l1, start, grid=30, smallest=1e-3
):
    """(λ₁, feature) of the next entry: down a fine grid to the first violation, then bisection."""

    def state(here, start):
        beta, g = logistic_between(X, y_signed, columns, entry_signs, alpha, here, start)
        g[columns] = 0.0
        return beta, np.abs(g)

    high, beta = l1, start
    for low in l1 * np.geomspace(1.0, smallest, grid)[1:]:
        ahead, g = state(low, beta)
        if g.max() > low:
            break
        high, beta = low, ahead
    else:
        return None
    while high - low > 1e-12 * l1:
        middle = (high + low) / 2
        ahead, g = state(middle, beta)
        if g.max() > middle:
            low = middle
        else:
            high, beta = middle, ahead
    return high, int(state(low, beta)[1].argmax())


def left_out_by_definition(X, y_signed, point, loss, alpha, bias=True):
    """f(x_i) of a model trained without i, with features, their signs, λ₁ and parts fixed."""
    A = X[:, point.columns]
    beta = point.coef
    if bias:
        A, beta = np.hstack([A, np.ones((X.shape[0], 1))]), np.append(beta, point.intercept)
    margins = y_signed * (A @ beta)
    inside = np.isin(np.arange(y_signed.size), point.examples)
    straight = ~inside & (margins <= LOWER[loss])
    g = gradient(A, y_signed, beta, loss, alpha)
    entry_signs = np.round(g / point.l1) if point.l1 > 0 else np.zeros(g.size)
    found = np.empty(y_signed.size)
    for doc in range(y_signed.size):
        other = np.arange(y_signed.size) != doc
        S, L = inside & other, straight & other
        H = alpha * np.eye(A.shape[1]) + A[S].T @ A[S]
        right = A[S].T @ y_signed[S] + 2 * A[L].T @ y_signed[L] + point.l1 * entry_signs
        found[doc] = A[doc] @ np.linalg.solve(H, right)
    return found


def crossings_by_definition(margins, speeds, parts, held, lower, upper, slow):
    """The step of each document to the next border, infinite for those that come to none."""
    steps = np.full(margins.size, np.inf)
    for doc, (margin, speed, part) in enumerate(zip(margins, speeds, parts, strict=True)):
        if held[doc] or abs(speed) <= slow:
            continue
        # the border ahead, and whether it is one of the part the document is in
        border = {"zero": upper, "linear": lower}.get(part, upper if speed > 0 else lower)
        if part == "squared" or (speed < 0) == (part == "zero"):
            gap = border - margin if speed > 0 else margin - border
            steps[doc] = max(gap, 0.0) / abs(speed)
    return steps
