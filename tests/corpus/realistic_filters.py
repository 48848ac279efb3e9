"""Statistical models as they are written in practice: filters, hidden states, mixtures, processes, alignments."""
import logging
import math

import numpy as np

from corpus.registry import mat, program, spd, vec

logger = logging.getLogger(__name__)


# ---------------------------------------------------------------- Kalman filter

def predict(mean, cov, F, Q):
    return F @ mean, F @ cov @ F.T + Q


def update(mean, cov, H, R, z):
    """The state after an observation, and the observation's log likelihood."""
    innovation = z - H @ mean
    S = H @ cov @ H.T + R
    gain = np.linalg.solve(S, H @ cov).T
    sign, logdet = np.linalg.slogdet(S)
    fit = -0.5 * (innovation @ np.linalg.solve(S, innovation) + logdet + len(z) * math.log(2.0 * math.pi))
    mean = mean + gain @ innovation
    cov = (np.eye(len(mean)) - gain @ H) @ cov
    return mean, 0.5 * (cov + cov.T), fit


MISSING = np.array([[0.4], [np.nan], [0.9], [1.3], [np.nan]])


ROTATION = np.array([[1.0, 0.3], [-0.1, 0.9]])


@program(inputs=[(ROTATION, 0.2 * spd(2), np.array([[1.0, 0.2]]), np.array([[0.5]]), MISSING),
                 (np.array([[0.8]]), np.array([[0.3]]), mat(2, 1), spd(2), mat(3, 2, 4)),
                 (np.array([[0.8]]), np.array([[0.3]]), np.ones((1, 1)), np.ones((1, 1)), np.array([[0.7]]))],
         wrt=(0, 1, 2, 3))
def kalman_filter(F, Q, H, R, observations):
    mean = np.zeros(F.shape[0])
    mean[0] = 1.0
    cov = np.eye(F.shape[0])
    total = 0.0
    for z in observations:
        mean, cov = predict(mean, cov, F, Q)
        if np.any(np.isnan(z)):
            continue
        mean, cov, fit = update(mean, cov, H, R, z)
        total += fit
    return -total


# ---------------------------------------------------------------- hidden Markov model

def logsumexp(a, axis=None):
    top = np.max(a, axis=axis, keepdims=True)
    out = np.log(np.sum(np.exp(a - top), axis=axis, keepdims=True)) + top
    return np.squeeze(out, axis=axis)


def log_normalised(a):
    return a - logsumexp(a, axis=-1)[..., None]


@program(inputs=[(mat(3, 3), mat(3, 4, 1), vec(3, 2), [0, 2, 3, 3, 1]), (mat(1, 1), mat(1, 3, 1), vec(1, 2), [1]),
                 (mat(2, 2), mat(2, 2, 1), vec(2, 2), [])], wrt=(0, 1, 2))
def hmm_forward(transitions, emissions, start, symbols):
    log_A = log_normalised(transitions)
    log_B = log_normalised(emissions)
    alpha = log_normalised(start[None, :])[0]
    if not symbols:
        return np.sum(np.exp(alpha) ** 2) + 0.1 * np.sum(log_A ** 2) + 0.1 * np.sum(log_B ** 2)
    for t, symbol in enumerate(symbols):
        if t > 0:
            alpha = logsumexp(alpha[:, None] + log_A, axis=0)
        alpha = alpha + log_B[:, symbol]
    weight = 1e-3 * (np.sum(transitions ** 2) + np.sum(emissions ** 2) + np.sum(start ** 2))
    return weight - logsumexp(alpha)


# ---------------------------------------------------------------- expectation maximisation

def responsibilities(data, weights, means, widths):
    log_p = -0.5 * ((data[:, None] - means) / widths) ** 2 - np.log(widths) + np.log(weights)
    norm = np.logaddexp.reduce(log_p, axis=1)
    return np.exp(log_p - norm[:, None]), np.sum(norm)


@program(inputs=[(np.array([0.1, 0.4, 1.9, 2.2, 2.3, 0.2]), np.array([0.3, 1.5]), 20, 0.02),
                 (vec(1, 3), np.array([0.5, 0.9]), 3, 1e-9), (vec(4, 3), np.array([0.5]), 1, 0.5)], wrt=(0, 1))
def mixture_by_em(data, means, sweeps, tolerance):
    k = len(means)
    weights = np.full(k, 1.0 / k)
    widths = np.ones(k)
    previous = -np.inf
    history = []
    for sweep in range(sweeps):
        r, fit = responsibilities(data, weights, means, widths)
        history.append(fit)
        if fit - previous < tolerance:
            break
        previous = fit
        counts = r.sum(axis=0)
        weights = counts / len(data)
        means = (r.T @ data) / counts
        widths = np.sqrt((r * (data[:, None] - means) ** 2).sum(axis=0) / counts + 0.05)
    else:
        logger.debug("no convergence in %d sweeps", sweeps)
    return history[-1] + np.sum(means * widths) + 0.1 * len(history)


