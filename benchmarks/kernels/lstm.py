"""Diagonal multi-layer LSTM language model over a sequence (ADBench objective, from the formula)."""
import numpy as np

from ._common import rng

ACTIVE = (0, 1, 2)
SIZES = {"S": (2, 14, 40), "M": (4, 64, 300), "L": (4, 256, 1000)}


def make_args(size):
    layers, c, t = SIZES[size]
    r = rng(34)
    seq = np.eye(c)[r.integers(0, c, t)]
    return (0.3 * r.standard_normal((2 * layers, 4 * c)), 0.3 * r.standard_normal((3, c)),
            0.3 * r.standard_normal((2 * layers, c)), seq)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def predict(main, extra, state, x):
    """One time step; ``state`` rows (hidden, cell per layer) are updated in place."""
    c = state.shape[1]
    x = x * extra[0]
    for i in range(0, state.shape[0], 2):
        hidden = state[i]
        w = main[i]
        b = main[i + 1]
        forget = sigmoid(x * w[:c] + b[:c])
        ingate = sigmoid(hidden * w[c:2 * c] + b[c:2 * c])
        outgate = sigmoid(x * w[2 * c:3 * c] + b[2 * c:3 * c])
        change = np.tanh(hidden * w[3 * c:] + b[3 * c:])
        state[i + 1] = state[i + 1] * forget + ingate * change
        state[i] = outgate * np.tanh(state[i + 1])
        x = state[i]
    return x * extra[1] + extra[2]


def lstm(main, extra, state, seq):
    total = 0.0
    count = 0
    for t in range(seq.shape[0] - 1):
        y = predict(main, extra, state, seq[t])
        y = y - np.log(np.sum(np.exp(y)) + 2.0)
        total += np.sum(seq[t + 1] * y)
        count += y.shape[0]
    return -total / count


def loss(main, extra, state, seq):
    state = state.copy()
    return lstm(main, extra, state, seq)


def _func_predict(main, extra, state, x):
    c = extra.shape[1]
    x = x * extra[0]
    new = []
    for i in range(0, len(state), 2):
        hidden = state[i]
        w = main[i]
        b = main[i + 1]
        forget = sigmoid(x * w[:c] + b[:c])
        ingate = sigmoid(hidden * w[c:2 * c] + b[c:2 * c])
        outgate = sigmoid(x * w[2 * c:3 * c] + b[2 * c:3 * c])
        change = np.tanh(hidden * w[3 * c:] + b[3 * c:])
        cell = state[i + 1] * forget + ingate * change
        x = outgate * np.tanh(cell)
        new.append(x)
        new.append(cell)
    return x * extra[1] + extra[2], new


def func_loss(main, extra, state, seq):
    state = [state[i] for i in range(state.shape[0])]
    total = 0.0
    count = 0
    for t in range(seq.shape[0] - 1):
        y, state = _func_predict(main, extra, state, seq[t])
        y = y - np.log(np.sum(np.exp(y)) + 2.0)
        total = total + np.sum(seq[t + 1] * y)
        count += y.shape[0]
    return -total / count


def jax_loss(main, extra, state, seq):
    import jax
    import jax.numpy as jnp
    from jax import lax
    c = extra.shape[1]

    def step(state, xy):
        x, gold = xy
        x = x * extra[0]
        new = []
        for i in range(0, state.shape[0], 2):
            w, b = main[i], main[i + 1]
            forget = jax.nn.sigmoid(x * w[:c] + b[:c])
            ingate = jax.nn.sigmoid(state[i] * w[c:2 * c] + b[c:2 * c])
            outgate = jax.nn.sigmoid(x * w[2 * c:3 * c] + b[2 * c:3 * c])
            change = jnp.tanh(state[i] * w[3 * c:] + b[3 * c:])
            cell = state[i + 1] * forget + ingate * change
            x = outgate * jnp.tanh(cell)
            new += [x, cell]
        y = x * extra[1] + extra[2]
        y = y - jnp.log(jnp.sum(jnp.exp(y)) + 2.0)
        return jnp.stack(new), jnp.sum(gold * y)

    _, parts = lax.scan(step, state, (seq[:-1], seq[1:]))
    return -jnp.sum(parts) / ((seq.shape[0] - 1) * c)


def hand_value_and_grad(main, extra, state, seq):
    T = seq.shape[0]
    nl = main.shape[0] // 2
    c = extra.shape[1]
    h = [state[2 * l].copy() for l in range(nl)]
    cell = [state[2 * l + 1].copy() for l in range(nl)]
    tape = []
    total = 0.0
    w, b = main[0::2], main[1::2]
    for t in range(T - 1):
        x = seq[t] * extra[0]
        for l in range(nl):
            wl, bl = w[l], b[l]
            f = 1.0 / (1.0 + np.exp(-(x * wl[:c] + bl[:c])))
            g = 1.0 / (1.0 + np.exp(-(h[l] * wl[c:2 * c] + bl[c:2 * c])))
            o = 1.0 / (1.0 + np.exp(-(x * wl[2 * c:3 * c] + bl[2 * c:3 * c])))
            z = np.tanh(h[l] * wl[3 * c:] + bl[3 * c:])
            old = cell[l]
            cell[l] = old * f + g * z
            tc = np.tanh(cell[l])
            tape.append((x, h[l], old, f, g, o, z, tc))
            h[l] = x = o * tc
        y = x * extra[1] + extra[2]
        e = np.exp(y)
        s = np.sum(e) + 2.0
        total += np.dot(seq[t + 1], y) - np.log(s) * np.sum(seq[t + 1])
        e /= s
        tape.append((x, e))
    count = (T - 1) * c
    mb = np.zeros_like(main)
    eb = np.zeros_like(extra)
    hb = np.zeros((nl, c))
    cb = np.zeros((nl, c))
    for t in range(T - 2, -1, -1):
        x, e = tape.pop()
        yb = (seq[t + 1] - e * np.sum(seq[t + 1])) * (-1.0 / count)
        eb[2] += yb
        eb[1] += yb * x
        xb = yb * extra[1]
        for l in range(nl - 1, -1, -1):
            x, hid, old, f, g, o, z, tc = tape.pop()
            wl, wb, bb = w[l], mb[2 * l], mb[2 * l + 1]
            d = hb[l] + xb
            ob = d * tc * o * (1.0 - o)
            cc = cb[l] + d * o * (1.0 - tc * tc)
            fb = cc * old * f * (1.0 - f)
            gb = cc * z * g * (1.0 - g)
            zb = cc * g * (1.0 - z * z)
            cb[l] = cc * f
            bb[:c] += fb
            bb[c:2 * c] += gb
            bb[2 * c:3 * c] += ob
            bb[3 * c:] += zb
            wb[:c] += fb * x
            wb[c:2 * c] += gb * hid
            wb[2 * c:3 * c] += ob * x
            wb[3 * c:] += zb * hid
            hb[l] = gb * wl[c:2 * c] + zb * wl[3 * c:]
            xb = fb * wl[:c] + ob * wl[2 * c:3 * c]
        eb[0] += xb * seq[t]
    sb = np.empty_like(state)
    sb[0::2] = hb
    sb[1::2] = cb
    return -total / count, (mb, eb, sb)
