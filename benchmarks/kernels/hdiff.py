"""Horizontal diffusion with flux limiter."""
import numpy as np

from ._common import rng

ACTIVE = (0, 1)
SIZES = {"S": (48, 48, 16), "M": (128, 128, 40), "L": (256, 256, 80)}


def make_args(size):
    ni, nj, nk = SIZES[size]
    r = rng(26)
    # a ramp keeps neighbour differences away from zero, where the limiter jumps
    ramp = 2.0 * (np.arange(ni + 4)[:, None, None] + np.arange(nj + 4)[None, :, None])
    return ramp + r.random((ni + 4, nj + 4, nk)), r.random((ni, nj, nk)), 1e-3 * r.random((ni, nj, nk))


def hdiff(f, coeff):
    lap = 4.0 * f[1:-1, 1:-1, :] - (f[2:, 1:-1, :] + f[:-2, 1:-1, :] + f[1:-1, 2:, :] + f[1:-1, :-2, :])
    flx = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    flx = np.where(flx * (f[2:-1, 2:-2, :] - f[1:-2, 2:-2, :]) > 0.0, 0.0, flx)
    fly = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    fly = np.where(fly * (f[2:-2, 2:-1, :] - f[2:-2, 1:-2, :]) > 0.0, 0.0, fly)
    return f[2:-2, 2:-2, :] - coeff * (flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :])


def loss(f, coeff, w):
    out = hdiff(f, coeff)
    return np.sum(out * out * w)


def hand_value_and_grad(f, coeff, w):
    lap = 4.0 * f[1:-1, 1:-1, :]
    lap -= f[2:, 1:-1, :]
    lap -= f[:-2, 1:-1, :]
    lap -= f[1:-1, 2:, :]
    lap -= f[1:-1, :-2, :]
    flx = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    keepx = flx * (f[2:-1, 2:-2, :] - f[1:-2, 2:-2, :]) <= 0.0
    flx *= keepx
    fly = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    keepy = fly * (f[2:-2, 2:-1, :] - f[2:-2, 1:-2, :]) <= 0.0
    fly *= keepy
    div = flx[1:, :, :] - flx[:-1, :, :]
    div += fly[:, 1:, :]
    div -= fly[:, :-1, :]
    out = f[2:-2, 2:-2, :] - coeff * div
    g = out * w
    val = np.sum(g * out)
    g *= 2.0
    fb = np.zeros_like(f)
    fb[2:-2, 2:-2, :] = g
    cb = np.multiply(g, div, out=div)
    np.negative(cb, out=cb)
    d = np.multiply(g, coeff, out=g)
    np.negative(d, out=d)
    flx[:] = 0.0
    flx[1:, :, :] = d
    flx[:-1, :, :] -= d
    flx *= keepx
    fly[:] = 0.0
    fly[:, 1:, :] = d
    fly[:, :-1, :] -= d
    fly *= keepy
    lap[:] = 0.0
    lap[1:, 1:-1, :] = flx
    lap[:-1, 1:-1, :] -= flx
    lap[1:-1, 1:, :] += fly
    lap[1:-1, :-1, :] -= fly
    fb[2:, 1:-1, :] -= lap
    fb[:-2, 1:-1, :] -= lap
    fb[1:-1, 2:, :] -= lap
    fb[1:-1, :-2, :] -= lap
    lap *= 4.0
    fb[1:-1, 1:-1, :] += lap
    return val, (fb, cb)