# ---------------------------------------------------------------- Gaussian process

def squared_exponential(X, length, scale):
    d2 = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    return scale ** 2 * np.exp(-0.5 * d2 / length ** 2)


@program(inputs=[(np.array([[0.1], [0.1], [0.9], [1.4]]), vec(4, 2), 0.7, 1.2, -1e-6),
                 (mat(3, 2), vec(3, 1), 0.9, 0.8, 0.1), (mat(1, 1), vec(1, 1), 0.5, 1.1, -1e-9)], wrt=(0, 1, 2, 3))
def gaussian_process_with_retries(X, y, length, scale, noise):
    K = squared_exponential(X, length, scale) + noise * np.eye(len(X))
    jitter = 1e-3
    attempts = 0
    while True:
        attempts += 1
        try:
            L = np.linalg.cholesky(K)
            break
        except np.linalg.LinAlgError:
            if attempts > 5:
                raise
            K = K + jitter * np.eye(len(X))
            jitter *= 10.0
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    fit = 0.5 * y @ alpha + np.sum(np.log(np.diag(L)))
    return (fit + 0.1 * np.sum(X ** 2)) / (1.0 + 0.01 * attempts)


# ---------------------------------------------------------------- alignment

def softmin(a, b, c, gamma):
    values = np.array([-a / gamma, -b / gamma, -c / gamma])
    top = np.max(values)
    return -gamma * (np.log(np.sum(np.exp(values - top))) + top)


@program(inputs=[(vec(4), vec(3, 1), 0.5, None), (mat(5, 2), mat(4, 2, 1), 0.8, 1), (vec(1), vec(1, 1), 1.0, None)],
         wrt=(0, 1, 2))
def soft_dtw(a, b, gamma, band):
    if a.ndim == 1:
        a, b = a[:, None], b[:, None]
    n, m = len(a), len(b)
    cost = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=-1)
    R = np.full((n + 1, m + 1), 1e6)
    R[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if band is not None and abs(i - j) > band:
                continue
            R[i, j] = cost[i - 1, j - 1] + softmin(R[i - 1, j], R[i, j - 1], R[i - 1, j - 1], gamma)
    return R[n, m] + 0.01 * gamma ** 2 * np.sum(a)


# ---------------------------------------------------------------- random walk

@program(inputs=[(0.1, 0.4, 1.0, 6, np.random.default_rng(3)), (-0.3, 0.2, 0.5, 0, np.random.default_rng(4)),
                 (0.2, 1.3, 0.2, 9, np.random.default_rng(5))], wrt=(0, 1, 2))
def walk_with_absorption(drift, sigma, start, steps, rng):
    """The path is reparametrised: its noise doesn't depend on the parameters."""
    path = [start]
    absorbed = False
    for t in range(steps):
        shock = rng.standard_normal()
        position = path[-1] + drift + sigma * shock
        if position < -0.8:
            absorbed = True
            break
        path.append(position)
    mean = sum(path) / len(path)
    spread = math.sqrt(sum((p - mean) ** 2 for p in path) + 0.1)
    return (0.5 if absorbed else 1.0) * spread + path[-1] ** 2 + 0.1 * (drift * drift + sigma ** 2)


# ---------------------------------------------------------------- counts

def log_poisson(k, rate):
    return k * math.log(rate) - rate - math.lgamma(k + 1)


@program(inputs=[({"base": 0.4, "slope": vec(2), "zero": -1.0}, mat(3, 2, 1), [0, 2, 1]),
                 ({"base": -0.2, "slope": vec(1), "zero": 0.3}, mat(1, 1, 1), [3]),
                 ({"base": -0.2, "slope": vec(1), "zero": 0.3}, mat(2, 1, 1), [0, 0])])
def zero_inflated_counts(params, covariates, counts):
    p = 1.0 / (1.0 + math.exp(-params["zero"]))
    fit, zeros = 0.0, 0
    for row, k in zip(covariates, counts, strict=True):
        rate = math.exp(params["base"] + float(row @ params["slope"]))
        match k:
            case 0:
                zeros += 1
                fit += math.log(p + (1.0 - p) * math.exp(-rate))
            case int() if k > 0:
                fit += math.log1p(-p) + log_poisson(k, rate)
            case _:
                raise ValueError(f"a count of {k}")
    penalty = 0.05 * np.sum(params["slope"] ** 2)
    return penalty - fit + 0.01 * zeros
