"""Gaussian mixture model log-likelihood with Wishart prior (ADBench objective, written from the formula)."""
import math

import numpy as np

from ._common import rng

ACTIVE = (0, 1, 2)
SIZES = {"S": (500, 8, 8), "M": (2000, 20, 20), "L": (10000, 32, 50)}


def make_args(size):
    n, d, k = SIZES[size]
    r = rng(32)
    return (r.standard_normal(k), r.standard_normal((k, d)), 0.3 * r.standard_normal((k, d + d * (d - 1) // 2)),
            r.standard_normal((n, d)), 1.0, 0)


def logsumexp(a):
    m = np.max(a)
    return m + np.log(np.sum(np.exp(a - m)))


def log_wishart(icf, gamma, m, d):
    k = icf.shape[0]
    n = d + m + 1
    lgam = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        lgam += math.lgamma(0.5 * (n - j))
    const = n * d * math.log(gamma / math.sqrt(2.0)) - lgam
    frob = np.sum(np.exp(icf[:, :d]) ** 2) + np.sum(icf[:, d:] ** 2)
    return 0.5 * gamma * gamma * frob - m * np.sum(icf[:, :d]) - k * const


def gmm(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    terms = np.zeros((n, k))
    for c in range(k):
        L = np.zeros((d, d))
        pos = d
        for j in range(d):
            L[j, j] = np.exp(icf[c, j])
            L[j + 1:, j] = icf[c, pos:pos + d - j - 1]
            pos += d - j - 1
        y = (x - means[c]) @ L.T
        terms[:, c] = alphas[c] + np.sum(icf[c, :d]) - 0.5 * np.sum(y * y, axis=1)
    mx = np.max(terms, axis=1)
    lse = mx + np.log(np.sum(np.exp(terms - mx[:, None]), axis=1))
    return (-0.5 * n * d * math.log(2.0 * math.pi) + np.sum(lse) - n * logsumexp(alphas)
            + log_wishart(icf, gamma, m, d))


def loss(alphas, means, icf, x, gamma, m):
    return gmm(alphas, means, icf, x, gamma, m)


def func_loss(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    # position of L[i, j] in one row of icf, plus a slot of zeros at the end
    nl = icf.shape[1]
    index = _func_index(d, nl)
    q = icf[:, :d]
    full = np.concatenate((np.exp(q), icf[:, d:], np.zeros((k, 1))), axis=1)
    cols = []
    for c in range(k):
        L = np.reshape(full[c][index], (d, d))
        y = (x - means[c]) @ L.T
        cols.append(alphas[c] + np.sum(q[c]) - 0.5 * np.sum(y * y, axis=1))
    terms = np.stack(cols, axis=1)
    mx = np.max(terms, axis=1)
    lse = mx + np.log(np.sum(np.exp(terms - mx[:, None]), axis=1))
    return (-0.5 * n * d * math.log(2.0 * math.pi) + np.sum(lse) - n * logsumexp(alphas)
            + log_wishart(icf, gamma, m, d))


def _func_index(d, nl):
    import numpy
    index = numpy.full((d, d), nl)
    pos = d
    for j in range(d):
        index[j, j] = j
        index[j + 1:, j] = numpy.arange(pos, pos + d - j - 1)
        pos += d - j - 1
    return index.ravel()


def jax_loss(alphas, means, icf, x, gamma, m):
    """Expert form: vmap over components, gathered triangle."""
    import jax
    import jax.numpy as jnp
    n, d = x.shape
    k = alphas.shape[0]
    index = _func_index(d, icf.shape[1])
    q = icf[:, :d]
    full = jnp.concatenate((jnp.exp(q), icf[:, d:], jnp.zeros((k, 1))), axis=1)
    L = full[:, index].reshape(k, d, d)
    y = jnp.einsum("ncj,cij->nci", x[:, None, :] - means[None], L)
    terms = alphas + jnp.sum(q, axis=1) - 0.5 * jnp.sum(y * y, axis=2)
    lgam = 0.25 * d * (d - 1) * math.log(math.pi)
    nn = d + m + 1
    for j in range(d):
        lgam += math.lgamma(0.5 * (nn - j))
    const = nn * d * math.log(gamma / math.sqrt(2.0)) - lgam
    frob = jnp.sum(jnp.exp(q) ** 2) + jnp.sum(icf[:, d:] ** 2)
    return (-0.5 * n * d * math.log(2.0 * math.pi) + jnp.sum(jax.nn.logsumexp(terms, axis=1))
            - n * jax.nn.logsumexp(alphas) + 0.5 * gamma * gamma * frob - m * jnp.sum(q) - k * const)


def hand_value_and_grad(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    terms = np.empty((n, k))
    rows, cols = np.tril_indices(d, -1)
    order = np.lexsort((rows, cols))
    rows, cols = rows[order], cols[order]
    eq = np.exp(icf[:, :d])
    diag = np.arange(d)
    saved = []
    for c in range(k):
        L = np.zeros((d, d))
        L[diag, diag] = eq[c]
        L[rows, cols] = icf[c, d:]
        xc = x - means[c]
        y = xc @ L.T
        saved.append((L, xc, y))
        t = np.einsum("ij,ij->i", y, y)
        t *= -0.5
        t += alphas[c] + np.sum(icf[c, :d])
        terms[:, c] = t
    mx = np.max(terms, axis=1)
    e = np.exp(terms - mx[:, None])
    s = np.sum(e, axis=1)
    e /= s[:, None]
    am = np.max(alphas)
    ea = np.exp(alphas - am)
    sa = np.sum(ea)
    val = (-0.5 * n * d * math.log(2.0 * math.pi) + np.sum(mx + np.log(s)) - n * (am + np.log(sa))
           + log_wishart(icf, gamma, m, d))
    resp = np.sum(e, axis=0)
    ab = resp - n * ea / sa
    mb = np.empty_like(means)
    ib = np.empty_like(icf)
    ib[:, d:] = gamma * gamma * icf[:, d:]
    ib[:, :d] = gamma * gamma * eq * eq - m + resp[:, None]
    for c in range(k):
        L, xc, y = saved[c]
        y *= -e[:, c:c + 1]
        mb[c] = -(np.sum(y, axis=0) @ L)
        Lb = y.T @ xc
        ib[c, :d] += Lb[diag, diag] * eq[c]
        ib[c, d:] += Lb[rows, cols]
    return val, (ab, mb, ib)
