"""Likelihoods, filters and estimators."""
import math

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(5), 0.2, 0.1, 0.7), (vec(1, 1), 0.3, 0.2, 0.5)], wrt=(0, 1, 2, 3))
def garch_likelihood(returns, omega, alpha, beta):
    n = len(returns)
    sigma2 = omega / (1.0 - beta)
    ll = 0.0
    for t in range(n):
        ll -= 0.5 * (math.log(sigma2) + returns[t] ** 2 / sigma2)
        sigma2 = omega + alpha * returns[t] ** 2 + beta * sigma2
    return ll - math.log(n + sigma2)


@program(inputs=[(vec(2), mat(2, 2), mat(2, 3, 1), [0, 2, 1]), (vec(1, 2), mat(1, 1, 3), mat(1, 1, 4), [0]),
                 (vec(2, 2), mat(2, 2, 3), mat(2, 2, 4), [])], wrt=(0, 1, 2))
def hidden_markov_forward(start, transition, emission, observed):
    a = np.exp(start) / np.sum(np.exp(start))
    T = np.exp(transition)
    T /= np.sum(T, axis=1, keepdims=True)
    E = np.exp(emission)
    E = E / E.sum(axis=1)[:, None]
    ll = a[0] * T[-1, 0] * E[0, 0]
    for o in observed:
        a = (a @ T) * E[:, o]
        c = np.sum(a)
        a /= c
        ll += np.log(c)
    return ll


@program(inputs=[(vec(4), 0.1, 0.5), (vec(1, 1), 0.3, 0.2)], wrt=(0, 1, 2))
def kalman_scalar(z, q, r):
    mean, var = 0.0, 1.0
    loss = 0.0
    for obs in z:
        var += q
        gain = var / (var + r)
        innovation = obs - mean
        mean, var = mean + gain * innovation, (1.0 - gain) * var
        loss += innovation ** 2 / (var + r)
        if innovation > 0.5:
            var *= 1.5
    return loss + mean


@program(inputs=[(mat(4, 2), mat(2, 2, 1), 2), (mat(1, 1, 2), mat(2, 1, 3), 1), (mat(3, 1, 2), mat(1, 1, 3), 0)],
         wrt=(0, 1))
def soft_k_means(X, centres, rounds):
    for _ in range(rounds):
        d = np.sum((X[:, None, :] - centres[None, :, :]) ** 2, axis=2)
        w = np.exp(-d)
        w = w / np.sum(w, axis=1, keepdims=True)
        centres = (w.T @ X) / (np.sum(w, axis=0)[:, None] + 0.1)
    spread = 0.0
    for c in centres:
        spread += np.min(np.sum((X - c) ** 2, axis=1))
    return spread + np.sum(centres ** 2)


@program(inputs=[(mat(4, 3), np.array([0, 2, 1, 1])), (mat(1, 2, 2), np.array([1]))])
def cross_entropy(logits, labels):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    logp = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    n = len(labels)
    loss = -np.mean(logp[np.arange(n), labels])
    if n > 1:
        p = np.exp(logp)
        loss -= 0.1 * np.sum(p * logp) / n
    elif np.argmax(logits) == labels[0]:
        loss *= 2.0
    else:
        loss = loss ** 2
    return loss


@program(inputs=[(vec(3), mat(3, 2), mat(2, 2, 1), 0.6), (vec(1, 1), mat(1, 1, 2), mat(1, 1, 3), 1.2)], wrt=(0, 1, 3))
def gaussian_process(y, X, new, length):
    n = X.shape[0]
    K = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            d = X[i] - X[j]
            K[i, j] = np.exp(-0.5 * (d @ d) / length ** 2)
        K[i, i] += 0.1
    alpha = np.linalg.solve(K, y)
    lml = -0.5 * y @ alpha - 0.5 * np.linalg.slogdet(K)[1]
    for p in new:
        k = np.exp(-0.5 * np.sum((X - p) ** 2, axis=1) / length ** 2)
        lml += np.dot(k, alpha)
    return lml


@program(inputs=[(vec(4), vec(4, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def soft_dynamic_time_warping(x, y):
    m, n = len(x), len(y)
    D = np.full((m + 1, n + 1), 50.0)
    D[0, 0] = 0.0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            a, b, c = D[i - 1, j], D[i, j - 1], D[i - 1, j - 1]
            low = min(a, b, c)
            soft = low - math.log(math.exp(low - a) + math.exp(low - b) + math.exp(low - c))
            D[i, j] = (x[i - 1] - y[j - 1]) ** 2 + soft
    return D[m, n] + 0.1 * x[0]


@program(inputs=[(vec(6), 2.0, 5), (vec(1, 1), 0.5, 3), (vec(3, 1), 1.0, 0)], wrt=(0, 1))
def robust_mean(x, c, rounds):
    mu = np.mean(x)
    k = 0
    while k < rounds:
        r = (x - mu) / c
        w = 1.0 / (1.0 + r * r)
        new = np.sum(w * x) / np.sum(w)
        if abs(new - mu) > 1e-3:
            mu = new
        else:
            mu = 0.5 * (mu + new)
            rounds -= 1
        k += 1
    return mu * mu + 0.1 * c


@program(inputs=[(mat(5, 2), 0.8), (mat(2, 1, 1), 0.3)], wrt=(0, 1))
def kernel_density(X, h):
    n, d = X.shape
    logs = []
    for i in range(n):
        s = 0.0
        for j in range(n):
            if i != j:
                u = (X[i] - X[j]) / h
                s += np.exp(-0.5 * np.sum(u * u))
        logs.append(np.log(s / ((n - 1) * h ** d)))
    return np.mean(np.array(logs))


@program(inputs=[(vec(5), vec(2, 1), 1.0), (vec(1, 2), vec(2, 3), 0.2), (vec(2, 2), vec(0, 3), 0.2)], wrt=(0, 2))
def autoregression(y, phi, scale):
    p = phi.size
    scale = abs(scale)
    res = y.copy()
    for t in range(y.size):
        for k in range(min(t, p)):
            res[t] -= phi[k] * y[t - k - 1]
    z = res / scale
    ll = -0.5 * np.sum(z * z)
    ll -= len(y) * math.log(scale)
    return ll


@program(inputs=[(vec(6), vec(6, 1), 3), (vec(2, 2), vec(2, 3), 2), (vec(1, 2), vec(1, 3), 4)], wrt=(0, 1))
def mini_batch_training(x, y, batch):
    slope, offset = 0.1, 0.0
    for epoch in range(2):
        rate = 0.2 / (1.0 + epoch)
        for start in range(0, len(x), batch):
            xb = x[start:start + batch]
            err = slope * xb + offset - y[start:start + batch]
            slope -= rate * np.mean(err * xb)
            offset -= rate * np.mean(err)
    return np.mean((slope * x + offset - y) ** 2)
