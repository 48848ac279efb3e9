"""Bundle adjustment reprojection residuals (ADBench objective, from the formula), gathered over observations."""
import numpy as np

from ._common import rng

ACTIVE = (0, 1, 2)
SIZES = {"S": (20, 300, 2000), "M": (50, 5000, 30000), "L": (300, 60000, 400000)}


def make_args(size):
    nc, npt, p = SIZES[size]
    r = rng(33)
    cams = np.concatenate((0.3 * r.standard_normal((nc, 3)), 0.2 * r.standard_normal((nc, 3)),
                           1.0 + 0.1 * r.random((nc, 1)), 0.1 * r.standard_normal((nc, 2)),
                           0.01 * r.standard_normal((nc, 2))), axis=1)
    pts = r.standard_normal((npt, 3)) + np.array([0.0, 0.0, 8.0])
    return cams, pts, 0.5 + r.random(p), r.integers(0, nc, p), r.integers(0, npt, p), r.standard_normal((p, 2))


def rotate(rot, v):
    """Rodrigues rotation of v by the axis-angle vectors rot, row by row."""
    theta = np.sqrt(np.sum(rot * rot, axis=1))
    c = np.cos(theta)
    s = np.sin(theta)
    w = rot / theta[:, None]
    cross = np.stack((w[:, 1] * v[:, 2] - w[:, 2] * v[:, 1],
                      w[:, 2] * v[:, 0] - w[:, 0] * v[:, 2],
                      w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]), axis=1)
    dot = np.sum(w * v, axis=1) * (1.0 - c)
    return v * c[:, None] + cross * s[:, None] + w * dot[:, None]


def ba(cams, pts, w, icam, ipt, feat):
    cam = cams[icam]
    xc = rotate(cam[:, 0:3], pts[ipt] - cam[:, 3:6])
    proj = xc[:, 0:2] / xc[:, 2:3]
    r2 = np.sum(proj * proj, axis=1)
    distort = 1.0 + cam[:, 9] * r2 + cam[:, 10] * r2 * r2
    pix = proj * distort[:, None] * cam[:, 6:7] + cam[:, 7:9]
    return w[:, None] * (pix - feat)


def loss(cams, pts, w, icam, ipt, feat):
    err = ba(cams, pts, w, icam, ipt, feat)
    return np.sum(err * err) + np.sum((1.0 - w * w) ** 2)
